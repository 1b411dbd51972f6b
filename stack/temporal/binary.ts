import { execFile } from 'node:child_process'
import { access, constants, mkdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { withLock } from '../process/lock.ts'
import { StackError } from '../stack-error.ts'
import { buildTemporal } from './build.ts'
import { downloadTemporal } from './download.ts'

const execute = promisify(execFile)

/** The Temporal CLI that the project is made with. */
export const TEMPORAL_CLI_VERSION = '1.5.1'
/** The oldest server that knows everything that the workflows use. */
const OLDEST_SERVER = [1, 25] as const

/** The folder that keeps what was fetched between checkouts. */
export const DEFAULT_CACHE_DIR = join(homedir(), '.cache', 'svc')

/** Places searched for a Temporal CLI, and a listener for progress. */
export interface TemporalSearch {
  /** The `PATH` of this process. */
  readonly searchPath: string
  /** The folder that keeps it between checkouts. */
  readonly cacheDir: string
  /** False leaves out the download and the build. */
  readonly canFetch: boolean
  readonly log: (line: string) => void
}

/** One way of getting the CLI: its path, or why this way does not lead to one. */
type Attempt = { readonly path: string } | { readonly reason: string }

/** A CLI that is on this machine, or why neither place holds one that can be used. */
export type InstalledTemporal =
  | { readonly path: string }
  | { readonly cached: string; readonly onPath: string; readonly inCache: string }

/** Looks for the CLI on the PATH, then in the cache. Fetches and changes nothing. */
export async function findInstalledTemporal(
  search: Pick<TemporalSearch, 'searchPath' | 'cacheDir'>,
): Promise<InstalledTemporal> {
  const onPath = await tryPath(search.searchPath)
  if ('path' in onPath) return onPath
  const cached = join(search.cacheDir, `temporal-v${TEMPORAL_CLI_VERSION}`, 'temporal')
  const inCache = await tryExecutable(cached)
  return 'path' in inCache ? inCache : { cached, onPath: onPath.reason, inCache: inCache.reason }
}

/**
 * The Temporal CLI, by the first of four ways that works: one on the PATH, one in the cache, the official download
 * (pinned by its digest), a build with Go. The last two leave it in the cache. Throws `StackError` `no_temporal`, which
 * names all four and why each failed.
 */
export async function findTemporalBinary(search: TemporalSearch): Promise<string> {
  const installed = await findInstalledTemporal(search)
  if ('path' in installed) return installed.path
  const { cached, onPath, inCache } = installed

  await mkdir(search.cacheDir, { recursive: true })
  const waits = () => search.log('another process is fetching the Temporal CLI: waiting for it')
  return await withLock(
    join(search.cacheDir, 'temporal.lock'),
    async () => {
      const made = await tryExecutable(cached)
      if ('path' in made) return made.path
      const fetchBy = async (make: () => Promise<void>): Promise<Attempt> =>
        search.canFetch ? await attempt(make, cached) : { reason: 'not allowed here' }
      const downloaded = await fetchBy(() => downloadTemporal(TEMPORAL_CLI_VERSION, cached, search.log))
      if ('path' in downloaded) return downloaded.path
      if (search.canFetch) search.log(`Temporal CLI: download not possible (${downloaded.reason})`)
      const built = await fetchBy(() => buildTemporal(TEMPORAL_CLI_VERSION, cached, search.log))
      if ('path' in built) return built.path
      const explanation = [
        'no Temporal server can be had here. What was tried, in order:',
        `  1. a "temporal" on the PATH: ${onPath}`,
        `  2. a cached one at ${cached}: ${inCache}`,
        `  3. the official download of version ${TEMPORAL_CLI_VERSION}: ${downloaded.reason}`,
        `  4. go install github.com/temporalio/cli/cmd/temporal@v${TEMPORAL_CLI_VERSION}: ${built.reason}`,
        'Make one of them work, or set TEMPORAL_ADDRESS to a server that runs.',
      ]
      throw new StackError('no_temporal', explanation.join('\n'))
    },
    waits,
  )
}

async function tryPath(searchPath: string): Promise<Attempt> {
  const reasons: string[] = []
  for (const folder of searchPath.split(delimiter).filter((each) => each !== '')) {
    const file = join(folder, process.platform === 'win32' ? 'temporal.exe' : 'temporal')
    const found = await access(file, constants.X_OK).then(
      () => tryExecutable(file),
      () => undefined,
    )
    if (found === undefined) continue
    if ('path' in found) return found
    reasons.push(`${file}: ${found.reason}`)
  }
  return { reason: reasons.length === 0 ? 'there is none' : reasons.join('; ') }
}

async function tryExecutable(file: string): Promise<Attempt> {
  const isThere = await access(file).then(
    () => true,
    () => false,
  )
  if (!isThere) return { reason: 'there is none' }
  try {
    const { stdout } = await execute(file, ['--version'], { timeout: 15_000 })
    const server = /Server (\d+)\.(\d+)/.exec(stdout)
    if (server === null) return { reason: `it is not the Temporal CLI: ${stdout.trim().slice(0, 80)}` }
    const [major, minor] = [Number(server[1]), Number(server[2])]
    const isNewEnough = major > OLDEST_SERVER[0] || (major === OLDEST_SERVER[0] && minor >= OLDEST_SERVER[1])
    return isNewEnough
      ? { path: file }
      : { reason: `it holds server ${major}.${minor}, at least ${OLDEST_SERVER.join('.')} is needed` }
  } catch (error) {
    return { reason: `it does not run: ${messageOf(error)}` }
  }
}

async function attempt(make: () => Promise<void>, result: string): Promise<Attempt> {
  try {
    await make()
  } catch (error) {
    return { reason: messageOf(error) }
  }
  return await tryExecutable(result)
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // fetch hides the reason (no such host, refused, timed out) in the cause.
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : ''
  return `${error.message.split('\n')[0] ?? ''}${cause}`
}
