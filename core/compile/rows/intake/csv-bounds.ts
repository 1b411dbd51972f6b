import { invalidField, type DomainError } from '../../../kernel/errors.ts'
import { MODEL_ERRORS } from '../../../model/errors.ts'

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const QUOTE = 0x22
const COMMA = 0x2c

/** Bounds on one record of a CSV file. */
export interface RecordBounds {
  readonly columns: number
  readonly bytes: number
}

/** The part of a chunk that may be parsed, and the fault of the rest. */
export interface CheckedChunk {
  readonly bytes: Uint8Array
  readonly error: DomainError | null
  /** True when the bytes end in the middle of the record that the error is about. */
  readonly isCut: boolean
}

/**
 * Counts columns and bytes of CSV records in the raw bytes. A parser creates a value for each cell before it returns
 * the record, so a line of commas would become millions of values. It reads quotes and line ends as the parser does;
 * where the quoting is broken the parser stops at the place up to which both agree.
 */
export class CsvBounds {
  readonly #bounds: RecordBounds
  #isQuoted = false
  #columns = 1
  #bytes = 0
  /** Records before this one; the first of all is the header. */
  #records = 0
  /** The byte that ends records, as the first line end shows; null before that. */
  #end: number | null = null
  #isAfterReturn = false

  constructor(bounds: RecordBounds) {
    this.#bounds = bounds
  }

  /** Counts a chunk. With an error, the bytes end before the record that it is about. */
  check(chunk: Uint8Array): CheckedChunk {
    const isBegun = this.#bytes > 0
    let recordStart = 0
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i]
      // A return that is the whole line end, as on an old Macintosh: this byte shows it, and begins the next record.
      if (this.#end === null && this.#isAfterReturn && byte !== LINE_FEED) {
        this.#end = CARRIAGE_RETURN
        this.#endRecord()
        recordStart = i
      }
      this.#bytes++
      if (byte === QUOTE) this.#isQuoted = !this.#isQuoted
      else if (byte === COMMA && !this.#isQuoted) this.#columns++
      if (!this.#isQuoted) {
        if (this.#end === null && byte === LINE_FEED) this.#end = LINE_FEED
        if (byte === this.#end) {
          this.#endRecord()
          recordStart = i + 1
        }
      }
      this.#isAfterReturn = byte === CARRIAGE_RETURN && !this.#isQuoted
      const error = this.#problem()
      if (error === null) continue
      return { bytes: chunk.subarray(0, recordStart), error, isCut: isBegun && recordStart === 0 }
    }
    return { bytes: chunk, error: null, isCut: false }
  }

  #endRecord(): void {
    // Empty lines are no records.
    if (this.#bytes > (this.#isAfterReturn ? 2 : 1)) this.#records++
    this.#columns = 1
    this.#bytes = 0
  }

  #problem(): DomainError | null {
    const { columns, bytes } = this.#bounds
    if (this.#columns <= columns && this.#bytes <= bytes) return null
    const field = this.#records === 0 ? 'header' : `row[${this.#records}]`
    return this.#columns > columns
      ? invalidField(field, `has more than ${columns} columns`)
      : invalidField(field, `is longer than ${bytes} bytes`, MODEL_ERRORS.example_too_large)
  }
}
