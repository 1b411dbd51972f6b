import { execFile } from 'node:child_process'
import { readFile, readdir, readlink } from 'node:fs/promises'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** A process. Its start time distinguishes it from a later process with the same number. */
export interface ProcessIdentity {
  readonly pid: number
  /** Opaque; equal for one process, different for the next that gets its number. */
  readonly startedAt: string
}

/** A running process as other processes see it. */
export interface ProcessView {
  readonly pid: number
  readonly command: string
  /** Its working folder, where the system tells it. */
  readonly folder: string | undefined
}

/** Returns the identity of the process with this number; undefined when there is none, or only a zombie. */
export async function identifyProcess(pid: number): Promise<ProcessIdentity | undefined> {
  const startedAt = process.platform === 'linux' ? await startOnLinux(pid) : await startByPs(pid)
  return startedAt === undefined ? undefined : { pid, startedAt }
}

/** The identity of this process. */
export async function identifySelf(): Promise<ProcessIdentity> {
  const self = await identifyProcess(process.pid)
  if (self === undefined) throw new Error('this process cannot see itself')
  return self
}

/** True while exactly this process runs. */
export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  return (await identifyProcess(identity.pid))?.startedAt === identity.startedAt
}

/** True when both name one process. */
export function isSameProcess(one: ProcessIdentity, other: ProcessIdentity): boolean {
  return one.pid === other.pid && one.startedAt === other.startedAt
}

/**
 * Sends the signals one after the other, each with its time to take effect, until the process is gone. Returns false
 * when it outlived them all.
 */
export async function endProcess(
  identity: ProcessIdentity,
  steps: readonly { readonly signal: NodeJS.Signals; readonly waitMs: number }[],
): Promise<boolean> {
  for (const { signal, waitMs } of steps) {
    if (!(await isAlive(identity))) return true
    try {
      process.kill(identity.pid, signal)
    } catch (error) {
      if (errorCode(error) === 'ESRCH') return true
      throw error
    }
    const deadline = Date.now() + waitMs
    while (Date.now() < deadline) {
      await new Promise((wake) => setTimeout(wake, 25))
      if (!(await isAlive(identity))) return true
    }
  }
  return !(await isAlive(identity))
}

/** Every process this user can see. */
export async function listProcesses(): Promise<readonly ProcessView[]> {
  if (process.platform !== 'linux') return await listByPs()
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const views = await Promise.all(
    names.map(async (name): Promise<ProcessView | undefined> => {
      const command = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '')
      // No command line: a thread of the kernel, or a process that only waits to be reaped.
      if (command === '') return undefined
      const folder = await readlink(`/proc/${name}/cwd`).catch(() => undefined)
      return { pid: Number(name), command: command.replaceAll('\0', ' ').trim(), folder }
    }),
  )
  return views.filter((view) => view !== undefined)
}

/** The `code` of a system error, or undefined. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

async function startOnLinux(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  if (stat === undefined) return undefined
  // proc_pid_stat(5): the name stands in brackets and may hold spaces; then come state (3rd) and starttime (22nd).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, startTicks] = [fields[0], fields[19]]
  if (state === 'Z' || state === 'X' || startTicks === undefined) return undefined
  // Ticks count from the boot, so that the boot belongs to the identity.
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')
  return `${boot.trim().slice(0, 8)}:${startTicks}`
}

async function startByPs(pid: number): Promise<string | undefined> {
  try {
    const { stdout } = await execute('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { env: { LC_ALL: 'C' } })
    const [state, ...start] = stdout.trim().split(/\s+/)
    return state === undefined || state === '' || state.startsWith('Z') ? undefined : start.join(' ')
  } catch {
    return undefined
  }
}

async function listByPs(): Promise<readonly ProcessView[]> {
  const { stdout } = await execute('ps', ['-axo', 'pid=,command='], { maxBuffer: 16 * 1024 * 1024 })
  return stdout.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+(.*)$/.exec(line)
    return match === null ? [] : [{ pid: Number(match[1]), command: match[2] ?? '', folder: undefined }]
  })
}
