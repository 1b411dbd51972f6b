import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { endProcess, identifyProcess, listProcesses, type ProcessIdentity } from '../process/process-identity.ts'
import { spawnServer, tailOf, type ServerProcess } from '../process/server-process.ts'
import { StackError } from '../stack-error.ts'

const READY_TIMEOUT_MS = 120_000
const NAMESPACE = 'default'
const PARTITIONS = 1

/** The folder of the dev server's file and log, which only its owner may enter. */
function temporalFolder(dataDir: string): string {
  return join(dataDir, 'temporal')
}

/** The file that holds everything a dev server knows. */
export function temporalDatabase(dataDir: string): string {
  return join(temporalFolder(dataDir), 'temporal.db')
}

/** Finds the dev server that has a data folder's file open now, also one that another process started. */
export async function findDevServer(
  dataDir: string,
): Promise<{ readonly process: ProcessIdentity; readonly port: number; readonly uiPort: number } | undefined> {
  const file = temporalDatabase(dataDir)
  for (const { pid, command } of await listProcesses()) {
    if (!command.includes(` --db-filename ${file} `)) continue
    const port = Number(/ --port (\d+)/.exec(command)?.[1])
    const uiPort = Number(/ --ui-port (\d+)/.exec(command)?.[1])
    const identity = await identifyProcess(pid)
    if (identity !== undefined && port > 0 && uiPort > 0) return { process: identity, port, uiPort }
  }
  return undefined
}

/** Starts a Temporal dev server with a data folder's file. Returns before it answers. Throws `StackError`. */
export async function startDevServer(options: {
  readonly binary: string
  readonly dataDir: string
  readonly port: number
  readonly uiPort: number
  readonly isDurable: boolean
  readonly searchPath: string
}): Promise<ServerProcess> {
  const folder = temporalFolder(options.dataDir)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const flags = {
    '--db-filename': temporalDatabase(options.dataDir),
    '--ip': '127.0.0.1',
    '--port': String(options.port),
    '--ui-port': String(options.uiPort),
    '--log-level': 'warn',
    // What is committed survives a killed process either way; only a power loss tells the two apart.
    ...(!options.isDurable && { '--sqlite-pragma': 'synchronous=OFF' }),
  }
  const settings = [
    // A worker that schedules an activity on its own queue begins it without another round trip.
    'system.enableActivityEagerExecution=true',
    ...(await partitionSettings(options.dataDir)),
  ]
  const args = [...Object.entries(flags).flat(), ...settings.flatMap((value) => ['--dynamic-config-value', value])]
  return await spawnServer({
    name: 'Temporal',
    file: options.binary,
    args: ['server', 'start-dev', ...args],
    folder,
    env: {
      HOME: homedir(),
      PATH: options.searchPath,
      // Go collects garbage less often: a server that lives for minutes may hold more memory.
      ...(!options.isDurable && { GOGC: '400' }),
    },
    logPath: join(folder, 'temporal.log'),
    isBehindAnswers: options.isDurable,
  })
}

/**
 * Settings for one partition of each task queue, in place of Temporal's four: one server needs no more, and passes no task from one
 * to another. A folder that was made with four keeps them, since tasks may still wait in the other three.
 */
async function partitionSettings(dataDir: string): Promise<readonly string[]> {
  const record = join(temporalFolder(dataDir), 'partitions')
  if (!existsSync(temporalDatabase(dataDir))) await writeFile(record, `${PARTITIONS}\n`, { mode: 0o600 })
  if (!existsSync(record)) return []
  const partitions = Number(await readFile(record, 'utf8'))
  return [`matching.numTaskqueueReadPartitions=${partitions}`, `matching.numTaskqueueWritePartitions=${partitions}`]
}

/** Waits until a Temporal server answers. Throws `StackError` when it ends or takes too long. */
export async function waitForTemporal(
  address: string,
  { server, timeoutMs = READY_TIMEOUT_MS }: { readonly server?: ServerProcess; readonly timeoutMs?: number },
): Promise<void> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const problem = await askTemporal(address, NAMESPACE)
    if (problem === undefined) return
    if (server?.hasEnded() === true) throw explainLog(await server.readLog(), address)
    if (Date.now() > deadline) {
      const log = server === undefined ? '' : `\n${tailOf(await server.readLog())}`
      throw new StackError('start_failed', `Temporal on ${address} does not answer: ${problem.message}${log}`, problem)
    }
    await sleep(100)
  }
}

/** Why a Temporal server does not answer (for a namespace, when one is named), or undefined when it does. */
export async function askTemporal(address: string, namespace?: string): Promise<Error | undefined> {
  // Loaded on use: most commands of the CLI never talk to Temporal.
  const { Connection } = await import('@temporalio/client')
  try {
    const connection = await Connection.connect({ address, connectTimeout: 3000 })
    try {
      if (namespace !== undefined) {
        await connection.withDeadline(Date.now() + 5000, async () => {
          await connection.workflowService.describeNamespace({ namespace })
        })
      }
    } finally {
      await connection.close()
    }
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

/** Stops a dev server, by force when it does not listen. Throws `StackError` when it outlives all of it. */
export async function stopDevServer(server: ProcessIdentity): Promise<void> {
  const hasEnded = await endProcess(server, [
    { signal: 'SIGTERM', waitMs: 15_000 },
    { signal: 'SIGKILL', waitMs: 5000 },
  ])
  if (!hasEnded) throw new StackError('start_failed', `Temporal (process ${server.pid}) does not stop`)
}

function explainLog(log: string, address: string): StackError {
  const tail = tailOf(log)
  if (/address already in use|port .*(?:in use|not available)|can't (?:bind|set) /i.test(log)) {
    return new StackError('port_in_use', `Temporal cannot listen on ${address}: a port is in use.\n${tail}`)
  }
  if (/disk is full|no space left on device/i.test(log)) {
    return new StackError('disk_full', `Temporal cannot write: the disk is full.\n${tail}`)
  }
  return new StackError('start_failed', `Temporal ended while it started.\n${tail}`)
}
