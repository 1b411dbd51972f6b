import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { CliError } from '../cli/cli-error.ts'
import { EXIT } from '../cli/exit-codes.ts'
import { installationOptions } from '../cli/commands/up.ts'
import { openOutput, paint } from '../cli/terminal/output.ts'
import { formatServiceLine, isWorthShowing } from '../cli/terminal/service-log.ts'
import { formatFacts } from '../cli/terminal/table.ts'
import { readEnvironment } from '../config/environment.ts'
import { bringUp, type Installation } from '../stack/bring-up.ts'
import { AlreadyRunningError } from '../stack/supervisor/services.ts'
import { runDemo } from './demo.ts'

/** From nothing to a verified archive that answers: `npm run quickstart`, with `-- --exit` to stop afterwards. */
async function main(): Promise<void> {
  const output = openOutput(false)
  const interrupted = Promise.withResolvers<never>()
  // Whoever waits for it at the moment is told; when nobody does, it is no failure.
  interrupted.promise.catch(() => undefined)
  const interrupt = () =>
    interrupted.reject(new CliError('interrupted', { exitCode: EXIT.interrupted, code: 'interrupted' }))
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt).on('SIGHUP', interrupt)

  const environment = readEnvironment()
  const logPath = join(environment.dataDir, 'quickstart.log')
  const keepsServing = process.stdout.isTTY && !process.argv.includes('--exit')
  let installation: Installation | undefined
  try {
    step('starting Postgres, Temporal, the API and a worker')
    let apiUrl: string
    let temporalUiUrl: string | undefined
    try {
      installation = await bringUp(
        installationOptions(environment, {
          log: (line) => output.note(`  ${line}`),
          onLine: (service, line) => {
            appendFileSync(logPath, `${line}\n`)
            if (isWorthShowing(line)) output.note(formatServiceLine(service, line))
          },
        }),
      )
      apiUrl = installation.services.apiUrl
      temporalUiUrl = installation.stack.temporalUiUrl
    } catch (error) {
      if (!(error instanceof AlreadyRunningError)) throw error
      ;({ apiUrl, temporalUiUrl } = error.running)
      output.note(`  it runs already: using ${apiUrl}`)
    }
    const demo = runDemo({ apiUrl, output, step, archiveDir: environment.dataDir })
    const { apiKey } = await Promise.race([demo, interrupted.promise])
    process.stdout.write(`\n${paint('bold', 'where to look')}\n${describePlaces(apiUrl, temporalUiUrl, logPath)}\n`)
    if (!keepsServing) return
    process.stdout.write(`\ngo on as this tenant: SVC_URL=${apiUrl} SVC_API_KEY=${apiKey} npx svc jobs\n`)
    process.stdout.write(`${paint('dim', 'serving until Ctrl-C')}\n`)
    await interrupted.promise.catch(() => undefined)
  } finally {
    if (installation !== undefined) {
      step('stopping what was started')
      await installation.stop()
    }
  }
}

function step(text: string): void {
  process.stdout.write(`${paint('cyan', '▸')} ${text}\n`)
}

function describePlaces(apiUrl: string, temporalUiUrl: string | undefined, logPath: string): string {
  return formatFacts([
    ['API', apiUrl],
    ['API reference', `${apiUrl}/docs`],
    ['Temporal UI', temporalUiUrl ?? 'that of your own Temporal'],
    ['logs', logPath],
  ])
}

let exitCode: number = EXIT.ok
try {
  await main()
} catch (error) {
  exitCode = openOutput(false).fail(error).exitCode
}
// A demo that was interrupted may still be waiting for an answer that nobody gives any more.
process.exit(exitCode)
