import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { z } from 'zod'
import { readEnvironment, requireServices, type ServiceEnvironment } from '../config/environment.ts'
import { EnvironmentError, WRONG_SETTINGS_EXIT } from '../config/environment-error.ts'
import { forbidPrototypeAccess } from '../config/forbid-prototype-access.ts'
import { createLogger, type Logger } from '../config/logger.ts'
import { loadTemporalYaml } from '../config/temporal-yaml.ts'
import { KERNEL_ERRORS } from '../core/kernel/errors.ts'
import { identifyTeacher } from '../core/compile/stages/teacher/teacher.ts'
import { resolveLimits } from '../core/limits.ts'
import { TenantRoleRefused } from '../db/kernel/tenant/tenant-role.ts'
import { openApiText } from './overview/openapi.ts'
import { ROUTES } from './routes.ts'
import { startServer, type RunningServer, type ServerOptions } from './server.ts'

const RETRY_MS = 1000
const PROJECT = new URL('..', import.meta.url)

forbidPrototypeAccess()
// The size at which the supervisor lets the young generation begin is for the event loop: threads begin with a small one.
setFlagsFromString('--min-semi-space-size=0')
const stopping = new AbortController()
for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => stopping.abort(new Error(name)))

try {
  const environment = requireServices(readEnvironment())
  const log = createLogger({ name: 'api', level: environment.logLevel })
  try {
    await serve(optionsFrom(environment, log), stopping.signal)
    log.info('the API has stopped')
  } catch (error) {
    if (error instanceof EnvironmentError) throw error
    if (!stopping.signal.aborted) {
      log.fatal({ err: error }, 'the API cannot run')
      process.exitCode = 1
    }
  }
} catch (error) {
  // Wrong settings are for the person who started the process, not for the log.
  process.stderr.write(`${error instanceof EnvironmentError ? error.message : String(error)}\n`)
  process.exitCode = error instanceof EnvironmentError ? WRONG_SETTINGS_EXIT : 1
}

/** Serves until a signal asks for the end. */
async function serve(options: ServerOptions, signal: AbortSignal): Promise<void> {
  const server = await startWhenStoreAnswers(options, signal)
  openApiText(ROUTES, server.services)
  options.log.info({ url: server.url, docs: `${server.url}/docs` }, 'the API is ready')
  // Tells the process that started this one, when it listens.
  process.send?.({ type: 'ready', url: server.url })
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
  await server.stop()
}

/** An API that starts before Postgres, or before an administrator has prepared it, waits instead of ending. */
async function startWhenStoreAnswers(options: ServerOptions, signal: AbortSignal): Promise<RunningServer> {
  let shown = ''
  for (;;) {
    try {
      return await startServer(options)
    } catch (error) {
      if (error instanceof TenantRoleRefused) {
        // Statements to copy are for the person who started the process, not for the log.
        if (error.message !== shown) process.stderr.write(`${error.message}\n`)
        shown = error.message
      } else if (KERNEL_ERRORS.store_unavailable.matches(error)) {
        options.log.warn({ err: error, retryInMs: RETRY_MS }, 'waiting for Postgres')
      } else throw error
    }
    await sleep(RETRY_MS, undefined, { signal })
  }
}

function optionsFrom(environment: ServiceEnvironment, log: Logger): ServerOptions {
  const file = loadTemporalYaml(environment.temporalConfigPath ?? fileURLToPath(new URL('temporal.yaml', PROJECT)))
  return {
    host: environment.host,
    port: environment.port,
    databaseUrl: environment.databaseUrl,
    temporal: {
      address: environment.temporalAddress,
      namespace: environment.temporalNamespace ?? file.namespace.name,
      codecKey: environment.codecKey,
    },
    settings: {
      region: environment.region,
      version: packageVersion(),
      git: gitCommit(),
      publicUrl: environment.publicUrl,
      isProduction: environment.isProduction,
      isInviteOnly: environment.isInviteOnly,
      trustedProxyHops: environment.trustedProxyHops,
      metricsToken: environment.metricsToken,
      areMetricsPublic: environment.areMetricsPublic,
      masterKey: environment.masterKey,
      oldMasterKeys: environment.oldMasterKeys,
      adminKey: environment.adminKey,
      adminTenants: environment.adminTenants,
      oauth: environment.oauth,
      stripe: environment.stripe,
      isMailConfigured: environment.mail !== undefined,
      allowsPrivateEgress: environment.allowsPrivateEgress,
      teacher: environment.teacher && identifyTeacher(environment.teacher),
      upstreams: environment.upstreams,
      gatewayMode: environment.gatewayMode,
      telemetry: environment.telemetry,
      baseFolders: environment.baseFolders,
      rentals: environment.rentals,
      workspacesDir: environment.workspacesDir,
      benchPacksDir: environment.benchPacksDir,
      ccRootsPath: environment.ccRootsPath,
      storage: {
        // Beside the other data: the disk that the operator gave the service, and no memory, as a temporary folder may be.
        spoolDir: join(environment.dataDir, 'spool'),
        captureDir: join(environment.dataDir, 'captures'),
        databaseDir: environment.databaseDir,
        databaseBytes: environment.databaseBytes,
      },
    },
    limits: resolveLimits(environment.limits),
    cores: environment.computeThreads,
    log,
  }
}

function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('package.json', PROJECT), 'utf8'))
  return z.object({ version: z.string() }).parse(manifest).version
}

/** The commit that runs, 12 digits; `unknown` where the project lies without its repository. */
function gitCommit(): string {
  try {
    const cwd = fileURLToPath(PROJECT)
    return execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], { cwd, stdio: ['ignore', 'pipe', 'ignore'] })
      .toString()
      .trim()
  } catch {
    return 'unknown'
  }
}
