import { join } from 'node:path'
import { stat, statfs } from 'node:fs/promises'
import { findPostgresAccount } from './postgres/account.ts'
import { requirePostgres } from './postgres/place.ts'
import { isPortFree } from './process/ports.ts'
import { findServices } from './supervisor/record.ts'
import { DEFAULT_CACHE_DIR, findInstalledTemporal, TEMPORAL_CLI_VERSION } from './temporal/binary.ts'
import { requireGo } from './temporal/build.ts'
import { temporalRelease } from './temporal/download.ts'

/** A requirement of the stack, and its state. */
export interface Finding {
  readonly name: string
  /** `unset`: nothing is wrong, it is only not there yet. */
  readonly state: 'ok' | 'unset' | 'bad'
  readonly detail: string
}

/** Checks what a stack needs, without starting, fetching or changing anything. */
export async function inspectStack(options: {
  readonly dataDir: string
  readonly searchPath: string
  /** Folder of a downloaded Temporal CLI; `~/.cache/svc` when absent. */
  readonly cacheDir?: string
  readonly host: string
  readonly port: number
  readonly given: { readonly databaseUrl?: string | undefined; readonly temporalAddress?: string | undefined }
}): Promise<readonly Finding[]> {
  const { dataDir, given } = options
  return await Promise.all([
    given.databaseUrl === undefined
      ? finding('postgres', async () => {
          const account = await findPostgresAccount(() => undefined, false)
          return `embedded ${await requirePostgres(account)}${account === undefined ? '' : `, as "${account.name}"`}`
        })
      : { name: 'postgres', state: 'ok', detail: 'DATABASE_URL is set' },
    given.temporalAddress === undefined
      ? inspectTemporal(options.searchPath, options.cacheDir ?? DEFAULT_CACHE_DIR)
      : { name: 'temporal', state: 'ok', detail: `TEMPORAL_ADDRESS is set: ${given.temporalAddress}` },
    inspectPort(options),
    inspectDisk(dataDir),
    inspectMasterKey(dataDir),
  ])
}

async function finding(name: string, check: () => Promise<string>): Promise<Finding> {
  try {
    return { name, state: 'ok', detail: await check() }
  } catch (error) {
    return { name, state: 'bad', detail: error instanceof Error ? error.message : String(error) }
  }
}

/** A machine on which nothing was started yet has no Temporal: that is wrong only where no start could provide one. */
async function inspectTemporal(searchPath: string, cacheDir: string): Promise<Finding> {
  const name = 'temporal'
  const installed = await findInstalledTemporal({ searchPath, cacheDir })
  if ('path' in installed) return { name, state: 'ok', detail: installed.path }
  const [download, build] = await Promise.all([
    whyNot(async () => temporalRelease(TEMPORAL_CLI_VERSION)),
    whyNot(async () => await requireGo()),
  ])
  const found = `on the PATH: ${installed.onPath}; in the cache: ${installed.inCache}`
  if (download === undefined || build === undefined) {
    const ways = [...(download === undefined ? ['downloads'] : []), ...(build === undefined ? ['builds'] : [])]
    const provided = `the first start ${ways.join(' or ')} version ${TEMPORAL_CLI_VERSION}`
    return { name, state: 'unset', detail: `not here yet, ${provided} (${found})` }
  }
  const detail = `no Temporal server can be had here (${found}; ${download}; ${build}): set TEMPORAL_ADDRESS to one that runs`
  return { name, state: 'bad', detail }
}

async function whyNot(attempt: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await attempt()
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

async function inspectPort(options: { dataDir: string; host: string; port: number }): Promise<Finding> {
  const running = await findServices(options.dataDir)
  if (running !== undefined) {
    return { name: 'service', state: 'ok', detail: `runs at ${running.apiUrl} (process ${running.owner.pid})` }
  }
  const isFree = await isPortFree(options.port, options.host)
  const detail = isFree
    ? `not running here, port ${options.port} is free`
    : `not running here, and port ${options.port} is in use by something else: SVC_PORT chooses another`
  return { name: 'service', state: 'unset', detail }
}

async function inspectDisk(dataDir: string): Promise<Finding> {
  const folder = (await stat(dataDir).catch(() => undefined)) === undefined ? join(dataDir, '..') : dataDir
  const { bavail, bsize } = await statfs(folder)
  const freeMb = Math.floor((bavail * bsize) / 1024 / 1024)
  return { name: 'disk', state: freeMb >= 300 ? 'ok' : 'bad', detail: `${freeMb} MB free for ${dataDir}` }
}

async function inspectMasterKey(dataDir: string): Promise<Finding> {
  const path = join(dataDir, 'master.key')
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) return { name: 'master key', state: 'unset', detail: 'made on the first start' }
  return (found.mode & 0o077) === 0
    ? { name: 'master key', state: 'ok', detail: path }
    : { name: 'master key', state: 'bad', detail: `${path} can be read by others: chmod 600` }
}
