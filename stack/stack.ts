import { chmod, mkdir, statfs } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { acquireServer, releaseServers, STOP_SERVER, withCustody, type Custody } from './custody.ts'
import { checkDatabase, checkTemporal } from './given.ts'
import { withLock } from './process/lock.ts'
import type { ManagedServer, ServerOrigin } from './managed-server.ts'
import { keepMasterKey } from './master-key.ts'
import { openPostgres } from './postgres/managed.ts'
import { databaseUrlOf } from './postgres/server.ts'
import { errorCode, identifySelf, type ProcessIdentity } from './process/process-identity.ts'
import { readRecord, writeRecord, type StackRecord } from './record.ts'
import { StackError } from './stack-error.ts'
import { DEFAULT_CACHE_DIR } from './temporal/binary.ts'
import { openTemporal } from './temporal/managed.ts'

const NEEDED_DISK_BYTES = 300 * 1024 * 1024

/** The options of a stack. */
export interface StackOptions {
  /** Folder of everything that is kept. */
  readonly dataDir: string
  /** Servers that the operator provides; the stack starts none in their place. */
  readonly given?: {
    readonly databaseUrl?: string | undefined
    readonly temporalAddress?: string | undefined
    readonly masterKey?: Buffer | undefined
  }
  /** Folders searched for a `temporal` command: the `PATH` of this process. */
  readonly searchPath: string
  /** Folder of a downloaded Temporal CLI; `~/.cache/svc` when absent. */
  readonly cacheDir?: string
  /** False when a missing Temporal CLI is neither downloaded nor built. */
  readonly canFetch?: boolean
  /** False gives up safety against power loss for speed, for tests. */
  readonly isDurable?: boolean
  /** The process that owns what is started, when it is not this one. */
  readonly owner?: ProcessIdentity
  readonly log: (line: string) => void
}

/** Postgres and Temporal, running. */
export interface Stack {
  readonly dataDir: string
  readonly databaseUrl: string
  readonly temporalAddress: string
  /** Folder of the embedded Postgres's files; undefined for a Postgres that was given. */
  readonly databaseDir: string | undefined
  /** Temporal's web pages; undefined for a Temporal that was given. */
  readonly temporalUiUrl: string | undefined
  readonly masterKey: Buffer
  readonly origins: { readonly postgres: ServerOrigin; readonly temporal: ServerOrigin }
  /** The processes of what is not given. */
  readonly processes: { readonly postgres?: ProcessIdentity; readonly temporal?: ProcessIdentity }
  /** Starts again what died, on the same ports, and answers the names of it. Throws `StackError`. */
  restartDead(): Promise<readonly ManagedServer['name'][]>
  /** Stops what this owner started or took over, Temporal first. Safe to call again. */
  stop(): Promise<void>
}

/**
 * Starts Postgres and Temporal, or finds them when they run already. A running server whose owner
 * has ended is taken over. Only the process that started a server or took it over stops it. Throws `StackError`.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const dataDir = resolve(options.dataDir)
  const { given = {}, log } = options
  const owner = options.owner ?? (await identifySelf())
  await prepareFolder(dataDir)
  const parts = await lockStack(dataDir, log, async () => await acquireParts(dataDir, options, owner))
  if (given.databaseUrl !== undefined) await checkDatabase(given.databaseUrl)
  if (given.temporalAddress !== undefined) await checkTemporal(given.temporalAddress)
  const { postgres, temporal } = parts
  const databaseUrl = given.databaseUrl ?? postgres?.url
  const temporalAddress = given.temporalAddress ?? temporal?.address
  if (databaseUrl === undefined || temporalAddress === undefined) throw new Error('a part of the stack is missing')

  const masterKey = given.masterKey ?? (await ownMasterKey(dataDir, log))
  return {
    dataDir,
    databaseUrl,
    databaseDir: postgres?.dir,
    temporalAddress,
    temporalUiUrl: temporal?.uiUrl,
    masterKey,
    origins: { postgres: postgres?.custody.origin ?? 'given', temporal: temporal?.custody.origin ?? 'given' },
    processes: {
      ...(postgres !== undefined && { postgres: postgres.custody.server.process }),
      ...(temporal !== undefined && { temporal: temporal.custody.server.process }),
    },
    restartDead: async () => await restartDead(dataDir, [postgres, temporal], owner, log),
    stop: async () => await stopStack(dataDir, owner, log),
  }
}

/** Stops every server of a data folder that an owner started or took over, Temporal first. */
export async function stopStack(dataDir: string, owner: ProcessIdentity, log: (line: string) => void): Promise<void> {
  await lockStack(dataDir, log, async () => await releaseServers(dataDir, owner))
}

/** One server of a stack and whose it is. */
interface Part {
  readonly managed: ManagedServer
  readonly custody: Custody
}

interface Parts {
  readonly postgres?: Part & { readonly url: string; readonly dir: string }
  readonly temporal?: Part & { readonly address: string; readonly uiUrl: string | undefined }
}

async function acquireParts(dataDir: string, options: StackOptions, owner: ProcessIdentity): Promise<Parts> {
  const { given = {} } = options
  const record = await readRecord(dataDir)
  const [postgres, temporal] = await Promise.allSettled([
    given.databaseUrl === undefined ? acquirePostgres(dataDir, options, owner, record) : undefined,
    given.temporalAddress === undefined ? acquireTemporal(dataDir, options, owner, record) : undefined,
  ])
  const parts: Parts = {
    ...(postgres.status === 'fulfilled' && postgres.value !== undefined && { postgres: postgres.value }),
    ...(temporal.status === 'fulfilled' && temporal.value !== undefined && { temporal: temporal.value }),
  }
  await writeRecord(dataDir, [parts.postgres, parts.temporal].reduce(addPart, record))
  const failed = [postgres, temporal].find((result) => result.status === 'rejected')
  if (failed === undefined) return parts
  // Half a stack is of no use to anyone: what was started for it goes again.
  await releaseServers(dataDir, owner)
  throw failed.reason
}

async function acquirePostgres(dataDir: string, options: StackOptions, owner: ProcessIdentity, record: StackRecord) {
  const { log, isDurable = true } = options
  const { server, cluster } = await openPostgres({ dataDir, isDurable, lastPort: record.ports['postgres'], log })
  const custody = await acquireServer(server, record.postgres, owner, { log, stop: STOP_SERVER.postgres })
  return {
    managed: server,
    custody,
    url: databaseUrlOf(cluster, custody.server.port),
    dir: dirname(cluster.clusterDir),
  }
}

async function acquireTemporal(dataDir: string, options: StackOptions, owner: ProcessIdentity, record: StackRecord) {
  const { log, searchPath, isDurable = true, canFetch = true, cacheDir = DEFAULT_CACHE_DIR } = options
  const [lastPort, lastUiPort] = [record.ports['temporal'], record.ports['temporal-ui']]
  const managed = openTemporal({ dataDir, isDurable, searchPath, cacheDir, canFetch, lastPort, lastUiPort, log })
  const custody = await acquireServer(managed, record.temporal, owner, { log, stop: STOP_SERVER.temporal })
  const { port, uiPort } = custody.server
  const uiUrl = uiPort === undefined ? undefined : `http://127.0.0.1:${uiPort}`
  return { managed, custody, address: `127.0.0.1:${port}`, uiUrl }
}

async function restartDead(
  dataDir: string,
  parts: readonly (Part | undefined)[],
  owner: ProcessIdentity,
  log: (line: string) => void,
): Promise<readonly ManagedServer['name'][]> {
  const dead: Part[] = []
  for (const part of parts) {
    if (part !== undefined && (await part.managed.find()) === undefined) dead.push(part)
  }
  if (dead.length === 0) return []
  return await lockStack(dataDir, log, async () => {
    const record = await readRecord(dataDir)
    let changed = record
    for (const { managed, custody } of dead) {
      const { port } = custody.server
      const acquired = await acquireServer(managed, record[managed.name], owner, {
        port,
        log,
        stop: STOP_SERVER[managed.name],
      })
      changed = withCustody(changed, managed.name, acquired)
      await writeRecord(dataDir, changed)
    }
    return dead.map(({ managed }) => managed.name)
  })
}

function addPart(record: StackRecord, part: Part | undefined): StackRecord {
  return part === undefined ? record : withCustody(record, part.managed.name, part.custody)
}

async function lockStack<T>(dataDir: string, log: (line: string) => void, work: () => Promise<T>): Promise<T> {
  return await withLock(join(dataDir, 'stack.lock'), work, () => {
    log('another process is starting or stopping this stack: waiting for it')
  })
}

/** Makes the data folder, with a mode that the servers in it can work with. Throws `StackError` when it cannot be used. */
export async function prepareFolder(dataDir: string): Promise<void> {
  try {
    // Root's Postgres runs as another user, who has to pass through; every secret in here has a mode of its own.
    const mode = process.getuid?.() === 0 ? 0o711 : 0o700
    await mkdir(dataDir, { recursive: true, mode })
    await chmod(dataDir, mode)
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOSPC') throw new StackError('disk_full', `the disk is full: cannot make ${dataDir}`, error)
    throw new StackError('data_unusable', `cannot use ${dataDir} (${code}): set SVC_DATA_DIR to another folder`, error)
  }
  const { bavail, bsize } = await statfs(dataDir)
  if (bavail * bsize >= NEEDED_DISK_BYTES) return
  const freeMb = Math.floor((bavail * bsize) / 1024 / 1024)
  const neededMb = NEEDED_DISK_BYTES / 1024 / 1024
  throw new StackError(
    'disk_full',
    `${dataDir} has ${freeMb} MB left, Postgres and Temporal need ${neededMb} MB to start`,
  )
}

async function ownMasterKey(dataDir: string, log: (line: string) => void): Promise<Buffer> {
  const { key, path, isNew } = await keepMasterKey(dataDir)
  if (isNew) log(`made a master key at ${path}: without it no stored secret can be read, so back it up`)
  return key
}
