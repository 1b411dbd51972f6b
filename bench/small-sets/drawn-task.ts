import { canonicalJson, type Json } from '../../core/kernel/json/json.ts'
import { createRandom, type Random } from '../../core/model/random.ts'
import type { Row } from '../../core/compile/rows/task.ts'

/** A task without an end of rows: inputs are drawn, and a plain function says what each becomes. */
export interface DrawnTask {
  readonly name: string
  readonly subject: string
  /** A row with an input drawn from a generator. */
  draw(random: Random): Pick<Row, 'input' | 'output'>
}

/** Makes a task from a draw of inputs and the plain function that is to be found again. */
export function drawnTask<I extends Json>(
  subject: string,
  name: string,
  draw: (random: Random) => I,
  reference: (input: I) => Json,
): DrawnTask {
  return {
    name,
    subject,
    draw: (random) => {
      const input = draw(random)
      return { input, output: reference(input) }
    },
  }
}

/** Attempts for each row; a task whose inputs are spent before is too narrow for a measurement. */
const ATTEMPTS_PER_ROW = 200

/** Rows with distinct inputs. Throws `RangeError` when the task has too few of them. */
export function drawRows(task: DrawnTask, count: number, seed: number): readonly Row[] {
  const random = createRandom(seed, task.name)
  const seen = new Set<string>()
  const rows: Row[] = []
  for (let attempt = 0; rows.length < count; attempt++) {
    if (attempt > count * ATTEMPTS_PER_ROW) throw new RangeError(`${task.name} has fewer than ${count} inputs`)
    const row = task.draw(random)
    const key = canonicalJson(row.input)
    if (seen.has(key)) continue
    seen.add(key)
    rows.push({ id: `row_${rows.length + 1}`, ...row })
  }
  return rows
}

/** One of the items, each as likely. */
export function oneOf<T>(random: Random, items: readonly T[]): T {
  const item = items[random.below(items.length)]
  if (item === undefined) throw new RangeError('there is no item to choose from')
  return item
}

/** True in so many of a hundred draws. */
export function happens(random: Random, percent: number): boolean {
  return random.below(100) < percent
}

/** A whole number from `low` to `high`. */
export function between(random: Random, low: number, high: number): number {
  return low + random.below(high - low + 1)
}

/** Digits, the first of them not 0. */
export function digits(random: Random, count: number): string {
  return Array.from({ length: count }, (_, place) => between(random, place === 0 ? 1 : 0, 9)).join('')
}

/** A number in two places at least. */
export function two(value: number): string {
  return String(value).padStart(2, '0')
}

/** Distinct items in the order in which they are drawn. */
export function someOf<T>(random: Random, items: readonly T[], count: number): readonly T[] {
  const left = [...items]
  const chosen: T[] = []
  while (chosen.length < count && left.length > 0) chosen.push(...left.splice(random.below(left.length), 1))
  return chosen
}
