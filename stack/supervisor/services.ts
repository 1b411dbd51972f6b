import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { BUILD_VARIABLE, builtFile } from '../../core/kernel/threads/built-file.ts'
import { findBuild, keepBuild } from '../build/build-modules.ts'
import { withLock } from '../process/lock.ts'
import { findFreePort, isPortFree } from '../process/ports.ts'
import { identifySelf } from '../process/process-identity.ts'
import { StackError } from '../stack-error.ts'
import type { Stack } from '../stack.ts'
import { SupervisedChild, type ChildOptions } from './child.ts'
import { endOrphanedServices, findServices, removeServices, writeServices, type ServicesRecord } from './record.ts'

const READY_TIMEOUT_MS = 90_000
const API_DRAIN_MS = 30_000
const WORKER_DRAIN_MS = 60_000
/** A worker allocates little that lives short: a young generation of the usual size only takes memory. */
const WORKER_FLAGS = ['--max-semi-space-size=4']
/**
 * Garbage is collected when the old generation has one and a half times what was live, and the young one has at most three
 * times 8 MiB: V8's own factor of four and its 128 MiB only take memory, and less of them stays in the caches of a core. It
 * begins with 8 MiB: from V8's own 1 MiB it grows only when much survives, so each few calls would be a collection, and calls
 * under way would move to the old generation.
 */
const API_FLAGS = ['--heap-growing-percent=50', '--min-semi-space-size=8', '--max-semi-space-size=8']
/** Each thread would keep freed memory of its own: glibc's arenas, of which two are enough here. */
const DEFAULT_ENV = { MALLOC_ARENA_MAX: '2' }
const STACK_CHECK_MS = 2000
const DAY_MS = 86_400_000
/** Number of ports above the default one that are tried when the operator chose none. */
const PORT_ATTEMPTS = 50

/** The service that is supervised: one API process and one worker process. */
export interface ServicesOptions {
  readonly stack: Stack
  /** The folder of the project. */
  readonly projectDir: string
  readonly host: string
  /** 0 for any free one. */
  readonly port: number
  /** False when the port is only the default, which may give way to a free one. */
  readonly isPortGiven: boolean
  /** The environment that the processes inherit. */
  readonly env: Readonly<Record<string, string | undefined>>
  onLine(service: 'api' | 'worker', line: string): void
  readonly log: (line: string) => void
}

/** A running service. */
export interface Services {
  readonly apiUrl: string
  /** Drains the API, then the worker. The stack stays up. Safe to call again. */
  stop(): Promise<void>
}

/** Thrown when another process supervises the service of this data folder already. */
export class AlreadyRunningError extends Error {
  readonly running: ServicesRecord

  constructor(running: ServicesRecord) {
    super(`the service runs already at ${running.apiUrl} (process ${running.owner.pid})`)
    this.name = 'AlreadyRunningError'
    this.running = running
  }
}

/**
 * Starts the worker and the API on a stack, waits until both are ready, and keeps them and the stack running: what dies
 * is started again. Throws `AlreadyRunningError`, or `StackError` when they cannot be started.
 */
export async function startServices(options: ServicesOptions): Promise<Services> {
  const { stack, log } = options
  const owner = await identifySelf()
  const claim = await withLock(join(stack.dataDir, 'services.lock'), async (): Promise<ServicesRecord> => {
    const running = await findServices(stack.dataDir)
    if (running !== undefined) throw new AlreadyRunningError(running)
    await endOrphanedServices(stack.dataDir, log)
    const port = await chooseApiPort(options)
    const shownHost = options.host === '0.0.0.0' || options.host === '::' ? '127.0.0.1' : options.host
    const record = { owner, apiUrl: `http://${shownHost}:${port}`, temporalUiUrl: stack.temporalUiUrl, processes: {} }
    await writeServices(stack.dataDir, record)
    return record
  })

  let record = claim
  let lastWrite: Promise<void> = Promise.resolve()
  const remember = (name: string) => async (identity: ServicesRecord['owner']) => {
    record = { ...record, processes: { ...record.processes, [name]: identity } }
    // One after the other: both children may start at the same moment.
    lastWrite = lastWrite.then(async () => await writeServices(stack.dataDir, record))
    await lastWrite
  }
  const env = {
    // Halves the time in which a process loads its modules. In the data folder: what lies in the cache is executed.
    NODE_COMPILE_CACHE: join(stack.dataDir, 'cache', 'compiled'),
    ...DEFAULT_ENV,
    ...options.env,
    DATABASE_URL: stack.databaseUrl,
    TEMPORAL_ADDRESS: stack.temporalAddress,
    SVC_MASTER_KEY: stack.masterKey.toString('hex'),
    SVC_DATA_DIR: stack.dataDir,
    SVC_HOST: options.host,
    ...(stack.databaseDir !== undefined && { SVC_DATABASE_DIR: stack.databaseDir }),
    SVC_PORT: new URL(claim.apiUrl).port || '80',
  }
  let build: string | null = null
  let building: Promise<string | null> | undefined
  const child = (
    name: 'api' | 'worker',
    script: string,
    {
      flags = [],
      ...rest
    }: Pick<ChildOptions, 'isReady' | 'drainTimeoutMs' | 'isBehindAnswers'> & { readonly flags?: readonly string[] },
  ) =>
    new SupervisedChild({
      name: name === 'api' ? 'the API' : 'the worker',
      // Each start takes the build of the sources as they are then, as the workflow code and the digest of the compiler do.
      launch: async () => {
        building ??= findBuild(options.projectDir, { canBuild: true, log }).finally(() => (building = undefined))
        build = await building
        const file = fileURLToPath(builtFile(pathToFileURL(join(options.projectDir, script)), build))
        return {
          args: ['--disable-warning=ExperimentalWarning', ...flags, file],
          env: { ...env, [BUILD_VARIABLE]: build ?? undefined },
        }
      },
      folder: options.projectDir,
      onLine: (line) => options.onLine(name, line),
      onStart: remember(name),
      log,
      ...rest,
    })
  const worker = child('worker', 'workers/main.ts', {
    flags: WORKER_FLAGS,
    isReady: async (messages) => messages.some(isReadyMessage),
    drainTimeoutMs: WORKER_DRAIN_MS,
    isBehindAnswers: true,
  })
  const api = child('api', 'api/main.ts', {
    flags: API_FLAGS,
    // Its own message too: a service that took the port in the meantime would answer in its place.
    isReady: async (messages) => messages.some(isReadyMessage) && (await answersReady(claim.apiUrl)),
    drainTimeoutMs: API_DRAIN_MS,
  })

  const stackWatch = watchStack(stack, log)
  const keeping = setInterval(() => void (build !== null && keepBuild(build)), DAY_MS).unref()
  let stopping: Promise<void> | undefined
  const stop = async () => {
    clearInterval(keeping)
    await stackWatch.end()
    await api.stop()
    await worker.stop()
    await removeServices(stack.dataDir, owner)
  }
  const stopOnce = async () => await (stopping ??= stop())
  try {
    await Promise.all([worker.start(READY_TIMEOUT_MS), api.start(READY_TIMEOUT_MS)])
  } catch (error) {
    await stopOnce()
    throw error
  }
  return { apiUrl: claim.apiUrl, stop: stopOnce }
}

async function chooseApiPort({ stack, port, host, isPortGiven, log }: ServicesOptions): Promise<number> {
  if (port === 0) return await findFreePort(stack.dataDir, 'the API', undefined)
  if (await isPortFree(port, host)) return port
  if (isPortGiven) {
    throw new StackError('port_in_use', `port ${port} of ${host} is in use: end what listens there, or set SVC_PORT`)
  }
  const first = port + 1
  for (let other = first; other < first + PORT_ATTEMPTS; other++) {
    if (!(await isPortFree(other, host))) continue
    log(`port ${port} is in use: the API listens on ${other} (SVC_PORT chooses one)`)
    return other
  }
  throw new StackError(
    'port_in_use',
    `ports ${port} to ${first + PORT_ATTEMPTS - 1} of ${host} are all in use: set SVC_PORT`,
  )
}

function watchStack(stack: Stack, log: (line: string) => void): { end(): Promise<void> } {
  let repair: Promise<void> | undefined
  const timer = setInterval(() => {
    repair ??= stack
      .restartDead()
      .then((names) => {
        for (const name of names) log(`${name} had ended and was started again`)
      })
      .catch((error: unknown) => log(`the stack cannot be repaired yet: ${String(error)}`))
      .finally(() => {
        repair = undefined
      })
  }, STACK_CHECK_MS)
  return {
    end: async () => {
      clearInterval(timer)
      // A repair in flight must not start again what the caller stops next.
      await repair
    },
  }
}

async function answersReady(apiUrl: string): Promise<boolean> {
  try {
    const response = await fetch(`${apiUrl}/ready`, { signal: AbortSignal.timeout(5000) })
    await response.body?.cancel()
    return response.status === 200
  } catch {
    return false
  }
}

function isReadyMessage(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'type' in message && message.type === 'ready'
}
