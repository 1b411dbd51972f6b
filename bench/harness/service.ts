import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { identifySelf, type ProcessIdentity } from '../../stack/process-identity.ts'
import { startStack, type Stack } from '../../stack/stack.ts'
import { readServicesRecord } from './services-record.ts'
import { startServices } from '../../stack/supervisor/services.ts'

const PROJECT_DIR = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** A whole service of its own: Postgres, Temporal, one API, one worker, in a folder that goes again. */
export interface BenchService {
  readonly apiUrl: string
  readonly stack: Stack
  /** The processes that serve now; after a restart they are others. */
  processes(): Promise<Readonly<Record<string, ProcessIdentity>>>
  stop(): Promise<void>
}

/** Starts a service with raised limits for a benchmark. `limits` is what `SVC_LIMITS` takes. */
export async function startBenchService(
  limits: Readonly<Record<string, number>>,
  onLine: (line: string) => void = () => undefined,
): Promise<BenchService> {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-bench-'))
  // Root's Postgres runs as another user, who has to pass through.
  await chmod(dataDir, 0o711)
  const stack = await startStack({
    dataDir,
    searchPath: process.env['PATH'] ?? '',
    owner: await identifySelf(),
    log: onLine,
  })
  const services = await startServices({
    stack,
    projectDir: PROJECT_DIR,
    host: '127.0.0.1',
    port: 0,
    isPortGiven: false,
    env: { ...process.env, SVC_LIMITS: JSON.stringify(limits), SVC_LOG_LEVEL: 'warn' },
    onLine: (service, line) => onLine(`${service}: ${line}`),
    log: onLine,
  })
  return {
    apiUrl: services.apiUrl,
    stack,
    processes: async () => await readServicesRecord(stack),
    stop: async () => {
      await services.stop()
      await stack.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
