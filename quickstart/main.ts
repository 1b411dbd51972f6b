import { join } from 'node:path'
import { CliError } from '../cli/cli-error.ts'
import { EXIT } from '../cli/exit-codes.ts'
import { openOutput, paint } from '../cli/terminal/output.ts'
import { readEnvironment } from '../config/environment.ts'
import { withLock } from '../stack/process/lock.ts'
import { prepareFolder } from '../stack/stack.ts'
import { runDemo, type DemoOptions } from './demo.ts'
import { LOCAL_MODEL, startLocalUpstream, type LocalUpstream } from './gateway/local-upstream.ts'
import { describePlaces } from './places.ts'
import { openService, type DemoService } from './service.ts'

/**
 * Runs from an empty folder to a verified archive that answers: `npm run quickstart`, with `-- --exit` to stop
 * afterwards. With `-- --gateway`, from the first call of a model through the gateway to an artifact that was compiled from
 * the captured calls and answers in the model's place.
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
  const showsGateway = process.argv.includes('--gateway')
  const demonstrate = showsGateway ? showGateway : runDemo
  let opening: Promise<DemoService> | undefined
  let upstream: LocalUpstream | undefined
  const stopService = async () => {
    const service = await opening?.catch(() => undefined)
    await upstream?.close()
    if (service === undefined || !service.isOwn) return
    step('stopping the service')
    await service.stop()
  }
  let stopping: Promise<void> | undefined
  const stop = async () => await (stopping ??= stopService())
  const startAndShow = async () => {
    try {
      if (showsGateway) {
        step('starting the local upstream')
        upstream = await startLocalUpstream()
        output.note(`  ${upstream.baseUrl} answers by keywords as ${LOCAL_MODEL}`)
      }
      step('starting Postgres, Temporal, the API and a worker')
      const variables = upstream && { SVC_UPSTREAM_LOCAL_SVC_BASE: upstream.baseUrl }
      opening = openService(environment, { output, logPath, ...(variables && { variables }) })
      const { apiUrl, temporalUiUrl, isOwn } = await opening
      if (showsGateway && !isOwn) throw runsAlready(apiUrl)
      const { apiKey } = await Promise.race([
        demonstrate({ apiUrl, output, step, archiveDir: dataDir }),
        interrupted.promise,
      ])
      const places = describePlaces({ apiUrl, temporalUiUrl, namespace: environment.temporalNamespace, logPath })
      process.stdout.write(`\n${paint('bold', 'where to look')}\n${places}\n`)
      return { apiUrl, apiKey }
    } finally {
      if (!keepsServing) await stop()
    }
  }
  try {
    await prepareFolder(dataDir)
    // One run at a time: a run that stops the service it started would take it from a concurrent run.
    const turn = withLock(join(dataDir, 'quickstart.lock'), startAndShow, () => {
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

/** Loads the SDK that it calls the gateway with. */
async function showGateway(options: DemoOptions): Promise<{ readonly apiKey: string }> {
  const { runGatewayDemo } = await import('./gateway/demo.ts')
  return await runGatewayDemo(options)
}

function runsAlready(apiUrl: string): CliError {
  return new CliError(
    `the service that runs at ${apiUrl} was started without the local upstream. Stop it and run this again`,
    { code: 'already_running' },
  )
}

function step(text: string): void {
  process.stdout.write(`${paint('cyan', '▸')} ${text}\n`)
}

let exitCode: number = EXIT.ok
try {
  await main()
} catch (error) {
  exitCode = openOutput(false).fail(error).exitCode
}
// An interrupted demo may still wait for an answer that never comes.
process.exit(exitCode)
