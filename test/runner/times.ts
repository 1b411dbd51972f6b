import { appendFile, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { areaOf } from './select.ts'

const LONGEST = 15

/** The wall time of one test file: its modules, hooks and tests. */
export interface FileTime {
  readonly file: string
  readonly seconds: number
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

/** Lines for people: the seconds of each area and of the longest files, of one process each. */
export function describeTimes(times: readonly FileTime[], root: string): readonly string[] {
  const named = times.map(({ file, seconds }) => ({ file: relative(root, file), seconds }))
  const byArea = Object.entries(Object.groupBy(named, ({ file }) => areaOf(file)))
  const areas = byArea.map(([name, files = []]) => ({
    name: `${name} (${files.length} ${files.length === 1 ? 'file' : 'files'})`,
    seconds: files.reduce((sum, { seconds }) => sum + seconds, 0),
  }))
  const longest = named.map(({ file, seconds }) => ({ name: file, seconds }))
  return ['Seconds by area:', ...table(areas), 'Longest files:', ...table(longest).slice(0, LONGEST)]
}

function table(rows: readonly { readonly name: string; readonly seconds: number }[]): readonly string[] {
  return rows
    .toSorted((a, b) => b.seconds - a.seconds)
    .map(({ name, seconds }) => `${seconds.toFixed(1).padStart(8)}  ${name}`)
}
