import { readFileSync } from 'node:fs'
import { appendFile, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { areaOf } from './select.ts'

const LONGEST = 15

/** The wall time of one test file: its modules, hooks and tests. */
export interface FileTime {
  readonly file: string
  readonly seconds: number
  /** Processor time of its process and of the ended processes that it started, without Postgres and Temporal. */
  readonly cpuSeconds: number
}

/** Ticks of Linux's clock in a second, the same on all its machines. */
const TICKS = 100

/**
 * Seconds of processor time that this process, its ended children and these running ones took so far; of this process alone
 * where there is no Linux.
 */
export function processorSeconds(running: readonly number[] = []): number {
  try {
    return sum(['self', ...running].map(secondsOf))
  } catch {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  }
}

function secondsOf(process: number | string): number {
  // After the name, which may hold spaces, the ticks of the process and of its ended children are fields 12 to 15.
  const [, fields = ''] = readFileSync(`/proc/${process}/stat`, 'utf8').split(') ')
  return sum(fields.split(' ').slice(11, 15).map(Number)) / TICKS
}

/** Adds the time of a file to those of the run whose folder this is. */
export async function recordTime(folder: string, time: FileTime): Promise<void> {
  await appendFile(join(folder, 'times.jsonl'), `${JSON.stringify(time)}\n`)
}

/** The times of the files that have ended in a run. */
export async function readTimes(folder: string): Promise<readonly FileTime[]> {
  const text = await readFile(join(folder, 'times.jsonl'), 'utf8').catch(() => '')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): FileTime => JSON.parse(line))
}

/** Lines for people: the seconds and the processor seconds of each area and of the longest files, of one process each. */
export function describeTimes(times: readonly FileTime[], root: string): readonly string[] {
  const named = times.map(({ file, ...time }) => ({ name: relative(root, file), ...time }))
  const areas = Object.entries(Object.groupBy(named, ({ name }) => areaOf(name))).map(([name, files = []]) => ({
    name: `${name} (${files.length} ${files.length === 1 ? 'file' : 'files'})`,
    seconds: sum(files.map(({ seconds }) => seconds)),
    cpuSeconds: sum(files.map(({ cpuSeconds }) => cpuSeconds)),
  }))
  return [
    'Seconds, and of the processor, by area:',
    ...table(areas),
    'Longest files:',
    ...table(named).slice(0, LONGEST),
  ]
}

function table(rows: readonly { readonly name: string; readonly seconds: number; readonly cpuSeconds: number }[]) {
  return rows
    .toSorted((a, b) => b.seconds - a.seconds)
    .map(
      ({ name, ...row }) => `${row.seconds.toFixed(1).padStart(8)} ${row.cpuSeconds.toFixed(1).padStart(7)}  ${name}`,
    )
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
