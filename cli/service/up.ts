import { fileURLToPath } from 'node:url'
import { readEnvironment, type Environment } from '../../config/environment.ts'
import { resolveLimits } from '../../core/limits.ts'
import { bringUp, type Installation, type InstallationOptions } from '../../stack/bring-up.ts'
import { jobsPageOf } from '../../config/jobs-page.ts'
import { AlreadyRunningError } from '../../stack/supervisor/services.ts'
import type { CliContext } from '../context.ts'
import { formatServiceLine, isWorthShowing } from '../terminal/service-log.ts'
import { paint } from '../terminal/output.ts'
import { formatFacts } from '../terminal/table.ts'

/** `svc up`: everything on this machine, until a signal. */
export async function up(context: CliContext, options: { readonly isVerbose: boolean }): Promise<void> {
  const { output } = context
  const stopped = Promise.withResolvers<void>()
  let installation: Installation | undefined
  let isStopping = false
  const stop = () => {
    if (isStopping) return
    isStopping = true
    output.note('stopping: the API drains, then the worker, then the stack')
    stopped.resolve()
  }
  process.on('SIGINT', stop).on('SIGTERM', stop).on('SIGHUP', stop)
  try {
    output.note('starting the stack')
    const environment = readEnvironment()
    installation = await bringUp(
      installationOptions(environment, {
        log: (line) => output.note(line),
        onLine: (service, line) => {
          if (!process.stderr.isTTY) process.stderr.write(`${line}\n`)
          else if (options.isVerbose || isWorthShowing(line)) output.note(formatServiceLine(service, line))
        },
      }),
    )
    const { services, stack } = installation
    const temporalPage = jobsPageOf(stack.temporalUiUrl, environment.temporalNamespace)
    output.result(
      {
        url: services.apiUrl,
        docs: `${services.apiUrl}/docs`,
        temporal_ui: temporalPage ?? null,
        temporal: stack.temporalAddress,
        data: stack.dataDir,
      },
      () => describeAddresses(services.apiUrl, temporalPage, stack.dataDir),
    )
    await stopped.promise
  } catch (error) {
    if (!(error instanceof AlreadyRunningError)) throw error
    const { apiUrl, owner } = error.running
    const temporalUiUrl = jobsPageOf(error.running.temporalUiUrl, readEnvironment().temporalNamespace)
    output.result({ url: apiUrl, temporal_ui: temporalUiUrl ?? null, already_running: true, pid: owner.pid }, () =>
      [`it runs already (process ${owner.pid})`, describeAddresses(apiUrl, temporalUiUrl, undefined)].join('\n'),
    )
  } finally {
    await installation?.stop()
    process.off('SIGINT', stop).off('SIGTERM', stop).off('SIGHUP', stop)
  }
}

/**
 * Returns the options of the installation from the environment. Throws an `Error` that names each wrong entry of
 * `SVC_LIMITS`.
 */
export function installationOptions(
  environment: Environment,
  hooks: Pick<InstallationOptions, 'log' | 'onLine'>,
): InstallationOptions {
  const { dataDir, searchPath, host, port, isPortGiven, databaseUrl, temporalAddress, masterKey } = environment
  // The API and the worker would refuse them too, but only after the whole stack has started.
  resolveLimits(environment.limits)
  return {
    dataDir,
    searchPath,
    host,
    port,
    isPortGiven,
    given: { databaseUrl, temporalAddress, masterKey },
    projectDir: fileURLToPath(new URL('../..', import.meta.url)),
    // oxlint-disable-next-line no-process-env -- the processes of the service inherit the operator's environment
    env: process.env,
    ...hooks,
  }
}

/** Returns the addresses of the service's parts as text. */
export function describeAddresses(
  apiUrl: string,
  temporalUiUrl: string | undefined,
  dataDir: string | undefined,
): string {
  return [
    '',
    paint('bold', 'svc is up'),
    formatFacts([
      ['API', apiUrl],
      ['Documentation', `${apiUrl}/docs`],
      ['Temporal UI', temporalUiUrl ?? 'that of your own Temporal'],
      ...(dataDir === undefined ? [] : [['data', dataDir] as const]),
    ]),
    `\nfirst steps: ${paint('cyan', 'npx svc signup --email you@example.org')}, then ${paint('cyan', 'npx svc compile FILE --task "…"')}`,
  ].join('\n')
}
