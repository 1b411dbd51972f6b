import { KERNEL_ERRORS, type DomainError } from '../../../../kernel/errors.ts'
import { MODEL_ERRORS } from '../../../../model/errors.ts'
import { textError } from '../table-error.ts'

const QUOTE = 0x22
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

/** Bounds on one record, checked before its cells are made. */
export interface RecordBounds {
  readonly columns: number
  readonly chars: number
  /**
   * True to return a broken record with its fault and to continue at the next line, in place of a throw. A quotation mark
   * without its partner breaks one line only.
   */
  readonly recovers?: boolean
}

/** One record of a delimited text. */
export interface TextRecord {
  /** Line on which it begins, counted from 1. */
  readonly line: number
  readonly cells: readonly string[]
  /** Line and column at which each cell begins. */
  readonly lines: readonly number[]
  readonly columns: readonly number[]
  /** Set for a record that cannot be read; its cells are not complete. */
  readonly fault?: DomainError
}

/**
 * Cuts a delimited text (RFC 4180 with any delimiter and any line end) into records, empty lines left out. Quoting is
 * strict, since a lost quotation mark would silently join rows; in tab-separated text, which spreadsheets put on the
 * clipboard, quotation marks inside a value are characters. Throws with line and column as an editor shows them, unless
 * the bounds say that it recovers.
 */
export class RecordReader {
  readonly #delimiter: number
  readonly #bounds: RecordBounds
  readonly #isStrict: boolean
  #cells: string[] = []
  #lines: number[] = []
  #columns: number[] = []
  /** Finished part of the cell that is read, where it crosses pieces or holds quotation marks. */
  #cell = ''
  /** Characters of the record so far. */
  #chars = 0
  #state: 'start' | 'plain' | 'quoted' | 'closed' | 'broken' = 'start'
  #fault: DomainError | null = null
  #line = 1
  #column = 1
  #startLine = 1
  #startColumn = 1
  #isAfterReturn = false
  /** Text below the line on which the quoted cell that is read begins; kept where the reader recovers. */
  #below: { text: string; readonly line: number; readonly isAfterReturn: boolean } | null = null

  constructor(delimiter: string, bounds: RecordBounds) {
    this.#delimiter = delimiter.charCodeAt(0)
    this.#bounds = bounds
    this.#isStrict = delimiter !== '\t'
  }

  /** Yields the records that end in `text`. */
  *read(text: string): Generator<TextRecord> {
    const { chars: maxChars } = this.#bounds
    let from = 0
    let belowFrom = 0
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i)
      if (this.#isAfterReturn) {
        this.#isAfterReturn = false
        if (code === LINE_FEED) {
          if (this.#state === 'quoted') {
            this.#chars++
            continue
          }
          from = i + 1
          continue
        }
      }
      if (this.#state !== 'broken' && ++this.#chars > maxChars) this.#fail(this.#tooLong())
      if (this.#state === 'broken' && this.#below !== null) {
        this.#cell += text.slice(from, i)
        text = this.#below.text + text.slice(belowFrom)
        yield this.#rewind(this.#below)
        belowFrom = 0
        from = 0
        i = -1
        continue
      }
      if (this.#state === 'broken') {
        if (code !== LINE_FEED && code !== CARRIAGE_RETURN) continue
        from = i + 1
        const broken = this.#endRecord()
        this.#move(code)
        this.#startCell()
        if (broken !== null) yield broken
        continue
      }
      if (this.#state === 'quoted') {
        if (code === QUOTE) {
          this.#cell += text.slice(from, i)
          from = i + 1
          this.#state = 'closed'
        }
        this.#move(code)
        const isLineEnd = code === LINE_FEED || code === CARRIAGE_RETURN
        if (isLineEnd && this.#bounds.recovers === true && this.#below === null) {
          this.#below = { text: '', line: this.#line, isAfterReturn: this.#isAfterReturn }
          belowFrom = i + 1
        }
        continue
      }
      if (code === this.#delimiter) {
        this.#endCell(text.slice(from, i))
        from = i + 1
        this.#column++
        this.#startCell()
      } else if (code === LINE_FEED || code === CARRIAGE_RETURN) {
        this.#endCell(text.slice(from, i))
        from = i + 1
        const record = this.#endRecord()
        this.#move(code)
        this.#startCell()
        if (record !== null) yield record
      } else if (code === QUOTE) {
        if (this.#state === 'closed') {
          // A doubled quotation mark: the second one belongs to the value.
          from = i
          this.#state = 'quoted'
        } else if (this.#state === 'start') {
          from = i + 1
          this.#state = 'quoted'
        } else if (this.#isStrict) this.#fail(this.#strayQuote())
        this.#column++
      } else {
        if (this.#state === 'closed') {
          if (this.#isStrict) {
            this.#fail(this.#below === null ? this.#afterQuote() : this.#neverEnds())
            // The line is looked at again as a broken one.
            i--
            continue
          }
          this.#cell = `"${this.#cell}"`
          from = i
        }
        this.#state = 'plain'
        this.#column++
      }
    }
    if (this.#state !== 'broken') this.#cell += text.slice(from)
    if (this.#below !== null) this.#below.text += text.slice(belowFrom)
  }

  /** Yields the last record, if the text does not end with a line end, and those below a quotation mark without its partner. */
  *end(): Generator<TextRecord> {
    if (this.#state === 'quoted') {
      this.#fail(this.#neverEnds())
      if (this.#below !== null) {
        const { text } = this.#below
        yield this.#rewind(this.#below)
        yield* this.read(text)
        yield* this.end()
        return
      }
    }
    this.#endCell('')
    const last = this.#endRecord()
    if (last !== null) yield last
  }

  /** Ends a record whose quoted cell has no end, and goes back to the line below its quotation mark. */
  #rewind({ line, isAfterReturn }: { readonly line: number; readonly isAfterReturn: boolean }): TextRecord {
    const [cell = ''] = this.#cell.split(/[\r\n]/, 1)
    this.#cell = cell
    this.#endCell('')
    const record = this.#endRecord()
    this.#line = line
    this.#column = 1
    this.#isAfterReturn = isAfterReturn
    this.#startCell()
    if (record === null) throw new Error('a record with a fault is not empty')
    return record
  }

  #move(code: number): void {
    if (code === CARRIAGE_RETURN) {
      this.#isAfterReturn = true
      this.#line++
      this.#column = 1
    } else if (code === LINE_FEED) {
      this.#line++
      this.#column = 1
    } else this.#column++
  }

  #startCell(): void {
    if (this.#state !== 'broken') this.#state = 'start'
    this.#startLine = this.#line
    this.#startColumn = this.#column
  }

  #endCell(rest: string): void {
    this.#cells.push(this.#cell + (this.#state === 'closed' ? '' : rest))
    this.#lines.push(this.#startLine)
    this.#columns.push(this.#startColumn)
    this.#cell = ''
    this.#below = null
    if (this.#cells.length > this.#bounds.columns) {
      this.#fail(this.#at(`has more than ${this.#bounds.columns} columns; remove those that the task does not need`))
    }
  }

  #endRecord(): TextRecord | null {
    const [line = this.#line] = this.#lines
    const fault = this.#fault
    const isEmpty = fault === null && this.#cells.length === 1 && this.#cells[0] === '' && this.#state === 'start'
    const read = { line, cells: this.#cells, lines: this.#lines, columns: this.#columns }
    const record = fault === null ? read : { ...read, fault }
    this.#cell = ''
    this.#fault = null
    this.#state = 'start'
    this.#cells = []
    this.#lines = []
    this.#columns = []
    this.#chars = 0
    return isEmpty ? null : record
  }

  #fail(error: DomainError): void {
    if (this.#bounds.recovers !== true) throw error
    this.#fault ??= error
    this.#state = 'broken'
  }

  #at(message: string) {
    return textError({ line: this.#startLine, column: this.#startColumn }, message)
  }

  #neverEnds() {
    return this.#at('a value begins with a quotation mark and never ends; close it, or double the mark')
  }

  #tooLong() {
    const hint =
      this.#state === 'quoted'
        ? 'a quotation mark that opens here may lack its partner'
        : 'check the delimiter and the line ends'
    return textError(
      { line: this.#lines[0] ?? this.#startLine, column: 1 },
      `belongs to a row of more than ${this.#bounds.chars} characters; ${hint} (line ${this.#startLine}, column ${this.#startColumn})`,
      MODEL_ERRORS.example_too_large,
    )
  }

  #strayQuote() {
    return textError(
      { line: this.#line, column: this.#column },
      'a quotation mark stands inside a value; put the value in quotation marks and double those inside it',
      KERNEL_ERRORS.validation_failed,
    )
  }

  #afterQuote() {
    return textError(
      { line: this.#line, column: this.#column },
      'something follows the quotation mark that ends a value; double the quotation marks inside a value, and check the delimiter',
      KERNEL_ERRORS.validation_failed,
    )
  }
}

/** Yields the records of a text that comes in pieces. */
export async function* recordsOfText(
  pieces: AsyncIterable<string>,
  delimiter: string,
  bounds: RecordBounds,
): AsyncGenerator<TextRecord> {
  for await (const block of blocksOfText(pieces, delimiter, bounds)) yield* block
}

/** Yields the same records, those that end in one piece together: a loop over them waits once for each piece. */
export async function* blocksOfText(
  pieces: AsyncIterable<string>,
  delimiter: string,
  bounds: RecordBounds,
): AsyncGenerator<Iterable<TextRecord>> {
  const reader = new RecordReader(delimiter, bounds)
  for await (const piece of pieces) yield reader.read(piece)
  yield reader.end()
}
