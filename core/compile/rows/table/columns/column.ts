import { KeyTable, shortHash } from '../../intake/census/key-table.ts'
import { cellText, isBlank, type Cell } from '../records.ts'
import { ColumnCensus } from './cell-types.ts'

const SAMPLES = 5
const FEW_VALUES = 8

/** Facts of one column while its cells are read. */
export class Column {
  readonly census: ColumnCensus
  readonly samples: Cell[] = []
  readonly #ids: KeyTable | null
  #isDistinct = true
  #values: Set<string> | null

  constructor(name: Cell, first: Cell) {
    this.census = new ColumnCensus(first)
    const folded = typeof name === 'string' ? name.trim() : ''
    this.#ids = folded.toLowerCase() === 'id' ? new KeyTable() : null
    this.#values = folded === 'kind' ? new Set() : null
  }

  get isDistinct(): boolean {
    return this.#isDistinct
  }

  get values(): readonly string[] | null {
    return this.#values === null ? null : [...this.#values]
  }

  /** Counts a cell that comes `times` times. */
  add(cell: Cell, times = 1): void {
    this.census.add(cell, times)
    if (isBlank(cell)) return
    if (this.samples.length < SAMPLES && !this.samples.includes(cell)) this.samples.push(cell)
    if (this.#ids !== null) {
      const { earlierTag } = this.#ids.put(shortHash(cellText(cell)), 0)
      if (earlierTag !== null || times > 1) this.#isDistinct = false
    }
    this.#values?.add(cellText(cell))
    if (this.#values !== null && this.#values.size > FEW_VALUES) this.#values = null
  }
}
