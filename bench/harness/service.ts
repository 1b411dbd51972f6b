import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bringUp } from '../../stack/bring-up.ts'
import type { ProcessIdentity } from '../../stack/process/process-identity.ts'
import { readRecord } from '../../stack/record.ts'
import { findServices } from '../../stack/supervisor/record.ts'

const PROJECT_DIR = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** A whole service of its own: Postgres, Temporal, one API, one worker, in a folder that goes again. */
export interface BenchService {
  readonly apiUrl: string
  readonly databaseUrl: string
  readonly masterKey: Buffer
  readonly temporalAddress: string
  /** The processes that serve now, by name; after a restart they are others. */
  processes(): Promise<Readonly<Record<string, ProcessIdentity | undefined>>>
  stop(): Promise<void>
}

/** Limits under which a benchmark measures the service and not its quotas. */
export const RAISED_LIMITS = {
  quota_free: 1e9,
  requests_per_tenant_minute: 1e9,
  signups_per_ip_day: 1e6,
  probes_per_ip_minute: 1e9,
} as const

/**
 * Starts a service for a benchmark. `limits` is what `SVC_LIMITS` takes; `env` adds to the environment of its processes.
 * Throws when the stack does not come up.
 */
export async function startBenchService({
  limits,
  env = {},
  port = 0,
  parentDir = tmpdir(),
}: {
  readonly limits: Readonly<Record<string, number>>
  /** The folder in which the service's own is made. */
  readonly parentDir?: string
  readonly env?: Readonly<Record<string, string>>
  /** Of the API; a free one when absent. */
  readonly port?: number
}): Promise<BenchService> {
  const dataDir = await mkdtemp(join(parentDir, 'svc-bench-'))
  // Root's Postgres runs as another user, who has to pass through.
  await chmod(dataDir, 0o711)
  const installation = await bringUp({
    dataDir,
    searchPath: process.env['PATH'] ?? '',
    projectDir: PROJECT_DIR,
    host: '127.0.0.1',
    port,
    isPortGiven: port !== 0,
    env: { ...process.env, SVC_LOG_LEVEL: 'warn', ...env, SVC_LIMITS: JSON.stringify(limits) },
    onLine: () => undefined,
    log: () => undefined,
  })
  return {
    apiUrl: installation.services.apiUrl,
    databaseUrl: installation.stack.databaseUrl,
    masterKey: installation.stack.masterKey,
    temporalAddress: installation.stack.temporalAddress,
    processes: async () => {
      const [supervised, servers] = await Promise.all([findServices(dataDir), readRecord(dataDir)])
      return {
        api: supervised?.processes['api'],
        worker: supervised?.processes['worker'],
        postgres: servers.postgres?.process,
        temporal: servers.temporal?.process,
      }
    },
    stop: async () => {
      await installation.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
