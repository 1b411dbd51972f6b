import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { z } from 'zod'
import type { Json } from '../../core/kernel/json/json.ts'
import { drawRows } from '../small-sets/drawn-task.ts'
import { DRAWN_TASKS } from '../small-sets/all.ts'
import { ALL_TASKS } from '../tasks/all.ts'
import { firstRows } from '../tasks/first-rows.ts'

/** Folds by task: every figure of a task comes from weights that were fitted without its fold. */
export const FOLDS = 5
/** Rows that a search sees, unless its task needs more. */
const FIRST_ROWS = 4
/** Rows drawn of a task without an end of rows. */
const DRAWN_ROWS = 24
const DRAWN_SEEDS = [1, 2] as const

/** A task with the number of rows that the search sees; the other rows tell which programs are right. */
export interface RankingTask {
  readonly set: string
  readonly id: string
  readonly fold: number
  readonly shown: number
  readonly examples: readonly { readonly input: Json; readonly output: Json }[]
  /** Whether the search sees the inputs of the other rows too. */
  readonly withInputs: boolean
}

/** The tasks of a fit, with the digest of each source. */
export interface RankingData {
  readonly tasks: readonly RankingTask[]
  readonly digests: Readonly<Record<string, string>>
}

const DataFile = z.array(
  z.object({ id: z.string(), examples: z.array(z.object({ input: z.json(), output: z.json() })) }),
)

type Source = readonly Pick<RankingTask, 'id' | 'examples' | 'shown'>[]

function readSource(file: string): Source {
  return DataFile.parse(JSON.parse(readFileSync(file, 'utf8'))).map((task) => ({ ...task, shown: FIRST_ROWS }))
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** The fold of a task follows from its name, so that it is the same whatever other tasks there are. */
function foldOf(id: string): number {
  return Number.parseInt(digestOf(id).slice(0, 8), 16) % FOLDS
}

/** Tasks in the order of their names and rows, so that the order of the data does not count. */
function inOrder(source: Source): Source {
  return source
    .map((task) => ({ task, key: JSON.stringify([task.id, task.examples]) }))
    .toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ task }) => task)
}

function sourceDigest(source: Source): string {
  const canonical = inOrder(source).map(({ id, examples }) => ({ id, examples }))
  return `sha256:${digestOf(JSON.stringify(canonical))}`
}

/** Each task twice: without and with the inputs of the rows that are not shown. */
function tasksOf(set: string, source: Source): RankingTask[] {
  const counted = inOrder(source).filter(({ examples, shown }) => examples.length > shown)
  return [false, true].flatMap((withInputs) =>
    counted.map((task) => ({
      ...task,
      set: withInputs ? `${set}, and inputs` : set,
      fold: foldOf(task.id),
      withInputs,
    })),
  )
}

/** Rows drawn of the tasks of bench/small-sets, of which some have too few inputs. */
function drawnSource(only: string | undefined): Source {
  const tasks = DRAWN_TASKS.filter(({ name }) => only === undefined || name.includes(only))
  return tasks.flatMap((task) =>
    DRAWN_SEEDS.flatMap((seed) => {
      const id = `${task.subject}/${task.name}`
      try {
        return [{ id, examples: drawRows(task, DRAWN_ROWS, seed), shown: FIRST_ROWS }]
      } catch (error) {
        if (error instanceof RangeError) return []
        throw error
      }
    }),
  )
}

/** Tasks of this tree and of data files; drawn tasks and those of files are shown by so many rows as `shown` lists. */
export function readRankingTasks(files: readonly string[], shown: readonly number[], only?: string): RankingData {
  const own = ALL_TASKS.filter(({ name }) => only === undefined || name.includes(only)).map((task) => ({
    id: task.name,
    examples: task.examples,
    shown: firstRows(task, FIRST_ROWS),
  }))
  const tasks = tasksOf('bench/tasks', own)
  const digests: Record<string, string> = { 'bench/tasks': sourceDigest(own) }
  const read = files.map((file): [string, Source] => [basename(file), readSource(file)])
  for (const [name, source] of [['bench/small-sets', drawnSource(only)] as const, ...read]) {
    digests[name] = sourceDigest(source)
    for (const count of shown) {
      const shownSo = source.map((task) => ({ ...task, shown: count }))
      tasks.push(...tasksOf(`${name}, ${count} rows`, shownSo))
    }
  }
  return { tasks, digests }
}
