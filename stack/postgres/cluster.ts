import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown, mkdir, readFile, readdir, rename, rm, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { errorCode } from '../process/process-identity.ts'
import { StackError } from '../stack-error.ts'
import type { Account } from './account.ts'
import type { PostgresPlace } from './place.ts'

const execute = promisify(execFile)
const MAJOR_VERSION = '18'

/** A Postgres cluster on disk. */
export interface Cluster {
  readonly place: PostgresPlace
  readonly account: Account | undefined
  /** The folder that `postgres -D` takes. */
  readonly clusterDir: string
  readonly password: string
  readonly logPath: string
}

/**
 * The cluster of a place, made when there is none. It is made under another name and renamed when it is whole, so that
 * a crash in between leaves nothing that looks like one. Throws `StackError`.
 */
export async function keepCluster(
  place: PostgresPlace,
  account: Account | undefined,
  isDurable: boolean,
): Promise<Cluster> {
  const clusterDir = join(place.homeDir, 'cluster')
  const passwordPath = join(place.homeDir, 'password')
  const cluster = { place, account, clusterDir, logPath: join(place.homeDir, 'postgres.log') }
  const version = await readOptional(join(clusterDir, 'PG_VERSION'))
  if (version === undefined) {
    await removeDrafts(place.homeDir)
    const password = randomBytes(24).toString('base64url')
    await writeFile(passwordPath, password, { mode: 0o600 })
    await createCluster(cluster, password, isDurable)
    return { ...cluster, password }
  }
  if (version.trim() !== MAJOR_VERSION) {
    throw new StackError(
      'data_version',
      `${clusterDir} was made by Postgres ${version.trim()}, this is ${MAJOR_VERSION}.
Dump it with the old version, move the folder away and restore, or set DATABASE_URL.`,
    )
  }
  const password = await readOptional(passwordPath)
  if (password === undefined) {
    throw new StackError(
      'data_unusable',
      `${passwordPath} is missing, without it the cluster beside it cannot be opened`,
    )
  }
  return { ...cluster, password }
}

async function createCluster(cluster: Omit<Cluster, 'password'>, password: string, isDurable: boolean): Promise<void> {
  const { place, account, clusterDir } = cluster
  const draft = `${clusterDir}.draft-${process.pid}`
  const passwordFile = `${draft}.password`
  await mkdir(draft, { mode: 0o700 })
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 })
  try {
    if (account !== undefined) {
      await chown(draft, account.uid, account.gid)
      await chown(passwordFile, account.uid, account.gid)
    }
    const args = [
      `--pgdata=${draft}`,
      '--username=svc',
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // The same order of texts on every machine.
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--locale=C',
      ...(isDurable ? [] : ['--no-sync']),
    ]
    await execute(join(place.binDir, 'initdb'), args, {
      cwd: draft,
      env: { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' },
      ...(account !== undefined && { uid: account.uid, gid: account.gid }),
    })
    await rename(draft, clusterDir)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    throw describeFailure(clusterDir, error)
  } finally {
    await unlink(passwordFile)
  }
}

function describeFailure(clusterDir: string, error: unknown): StackError {
  const output = error instanceof Error ? error.message : String(error)
  if (output.includes('No space left on device') || errorCode(error) === 'ENOSPC') {
    return new StackError('disk_full', `the disk is full: Postgres cannot make its data in ${clusterDir}`, error)
  }
  return new StackError('start_failed', `Postgres cannot make its data in ${clusterDir}: ${output}`, error)
}

async function removeDrafts(homeDir: string): Promise<void> {
  for (const name of await readdir(homeDir)) {
    if (name.startsWith('cluster.draft-')) await rm(join(homeDir, name), { recursive: true, force: true })
  }
}

async function readOptional(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}
