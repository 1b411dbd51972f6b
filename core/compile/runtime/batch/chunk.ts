import { NODE_BYTES, type MerkleFrontier } from '../../../ledger/merkle/frontier.ts'
import type { RowWriter } from './render-rows.ts'
import type { AnsweredRow } from './row-outcome.ts'

/** Counts of rows of a batch. */
export interface RowCounts {
  readonly answered: number
  readonly abstained: number
  readonly unlike: number
  readonly errors: number
}

/** Rows of a batch as they are sent, with what is settled for each of them. Plain data, which goes between threads. */
export interface Chunk {
  /** Rows in it. */
  readonly rows: number
  readonly bytes: Uint8Array
  /** End of each row in `bytes`. */
  readonly ends: Uint32Array
  /** For each row a set of `FLAGS`. */
  readonly flags: Uint8Array
  /** Leaves of the rows, one after the other. */
  readonly leaves: Uint8Array
  /** Time that the recipe took for all rows, microseconds. */
  readonly latencyUs: number
}

/** Facts of a row, as bits. A row that the recipe answered or withheld is charged; one with an error is not. */
export const FLAGS = { charged: 1, abstained: 2, unlike: 4, error: 8 } as const

const FIRST_BYTES = 64 * 1024
const LINE_ROOM = 3

/** Collects rows into a chunk. */
export class ChunkBuilder {
  readonly #writer: RowWriter
  readonly #ends: number[] = []
  readonly #flags: number[] = []
  readonly #leaves: Buffer[] = []
  #bytes = Buffer.allocUnsafe(FIRST_BYTES)
  #size = 0

  constructor(writer: RowWriter) {
    this.#writer = writer
  }

  /** Rows so far. */
  get rows(): number {
    return this.#ends.length
  }

  /** Bytes so far. */
  get size(): number {
    return this.#size
  }

  /** Adds a row. One that is only counted has its leaf and no bytes: its caller holds it already. */
  add(answered: AnsweredRow, isSent = true): void {
    const { text, leaf } = this.#writer.row(answered)
    this.#leaves.push(leaf)
    this.#flags.push(flagsOf(answered))
    if (isSent) this.#write(text)
    this.#ends.push(this.#size)
  }

  /** Returns the chunk; the builder takes no row afterwards. */
  finish(latencyUs: number): Chunk {
    return {
      rows: this.rows,
      bytes: this.#bytes.subarray(0, this.#size),
      ends: Uint32Array.from(this.#ends),
      flags: Uint8Array.from(this.#flags),
      leaves: joined(this.#leaves),
      latencyUs,
    }
  }

  #write(text: string): void {
    const most = this.#size + text.length * LINE_ROOM
    if (most > this.#bytes.length) {
      const wider = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, most))
      this.#bytes.copy(wider, 0, 0, this.#size)
      this.#bytes = wider
    }
    this.#size += this.#bytes.write(text, this.#size)
  }
}

/** Separate memory, so that it can be moved to another thread. */
function joined(leaves: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(leaves.length * NODE_BYTES)
  for (const [at, leaf] of leaves.entries()) bytes.set(leaf, at * NODE_BYTES)
  return bytes
}

/** Appends the first rows of a chunk to the tree of its batch. */
export function appendLeaves(tree: MerkleFrontier, { leaves }: Chunk, rows: number): void {
  for (let row = 0; row < rows; row++) tree.append(leaves.subarray(row * NODE_BYTES, (row + 1) * NODE_BYTES))
}

/** Returns the counts of the rows of a chunk from `from` up to `to`, which is not counted. */
export function countRows({ flags }: Chunk, from: number, to: number): RowCounts {
  const count = (flag: number) => flags.subarray(from, to).reduce((sum, one) => sum + ((one & flag) === 0 ? 0 : 1), 0)
  const errors = count(FLAGS.error)
  const abstained = count(FLAGS.abstained)
  return { answered: to - from - errors - abstained, abstained, unlike: count(FLAGS.unlike), errors }
}

/** Returns how many rows of a chunk, counted from `from`, at most `charges` charges pay for. */
export function rowsFor({ flags, rows }: Chunk, from: number, charges: number): number {
  let left = charges
  for (let row = from; row < rows; row++) {
    if (((flags[row] ?? 0) & FLAGS.charged) === 0) continue
    if (left === 0) return row - from
    left--
  }
  return rows - from
}

function flagsOf({ outcome }: AnsweredRow): number {
  if (outcome.kind === 'error') return FLAGS.error
  const { abstained, unlikeExamples } = outcome.result
  return FLAGS.charged | (abstained ? FLAGS.abstained : 0) | (unlikeExamples === true ? FLAGS.unlike : 0)
}
