import { canonicalJson, type Json } from '../../../kernel/json/json.ts'
import { GrowingMemory } from '../index/growing-memory.ts'
import { isLabel, isLabelTask, MAX_LABELS } from '../../../model/classifier/label-task.ts'

/** Rows by their labels. */
export interface Strata {
  readonly of: Uint32Array
  readonly sizes: readonly number[]
  /** The labels in RFC 8785 form, by their numbers; null where outputs are no labels, so that all rows are one stratum. */
  readonly labels: readonly string[] | null
}

/** Collects the outputs of rows as labels, as long as they can be labels (`detectLabelTask`), in four bytes a row. */
export class StrataCensus {
  readonly #numbers = new Map<string, number>()
  readonly #memory: GrowingMemory
  readonly #of: Uint32Array
  #rows = 0
  #isOver = false

  constructor(mostRows: number) {
    this.#memory = new GrowingMemory(mostRows * 4)
    this.#of = new Uint32Array(this.#memory.buffer)
  }

  /** Takes the output of the next row; null for none. */
  add(output: Json): void {
    const row = this.#rows++
    if (this.#isOver) return
    if (output === null || !isLabel(output)) return this.#end()
    const key = canonicalJson(output)
    let number = this.#numbers.get(key)
    if (number === undefined) {
      number = this.#numbers.size
      if (number >= MAX_LABELS) return this.#end()
      this.#numbers.set(key, number)
    }
    this.#memory.reach((row + 1) * 4)
    this.#of[row] = number
  }

  /** Returns the strata of all rows. */
  strata(): Strata {
    const rows = this.#rows
    const whole: Strata = { of: new Uint32Array(rows), sizes: [rows], labels: null }
    if (this.#isOver) return whole
    const of = this.#of.subarray(0, rows)
    const sizes = Array.from(this.#numbers, () => 0)
    for (const stratum of of) sizes[stratum] = (sizes[stratum] ?? 0) + 1
    if (!isLabelTask(sizes)) return whole
    return inOrder(of, sizes, [...this.#numbers.keys()])
  }

  #end(): void {
    this.#isOver = true
    this.#numbers.clear()
    this.#memory.buffer.resize(0)
  }
}

/** Numbers the labels by their order, so that the order of the rows does not matter. */
function inOrder(of: Uint32Array, sizes: readonly number[], labels: readonly string[]): Strata {
  const sorted = labels.map((label, before) => ({ label, before })).sort((a, b) => (a.label < b.label ? -1 : 1))
  const numbers = new Uint32Array(labels.length)
  for (const [after, { before }] of sorted.entries()) numbers[before] = after
  return {
    of: of.map((before) => numbers[before] ?? 0),
    sizes: sorted.map(({ before }) => sizes[before] ?? 0),
    labels: sorted.map(({ label }) => label),
  }
}
