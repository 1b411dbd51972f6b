import { readdir, readFile } from 'node:fs/promises'
import type { BenchService } from './service.ts'

/** Milliseconds of one tick of the processor time that Linux reports: `USER_HZ` is 100 on every architecture. */
const TICK_MS = 10

/**
 * Returns the processor time that each process of a service has used so far, milliseconds, by its name; that of Postgres
 * with its server processes, those that have ended too. Linux only.
 */
export async function processorTimes(service: BenchService): Promise<Readonly<Record<string, number>>> {
  const processes = Object.entries(await service.processes())
  const all = await readAll()
  const times: Record<string, number> = {}
  for (const [name, identity] of processes) {
    if (identity !== undefined) times[name] = timeOf(all, identity.pid)
  }
  return times
}

/** Returns the time between two readings, by process; a process that was not there before began at 0. */
export function timesBetween(
  before: Readonly<Record<string, number>>,
  after: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(after).map(([name, ms]) => [name, ms - (before[name] ?? 0)]))
}

interface Usage {
  readonly parent: number
  /** With that of its children that have ended. */
  readonly ms: number
}

function timeOf(all: ReadonlyMap<number, Usage>, pid: number): number {
  let total = all.get(pid)?.ms ?? 0
  for (const [child, { parent }] of all) if (parent === pid) total += timeOf(all, child)
  return total
}

async function readAll(): Promise<ReadonlyMap<number, Usage>> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const all = new Map<number, Usage>()
  for (const pid of pids) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
    if (stat === undefined) continue
    // proc_pid_stat(5): the name stands in brackets; then come state (3rd), ppid (4th) and utime to cstime (14th to 17th).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
    all.set(pid, { parent: Number(fields[1]), ms: ticks * TICK_MS })
  }
  return all
}
