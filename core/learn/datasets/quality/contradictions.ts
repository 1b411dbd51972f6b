import { hash } from 'node:crypto'
import { canonicalJson } from '../../../kernel/json/json.ts'
import { KeyTable } from '../../../compile/rows/intake/census/key-table.ts'
import { countRecords, readRecord } from '../index/row-index.ts'
import { pairOf } from '../rows/row-content.ts'
import type { StoredRow } from '../rows/stored-row.ts'
import { MOST_NAMED, type QualityReport } from './quality-report.ts'

interface Input {
  readonly output: string
  readonly firstId: string
  rows: number
  isContradictory: boolean
}

/** Finds equal inputs with different outputs among the rows of an index. Only rows whose input occurs again are read. */
export class ContradictionCensus {
  readonly #repeated: Uint8Array
  readonly #records: Buffer
  readonly #inputs = new Map<string, Input>()
  readonly #ids: string[] = []

  constructor(records: Buffer) {
    const total = countRecords(records)
    this.#records = records
    this.#repeated = new Uint8Array(total)
    const first = new KeyTable()
    for (let row = 0; row < total; row++) {
      const key = Buffer.from(readRecord(records, row).key)
      const { earlierTag } = first.put({ high: key.readUInt32BE(0), low: key.readUInt32BE(4) }, row * 2)
      if (earlierTag === null) continue
      this.#repeated[row] = 1
      this.#repeated[earlierTag >>> 1] = 1
    }
  }

  /** True for a row whose input another row has too. */
  isRepeated(place: number): boolean {
    return this.#repeated[place] === 1
  }

  /** Takes such a row. */
  add(place: number, { id, row }: StoredRow): void {
    const key = Buffer.from(readRecord(this.#records, place).key).toString('base64')
    const output = hash('sha256', canonicalJson(pairOf(row).output))
    const known = this.#inputs.get(key)
    if (known === undefined) {
      this.#inputs.set(key, { output, firstId: id, rows: 1, isContradictory: false })
      return
    }
    known.rows++
    if (known.output === output && !known.isContradictory) return
    if (!known.isContradictory) this.#name(known.firstId)
    known.isContradictory = true
    this.#name(id)
  }

  /** Returns what was found. */
  report(): NonNullable<QualityReport['contradictions']> {
    const found = [...this.#inputs.values()].filter(({ isContradictory }) => isContradictory)
    return { inputs: found.length, rows: found.reduce((sum, { rows }) => sum + rows, 0), row_ids: this.#ids }
  }

  #name(id: string): void {
    if (this.#ids.length < MOST_NAMED) this.#ids.push(id)
  }
}
