import { createHash } from 'node:crypto'
import type { Json } from '../../../core/kernel/json/json.ts'
import type { Sketch } from '../../../core/compile/runtime/routing/sketch.ts'
import { decodeSketch, encodeSketch, sketchInputs } from '../../../core/compile/runtime/routing/sketch.ts'
import { wordsOf } from '../../../core/kernel/search/words.ts'
import { mulberry32 } from '../../../core/model/classifier/logistic-regression.ts'
import { DOCUMENT_TASKS } from '../../documents/all.ts'
import { DRAWN_TASKS } from '../../small-sets/all.ts'
import { ITEMS } from '../../small-sets/words.ts'
import { drawRows } from '../../small-sets/drawn-task.ts'
import { ALL_TASKS } from '../../tasks/all.ts'
import type { BenchTask } from '../../tasks/task.ts'

/** Calls for a router: some for concepts, some for none. */
export const CALL_KINDS = [
  'own input, own query',
  'own input, query about nothing',
  'foreign input, foreign query',
  'foreign input, foreign query in the words of a concept',
  "foreign input, a concept's query",
  'foreign input, query about nothing',
] as const
export type CallKind = (typeof CALL_KINDS)[number]

/** A call, and the place of the concept that it is for; -1 for none. */
export interface RoutingCall {
  readonly kind: CallKind
  readonly query: string
  readonly input: Json
  readonly own: number
  /** True for an input in a form that other tasks have too: of an own input, another concept; of a foreign one, any. */
  readonly isShared: boolean
}

/** Concepts of some tasks, and calls. */
export interface RoutingWorld {
  readonly concepts: readonly { readonly text: string; readonly sketch: Sketch | null }[]
  readonly calls: readonly RoutingCall[]
}

/** Queries that are about no task. */
const EMPTY_QUERIES = [
  'please handle this input',
  'do what fits',
  'run the right recipe',
  'can you take care of it',
  'same as always',
]
/** Words around the core of a task, and around a query. */
const DESCRIPTIONS = [
  'Write the value in the form that the monthly report needs',
  'The nightly import of the warehouse reads it',
  'Answer as our partners expect it in their files',
  'Rows come from the customer portal and the branch offices',
]
const WRAPPINGS = ['', '', 'Please ', 'I need this: ', 'Convert the attached entry: ']
/** Words that make a description one of its own. */
const MOST_OWN_WORDS = 4

/** Fresh inputs of one concept. */
const MOST_FRESH = 8
/** Calls with inputs of one foreign task. */
const FOREIGN_CALLS = 4

/**
 * Returns one task for each list of inputs: tasks that share their inputs cannot be distinguished by them. They are halved by
 * a digest of their names: the weights are fitted on one half, and the figures are those of the other.
 */
export function routingTasks(half: 'fit' | 'report'): readonly BenchTask[] {
  const byInputs = new Map<string, BenchTask>()
  for (const task of ALL_TASKS) {
    const inputs = JSON.stringify(task.examples.map(({ input }) => input))
    if (!byInputs.has(inputs)) byInputs.set(inputs, task)
  }
  const halved = [...byInputs.values()].filter(
    (task) => seedOf(`split ${task.category} ${task.name}`) % 2 === (half === 'fit' ? 0 : 1),
  )
  return half === 'fit' ? [...halved, ...drawnTasks()] : halved
}

/** Numbers of rows of drawn tasks, in turn: the tasks of bench/tasks have 24 at most. */
const DRAWN_ROWS = [15, 45, 150]

/** Tasks whose rows are drawn, which no figure is reported on. */
function drawnTasks(): readonly BenchTask[] {
  return [...DRAWN_TASKS, ...DOCUMENT_TASKS].flatMap((task, at) => {
    try {
      return [{ name: task.name, category: task.subject, examples: drawRows(task, DRAWN_ROWS[at % 3] ?? 15, at) }]
    } catch (error) {
      // A task with few different inputs is left out.
      if (error instanceof RangeError) return []
      throw error
    }
  })
}

/**
 * Draws a world: `count` tasks are concepts, known by two thirds of their inputs; the other third are their fresh inputs.
 * As many others are foreign. A concept is described by its category and name, with up to two sentences and four words more; a
 * query is the name of a task, sometimes without one of its words or wrapped into others.
 */
export function drawWorld(tasks: readonly BenchTask[], count: number, seed: number): RoutingWorld {
  const random = mulberry32(seed)
  const shuffled = shuffle(tasks, random)
  const own = shuffled.slice(0, count)
  const foreign = shuffled.slice(count, 2 * count)
  const parts = own.map((task) => {
    const inputs = shuffle(
      task.examples.map(({ input }) => input),
      random,
    )
    const most = Math.ceil((inputs.length * 2) / 3)
    return { task, known: inputs.slice(0, most), fresh: inputs.slice(most, most + MOST_FRESH) }
  })
  const empty = (): string => EMPTY_QUERIES[Math.floor(random() * EMPTY_QUERIES.length)] ?? ''
  const calls: RoutingCall[] = []
  const descriptions = own.map((task) => describe(task, random))
  const known = descriptions.map((text) => new Set(wordsOf(text)))
  const forms = own.map((task) => new Set(task.examples.map(({ input }) => plainForm(input))))
  for (const [at, { task, fresh }] of parts.entries()) {
    for (const input of fresh) {
      const isShared = forms.some((other, place) => place !== at && other.has(plainForm(input)))
      calls.push({ kind: 'own input, own query', query: askFor(task, random), input, own: at, isShared })
      calls.push({ kind: 'own input, query about nothing', query: empty(), input, own: at, isShared })
    }
  }
  for (const task of foreign) {
    for (const { input } of shuffle(task.examples, random).slice(0, FOREIGN_CALLS)) {
      const other = own[Math.floor(random() * own.length)] ?? task
      const isShared = forms.some((of) => of.has(plainForm(input)))
      const query = askFor(task, random)
      const isKnown = known.some((words) => wordsOf(query).every((word) => words.has(word)))
      const kind = `foreign input, foreign query${isKnown ? ' in the words of a concept' : ''}` as const
      calls.push({ kind, query, input, own: -1, isShared })
      calls.push({ kind: "foreign input, a concept's query", query: askFor(other, random), input, own: -1, isShared })
      calls.push({ kind: 'foreign input, query about nothing', query: empty(), input, own: -1, isShared })
    }
  }
  const concepts = parts.map(({ known: inputs }, at) => ({
    text: descriptions[at] ?? '',
    sketch: decodeSketch(encodeSketch(sketchInputs(inputs))),
  }))
  return { concepts, calls }
}

/**
 * The form of an input, by a definition of its own: words and numbers are one letter each, whatever their length; objects
 * and lists keep their members.
 */
function plainForm(input: Json): string {
  if (typeof input === 'string') return input.replaceAll(/[\p{L}\p{M}]+/gu, 'a').replaceAll(/\p{N}+/gu, '9')
  if (typeof input === 'number' || input === null || typeof input === 'boolean') return typeof input
  if (Array.isArray(input))
    return `[${[...new Set(input.map((element: Json) => plainForm(element)))].toSorted().join()}]`
  return `{${Object.entries(input)
    .map(([name, inner]) => `${name}:${inner === undefined ? '' : typeof inner}`)
    .toSorted()
    .join()}}`
}

function describe({ category, name }: BenchTask, random: () => number): string {
  const sentences = shuffle(DESCRIPTIONS, random).slice(0, Math.floor(random() * 3))
  const words = shuffle(ITEMS, random).slice(0, Math.floor(random() * (MOST_OWN_WORDS + 1)))
  return [`${category}: ${name}`, ...sentences, words.join(' ')].join('. ')
}

function askFor({ name }: BenchTask, random: () => number): string {
  const words = name.split(' ')
  const dropped = words.length > 2 && random() < 0.3 ? Math.floor(random() * words.length) : -1
  const wrapping = WRAPPINGS[Math.floor(random() * WRAPPINGS.length)] ?? ''
  return `${wrapping}${words.filter((_, at) => at !== dropped).join(' ')}`
}

function seedOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0)
}

function shuffle<T>(list: readonly T[], random: () => number): readonly T[] {
  return list
    .map((item) => ({ item, key: random() }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ item }) => item)
}
