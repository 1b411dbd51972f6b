import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { bringUp } from '../../stack/bring-up.ts'
import type { ProcessIdentity } from '../../stack/process/process-identity.ts'
import { readRecord } from '../../stack/record.ts'
import { findServices } from '../../stack/supervisor/record.ts'
import { startServices } from '../../stack/supervisor/services.ts'
import { temporalDatabase } from '../../stack/temporal/server.ts'
import { ADDRESS_ROOM } from '../../test/support/wire/walks/address-room.ts'

const PROJECT_DIR = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** Lines of the API that are kept; older ones are dropped. */
const MOST_LINES = 20_000

/** Settings of the operator, which a restart changes. */
export interface ServiceSettings {
  /** The value of `SVC_LIMITS`. */
  readonly limits: Readonly<Record<string, number>>
  /** Variables beside those of this process. */
  readonly env?: Readonly<Record<string, string>>
}

/** A whole service of its own: Postgres, Temporal, one API, one worker, in a folder that goes again. */
export interface BenchService {
  readonly apiUrl: string
  /** Folder of everything that the service keeps. */
  readonly dataDir: string
  readonly databaseUrl: string
  readonly masterKey: Buffer
  readonly temporalAddress: string
  /** The processes that serve now, by name; after a restart they are others. */
  processes(): Promise<Readonly<Record<string, ProcessIdentity | undefined>>>
  /** The latest lines of the API's log: warnings and errors, each a JSON object. */
  apiLog(): readonly string[]
  /**
   * Stops API and worker, does `meanwhile` on the stack, and starts them at the same address under other settings. Throws
   * when they do not come up.
   */
  restart(settings: ServiceSettings, meanwhile?: () => Promise<void>): Promise<void>
  /** Kills Temporal, deletes its data and starts it again, empty. */
  emptyTemporal(): Promise<void>
  stop(): Promise<void>
}

/** Limits under which a benchmark measures the service and not its quotas. */
export const RAISED_LIMITS = {
  quota_free: 1e9,
  requests_per_tenant_minute: 1e9,
  signups_per_ip_day: 1e6,
  probes_per_ip_minute: 1e9,
} as const

/** Limits under which walks over all routes meet no limit of their address either. */
export const ROOM: Readonly<Record<string, number>> = {
  ...RAISED_LIMITS,
  ...ADDRESS_ROOM,
  running_jobs_free: 1000,
}

/** Starts a service for a benchmark. Throws when the stack does not come up. */
export async function startBenchService({
  port = 0,
  parentDir = tmpdir(),
  ...settings
}: ServiceSettings & {
  /** The folder in which the service's own is made. */
  readonly parentDir?: string
  /** Of the API; a free one when absent. */
  readonly port?: number
}): Promise<BenchService> {
  const dataDir = await mkdtemp(join(parentDir, 'svc-bench-'))
  // Root's Postgres runs as another user, who has to pass through.
  await chmod(dataDir, 0o711)
  const lines: string[] = []
  const optionsFor = ({ limits, env }: ServiceSettings, apiPort: number) => ({
    projectDir: PROJECT_DIR,
    host: '127.0.0.1',
    port: apiPort,
    isPortGiven: apiPort !== 0,
    env: { ...process.env, SVC_LOG_LEVEL: 'warn', ...env, SVC_LIMITS: JSON.stringify(limits) },
    onLine: (service: 'api' | 'worker', line: string) => {
      if (service === 'api') lines.push(line)
      if (lines.length > MOST_LINES) lines.splice(0, MOST_LINES / 2)
    },
    log: () => undefined,
  })
  const searchPath = process.env['PATH'] ?? ''
  const { stack, services: first } = await bringUp({ ...optionsFor(settings, port), dataDir, searchPath })
  const { apiUrl } = first
  let services = first
  return {
    apiUrl,
    dataDir,
    databaseUrl: stack.databaseUrl,
    masterKey: stack.masterKey,
    temporalAddress: stack.temporalAddress,
    processes: async () => {
      const [supervised, servers] = await Promise.all([findServices(dataDir), readRecord(dataDir)])
      return {
        api: supervised?.processes['api'],
        worker: supervised?.processes['worker'],
        postgres: servers.postgres?.process,
        temporal: servers.temporal?.process,
      }
    },
    apiLog: () => lines,
    restart: async (changed, meanwhile) => {
      await services.stop()
      await meanwhile?.()
      services = await startServices({ ...optionsFor(changed, Number(new URL(apiUrl).port)), stack })
    },
    emptyTemporal: async () => {
      const { temporal } = await readRecord(dataDir)
      if (temporal === undefined) throw new Error('there is no Temporal')
      process.kill(temporal.process.pid, 'SIGKILL')
      for (const suffix of ['', '-wal', '-shm']) await rm(`${temporalDatabase(dataDir)}${suffix}`, { force: true })
      while ((await stack.restartDead()).length === 0) await sleep(100)
    },
    stop: async () => {
      await services.stop()
      await stack.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
