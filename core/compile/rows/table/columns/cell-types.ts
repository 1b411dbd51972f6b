import { isCodeName } from '../../../../model/tabular/features/code-names.ts'
import { cellText, isBlank, type Cell } from '../records.ts'

/** Type of a column. `json`: values of several types, as they are. */
export type ColumnType = 'text' | 'number' | 'boolean' | 'json'

const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/
const WHOLE = /^\d+$/
/** Digits that a double keeps. */
const MOST_DIGITS = 15
/** From this many digits on whole numbers name something: a phone, an account. */
const NAME_DIGITS = 7
const SHAPE_CHARS = 24
const REWRITTEN = 'some values would print differently as numbers, as 12.50 would'

/** Facts of all values of one column. */
export class ColumnCensus {
  filled = 0
  empty = 0
  /** True when a value is the one that the first row has. */
  isFirstRepeated = false
  #numbers = 0
  #exactNumbers = 0
  #rewritten = 0
  #numerics = 0
  #years = 0
  #booleans = 0
  #exactBooleans = 0
  #longWhole = 0
  #texts = 0
  #nested = 0
  #leadingZeros = 0
  #shape: string | null = null
  #hasOneShape = true
  readonly #first: Cell

  constructor(first?: Cell) {
    this.#first = first
  }

  /** Counts a cell that comes `times` times. */
  add(cell: Cell, times = 1): void {
    if (isBlank(cell)) {
      this.empty += times
      return
    }
    this.filled += times
    if (this.#first !== undefined && cell === this.#first) this.isFirstRepeated = true
    if (typeof cell === 'object') {
      this.#nested += times
      return
    }
    if (isNumeric(cell)) this.#numerics += times
    if (isYear(cell)) this.#years += times
    const text = String(cell)
    if (this.#hasOneShape) this.#compareShape(text)
    if (typeof cell === 'number') {
      this.#numbers += times
      this.#exactNumbers += times
      if (WHOLE.test(text) && text.length >= NAME_DIGITS) this.#longWhole += times
    } else if (typeof cell === 'boolean') {
      this.#booleans += times
      this.#exactBooleans += times
    } else this.#addText(text.trim(), text, times)
  }

  /** The one shape that all values have, as `Aa-9`; null where they differ or are too few to say. */
  get shape(): string | null {
    return this.#hasOneShape && this.filled >= 3 ? this.#shape : null
  }

  /** True when every value is written as a number. */
  get areNumeric(): boolean {
    return this.filled > 0 && this.#numerics === this.filled
  }

  /** True when every value is a whole number that may be a year. */
  get areYears(): boolean {
    return this.filled > 0 && this.#years === this.filled
  }

  /**
   * Returns the type of the column and the reason. Texts become numbers only when all values do and JSON writes each
   * with the same characters: a column with `12.50` stays a text. Where `isExact`, spaces around a number and the case of
   * `TRUE` count too.
   */
  decide(name: string, { isExact, hasTypes }: { readonly isExact: boolean; readonly hasTypes: boolean }): TypeChoice {
    const { filled } = this
    if (filled === 0) return { type: 'text', reason: 'all cells are empty' }
    if (hasTypes) return this.#decideNative()
    if (this.#nested > 0) return { type: 'json', reason: 'some values are lists or objects' }
    if (this.#booleans === filled) {
      if (!isExact || this.#exactBooleans === filled) return { type: 'boolean', reason: 'all values are true or false' }
      return {
        type: 'text',
        reason: 'true and false are not written as JSON writes them, and an answer stays as written',
      }
    }
    if (this.#leadingZeros > 0 && this.#leadingZeros + this.#numbers === filled) {
      return { type: 'text', reason: 'some values have leading zeros, as codes do' }
    }
    if (this.#rewritten > 0 && this.#rewritten + this.#numbers === filled) {
      return { type: 'text', reason: REWRITTEN }
    }
    if (this.#numbers !== filled) {
      if (this.#numbers === 0) return { type: 'text', reason: 'the values are texts' }
      return { type: 'text', reason: `only ${this.#numbers} of ${filled} values are plain numbers` }
    }
    if (isCodeName(name)) {
      return { type: 'text', reason: 'its name says that the digits are a code' }
    }
    if (this.#longWhole === filled) {
      return { type: 'text', reason: `all values have ${NAME_DIGITS} digits or more, as phone and account numbers do` }
    }
    if (isExact && this.#exactNumbers !== filled) {
      return { type: 'text', reason: 'some numbers have spaces around them, which a number does not keep' }
    }
    return { type: 'number', reason: 'all values are plain numbers' }
  }

  #decideNative(): TypeChoice {
    const { filled } = this
    if (this.#texts === filled) return { type: 'text', reason: 'the values are texts' }
    if (this.#numbers === filled) return { type: 'number', reason: 'the values are numbers' }
    if (this.#booleans === filled) return { type: 'boolean', reason: 'the values are true or false' }
    return { type: 'json', reason: 'the values are of several types, or lists or objects' }
  }

  #addText(text: string, written: string, times: number): void {
    this.#texts += times
    const folded = text.toLowerCase()
    if (folded === 'true' || folded === 'false') {
      this.#booleans += times
      if (written === folded) this.#exactBooleans += times
      return
    }
    if (/^0\d/.test(text) && WHOLE.test(text)) this.#leadingZeros += times
    if (!DECIMAL.test(text) || digitsOf(text) > MOST_DIGITS) return
    if (String(Number(text)) !== text) {
      this.#rewritten += times
      return
    }
    this.#numbers += times
    if (text === written) this.#exactNumbers += times
    if (WHOLE.test(text) && text.length >= NAME_DIGITS) this.#longWhole += times
  }

  #compareShape(text: string): void {
    const shape = shapeOf(text)
    this.#shape ??= shape
    if (shape !== this.#shape) this.#hasOneShape = false
  }
}

/** Type of a column and the reason for it. */
export interface TypeChoice {
  readonly type: ColumnType
  readonly reason: string
}

/** Returns the kinds of characters of a text, runs folded: `Ab-12` is `Aa-9`. */
export function shapeOf(text: string): string {
  return text
    .slice(0, SHAPE_CHARS)
    .replaceAll(/\p{Lu}+/gu, 'A')
    .replaceAll(/\p{Ll}+/gu, 'a')
    .replaceAll(/\p{N}+/gu, '9')
}

/** Returns true for a text that is written as a number. */
export function isNumeric(cell: Cell): boolean {
  return typeof cell === 'number' || (typeof cell === 'string' && /^[-+]?[.,]*\d[\d.,]*%?$/.test(cell.trim()))
}

/** Returns true for a year of the last or this century, which names of columns often are. */
export function isYear(cell: Cell): boolean {
  return /^(?:19|20)\d\d$/.test(cellText(cell).trim())
}

/** Returns a cell as a value of its column's type; null for an empty cell of numbers or booleans. */
export function typedCell(cell: Cell, type: ColumnType): Exclude<Cell, undefined> {
  if (type === 'json') return cell ?? null
  if (type === 'text') return cellText(cell)
  if (isBlank(cell) || cell === undefined) return null
  if (typeof cell !== 'string') return cell
  return type === 'number' ? Number(cell.trim()) : cell.trim().toLowerCase() === 'true'
}

function digitsOf(text: string): number {
  return text.replaceAll(/\D/g, '').length
}
