import { readFile, statfs, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import {
  endProcess,
  errorCode,
  identifyProcess,
  listProcesses,
  type ProcessIdentity,
} from '../process/process-identity.ts'
import { spawnServer, tailOf, type ServerProcess } from '../process/server-process.ts'
import { StackError } from '../stack-error.ts'
import type { Cluster } from './cluster.ts'

const DATABASE = 'svc'
/** Recovery after a crash may replay much before it answers. */
const READY_TIMEOUT_MS = 180_000
/** Backends that outlive their postmaster notice within a moment; then they are ended. */
const ORPHAN_PATIENCE_MS = 3000

/** The address of the service's database on a cluster. */
export function databaseUrlOf(cluster: Cluster, port: number, database = DATABASE): string {
  return `postgres://svc:${cluster.password}@127.0.0.1:${port}/${database}`
}

/** Finds the postmaster that runs on a cluster now, also one that another process started, and its port. */
export async function findPostmaster(
  cluster: Cluster,
): Promise<{ readonly process: ProcessIdentity; readonly port: number } | undefined> {
  const lines = (await readFile(pidFile(cluster), 'utf8').catch(() => '')).split('\n')
  const [pid, port] = [Number(lines[0]), Number(lines[3])]
  if (!Number.isInteger(pid) || pid <= 0 || !Number.isInteger(port) || port <= 0) return undefined
  const identity = await identifyProcess(pid)
  // After a crash the number in the file may by now belong to any other program.
  return identity !== undefined && (await isOfCluster(pid, cluster)) ? { process: identity, port } : undefined
}

/**
 * Starts the postmaster of a cluster on a port. First it removes the lock file of a killed postmaster and
 * ends backends that still hold its shared memory. Returns before it answers. Throws `StackError`.
 */
export async function startPostmaster(cluster: Cluster, port: number, isDurable: boolean): Promise<ServerProcess> {
  await endOrphans(cluster)
  await unlink(pidFile(cluster)).catch(ignoreAbsent)
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    shared_buffers: '128MB',
    ...(await logSizes(cluster.clusterDir)),
    // Autovacuum runs every few seconds, so that intake resumes soon after a full disk.
    autovacuum_naptime: '10s',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_line_prefix: '%m [%p] ',
    // A statement that fails carries values of tenants, e-mail addresses for one: neither it nor the row it names is logged.
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    jit: 'off',
    // What is committed survives a killed process either way; only a power loss tells the two apart.
    ...(!isDurable && { fsync: 'off', full_page_writes: 'off' }),
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return await spawnServer({
    name: 'Postgres',
    file: join(cluster.place.binDir, 'postgres'),
    args: ['-D', cluster.clusterDir, '-p', String(port), ...flags],
    folder: cluster.clusterDir,
    env: { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' },
    logPath: cluster.logPath,
    ...(cluster.account !== undefined && { account: cluster.account }),
  })
}

const MB = 1024 * 1024

/**
 * Sizes of the write-ahead log for the disk it lies on: an eighth of it at most, so that the log alone cannot fill a
 * small one.
 */
async function logSizes(folder: string): Promise<Readonly<Record<'max_wal_size' | 'min_wal_size', string>>> {
  const { blocks, bsize } = await statfs(folder)
  const largest = Math.min(1024, Math.max(48, Math.floor((blocks * bsize) / 8 / MB)))
  return { max_wal_size: `${largest}MB`, min_wal_size: `${Math.min(80, largest)}MB` }
}

/** Waits until a postmaster answers and its database exists. Throws `StackError` when it ends or takes too long. */
export async function waitForPostgres(
  cluster: Cluster,
  port: number,
  { server, timeoutMs = READY_TIMEOUT_MS }: { readonly server?: ServerProcess; readonly timeoutMs?: number },
): Promise<void> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const problem = await ensureDatabase(cluster, port)
    if (problem === undefined) return
    if (server?.hasEnded() === true) throw explainLog(await server.readLog(), cluster, port)
    if (Date.now() > deadline) {
      const log = server === undefined ? '' : `\n${tailOf(await server.readLog())}`
      throw new StackError(
        'start_failed',
        `Postgres on port ${port} does not answer: ${problem.message}${log}`,
        problem,
      )
    }
    await sleep(50)
  }
}

/** Stops a postmaster: fast, then at once, then by force. Throws `StackError` when it outlives all of it. */
export async function stopPostmaster(postmaster: ProcessIdentity): Promise<void> {
  const hasEnded = await endProcess(postmaster, [
    { signal: 'SIGINT', waitMs: 20_000 },
    { signal: 'SIGQUIT', waitMs: 5000 },
    { signal: 'SIGKILL', waitMs: 5000 },
  ])
  if (!hasEnded) throw new StackError('start_failed', `Postgres (process ${postmaster.pid}) does not stop`)
}

async function ensureDatabase(cluster: Cluster, port: number): Promise<Error | undefined> {
  const client = new pg.Client({
    connectionString: databaseUrlOf(cluster, port, 'postgres'),
    connectionTimeoutMillis: 5000,
  })
  // A server that goes away while it is asked must not become an unhandled event.
  client.on('error', () => undefined)
  try {
    await client.connect()
    const found = await client.query('select 1 from pg_database where datname = $1', [DATABASE])
    if (found.rowCount === 0) await client.query(`create database ${DATABASE}`)
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  } finally {
    await client.end().catch(() => undefined)
  }
}

function explainLog(log: string, cluster: Cluster, port: number): StackError {
  const tail = tailOf(log)
  if (/could not bind|Address already in use/.test(log)) {
    return new StackError('port_in_use', `Postgres cannot listen: port ${port} is in use.\n${tail}`)
  }
  if (log.includes('No space left on device')) {
    return new StackError('disk_full', `the disk of ${cluster.clusterDir} is full.\n${tail}`)
  }
  return new StackError('start_failed', `Postgres ended while it started (log: ${cluster.logPath}).\n${tail}`)
}

async function endOrphans(cluster: Cluster): Promise<void> {
  const patienceEndsAt = Date.now() + ORPHAN_PATIENCE_MS
  for (;;) {
    const orphans = (await listProcesses()).filter(
      ({ folder, command }) => folder === cluster.clusterDir && command.startsWith('postgres'),
    )
    if (orphans.length === 0) return
    if (Date.now() > patienceEndsAt) {
      for (const { pid } of orphans) {
        const identity = await identifyProcess(pid)
        if (identity !== undefined) await endProcess(identity, [{ signal: 'SIGKILL', waitMs: 5000 }])
      }
      return
    }
    await sleep(50)
  }
}

async function isOfCluster(pid: number, cluster: Cluster): Promise<boolean> {
  const view = (await listProcesses()).find((each) => each.pid === pid)
  return view !== undefined && (view.folder === cluster.clusterDir || view.command.includes(cluster.clusterDir))
}

function pidFile(cluster: Cluster): string {
  return join(cluster.clusterDir, 'postmaster.pid')
}

function ignoreAbsent(error: unknown): void {
  if (errorCode(error) !== 'ENOENT') throw error
}
