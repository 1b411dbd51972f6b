import { execFile } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { totalmem } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const GPU_QUERY_MS = 5000
const MIB = 1024 * 1024
const GB = 1e9

/** A GPU as nvidia-smi lists it; `architecture` such as `sm_90`. */
export interface Gpu {
  readonly name: string
  readonly memoryGb: number
  readonly architecture: string | null
}

/** The memory of this machine, GB (10^9 bytes). */
export function memoryGb(): number {
  return totalmem() / GB
}

/** The GPUs that nvidia-smi lists; none where it is not installed or does not answer. */
export async function listGpus(): Promise<readonly Gpu[]> {
  const query = ['--query-gpu=name,memory.total,compute_cap', '--format=csv,noheader,nounits']
  const { stdout } = await run('nvidia-smi', query, { timeout: GPU_QUERY_MS }).catch(() => ({ stdout: '' }))
  return stdout.split('\n').flatMap((line): Gpu[] => {
    const [name, mib, capability] = line.split(',').map((part) => part.trim())
    if (name === undefined || !/^\d+$/.test(mib ?? '')) return []
    const architecture = /^\d+\.\d+$/.test(capability ?? '') ? `sm_${capability?.replace('.', '')}` : null
    return [{ name, memoryGb: (Number(mib) * MIB) / GB, architecture }]
  })
}

/** True when nvidia-smi reports that the GPUs run in confidential computing mode. */
export async function areGpusConfidential(): Promise<boolean> {
  const { stdout } = await run('nvidia-smi', ['conf-compute', '-f'], { timeout: GPU_QUERY_MS }).catch(() => ({
    stdout: '',
  }))
  return /CC status:\s*ON/i.test(stdout)
}

/** True when one of the paths exists. */
export async function isAnyThere(paths: readonly string[]): Promise<boolean> {
  const found = await Promise.all(paths.map(async (path) => await isThere(path, constants.F_OK)))
  return found.includes(true)
}

/** True when one of the folders of a search path holds one of the commands. */
export async function isCommandThere(commands: readonly string[], searchPath: string): Promise<boolean> {
  const folders = searchPath.split(delimiter).filter((folder) => folder !== '')
  const places = folders.flatMap((folder) => commands.map((command) => join(folder, command)))
  const found = await Promise.all(places.map(async (place) => await isThere(place, constants.X_OK)))
  return found.includes(true)
}

async function isThere(path: string, mode: number): Promise<boolean> {
  return await access(path, mode).then(
    () => true,
    () => false,
  )
}
