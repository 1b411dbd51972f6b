import { join } from 'node:path'
import { CliError } from '../cli/cli-error.ts'
import { EXIT } from '../cli/exit-codes.ts'
import { openOutput, paint } from '../cli/terminal/output.ts'
import { formatFacts } from '../cli/terminal/table.ts'
import { readEnvironment } from '../config/environment.ts'
import { withLock } from '../stack/process/lock.ts'
import { jobsPageOf } from '../config/jobs-page.ts'
import { prepareFolder } from '../stack/stack.ts'
import { runDemo } from './demo.ts'
import { openService, type DemoService } from './service.ts'

/**
 * Runs from an empty folder to a verified archive that answers: `npm run quickstart`, with `-- --exit` to stop
 * afterwards.
 */
async function main(): Promise<void> {
  const output = openOutput(false)
  const interrupted = Promise.withResolvers<never>()
  // Prevents an unhandled rejection when no step is waiting at the moment.
  interrupted.promise.catch(() => undefined)
  const interrupt = () =>
    interrupted.reject(new CliError('interrupted', { exitCode: EXIT.interrupted, code: 'interrupted' }))
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt).on('SIGHUP', interrupt)

  const environment = readEnvironment()
  const { dataDir } = environment
  const logPath = join(dataDir, 'quickstart.log')
  const keepsServing = process.stdout.isTTY && !process.argv.includes('--exit')
  let opening: Promise<DemoService> | undefined
  const stopService = async () => {
    const service = await opening?.catch(() => undefined)
    if (service === undefined || !service.isOwn) return
    step('stopping the service')
    await service.stop()
  }
  let stopping: Promise<void> | undefined
  const stop = async () => await (stopping ??= stopService())
  const demonstrate = async () => {
    try {
      step('starting Postgres, Temporal, the API and a worker')
      opening = openService(environment, { output, logPath })
      const { apiUrl, temporalUiUrl } = await opening
      const temporalPage = jobsPageOf(temporalUiUrl, environment.temporalNamespace)
      const { apiKey } = await Promise.race([
        runDemo({ apiUrl, output, step, archiveDir: dataDir }),
        interrupted.promise,
      ])
      process.stdout.write(`\n${paint('bold', 'where to look')}\n${describePlaces(apiUrl, temporalPage, logPath)}\n`)
      return { apiUrl, apiKey }
    } finally {
      if (!keepsServing) await stop()
    }
  }
  try {
    await prepareFolder(dataDir)
    // One run at a time: a run that stops the service it started would take it from a concurrent run.
    const turn = withLock(join(dataDir, 'quickstart.lock'), demonstrate, () => {
      output.note('another quickstart is running in this checkout: waiting for it')
    })
    const { apiUrl, apiKey } = await Promise.race([turn, interrupted.promise])
    if (!keepsServing) return
    process.stdout.write(`\ncontinue as this tenant: SVC_URL=${apiUrl} SVC_API_KEY=${apiKey} npx svc jobs\n`)
    process.stdout.write(`${paint('dim', 'serving until Ctrl-C')}\n`)
    await interrupted.promise.catch(() => undefined)
  } finally {
    await stop()
  }
}

function step(text: string): void {
  process.stdout.write(`${paint('cyan', '▸')} ${text}\n`)
}

function describePlaces(apiUrl: string, temporalUiUrl: string | undefined, logPath: string): string {
  return formatFacts([
    ['API', apiUrl],
    ['Documentation', `${apiUrl}/docs`],
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
// An interrupted demo may still wait for an answer that never comes.
process.exit(exitCode)
