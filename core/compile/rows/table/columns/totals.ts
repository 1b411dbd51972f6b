import { cellText, isBlank, type Cell } from '../records.ts'

/** Fewest rows above a total: of fewer, one is the sum of the others by chance. */
const FEWEST_ROWS = 3
/** Values of a column that a label is compared with. */
const MOST_VALUES = 1000
/** Characters of the longest label of a total, and of the longest amount. */
const LONGEST = 100
/** Characters of the values that are kept of all columns. */
const MOST_KEPT = 200_000
/** Share of a sum by which additions of decimals may be off. */
const ROUNDING = 1e-9

/** An amount as tables write it, and the number of its decimals. */
interface Amount {
  readonly value: number
  readonly decimals: number
}

/** The cells of one column above a row. */
interface Above {
  filled: number
  /** Number of cells that hold an amount. */
  amounts: number
  /** Number of amounts other than 0. */
  nonZero: number
  sum: number
  /** Largest amount without its sign. */
  most: number
  readonly values: Set<string>
}

/**
 * Adds up the columns of a table while its rows are read, by which a row of totals at its foot is known: in whichever language
 * it is labelled, its amounts are the sums of those above.
 */
export class Totals {
  readonly #columns: Above[] = []
  #rows = 0
  #room = MOST_KEPT

  /** Adds a row that comes `times` times. */
  add(cells: readonly Cell[], times = 1): void {
    this.#rows += times
    for (const [at, cell] of cells.entries()) {
      const column = (this.#columns[at] ??= { filled: 0, amounts: 0, nonZero: 0, sum: 0, most: 0, values: new Set() })
      if (isBlank(cell)) continue
      column.filled += times
      const amount = amountIn(cell)
      if (amount === null) {
        this.#keep(column.values, cellText(cell))
        continue
      }
      column.amounts += times
      column.sum += amount.value * times
      if (amount.value !== 0) column.nonZero += times
      column.most = Math.max(column.most, Math.abs(amount.value))
    }
  }

  /**
   * Returns true for a row that is likely the total of the rows above: an amount is the sum of its column, the row has one label
   * at most, which is new in its column, and other amounts that are no sums only where it leaves cells empty that all rows fill.
   */
  isTotal(cells: readonly Cell[]): boolean {
    if (this.#rows < FEWEST_ROWS) return false
    let sums = 0
    let others = 0
    let labels = 0
    let gaps = 0
    for (const [at, above] of this.#columns.entries()) {
      const cell = cells[at]
      if (isBlank(cell)) {
        if (above.filled === this.#rows) gaps++
        continue
      }
      const isOfAmounts = above.filled > 0 && above.amounts === above.filled
      const amount = isOfAmounts ? amountIn(cell) : null
      if (amount !== null) {
        if (isSum(amount, above)) sums++
        else others++
        continue
      }
      // A column of amounts has no other texts, so a text in it is a label too.
      labels++
      const text = cellText(cell)
      if (text.length > LONGEST || above.values.has(text.trim())) return false
    }
    return sums > 0 && labels <= 1 && (gaps > 0 || others < sums)
  }

  #keep(values: Set<string>, cell: string): void {
    if (cell.length > LONGEST || cell.length > this.#room || values.size >= MOST_VALUES) return
    const text = cell.trim()
    if (values.has(text)) return
    this.#room -= text.length
    // A copy: a part of a text keeps the whole block of the file that it was cut from.
    values.add(Buffer.from(text, 'utf16le').toString('utf16le'))
  }
}

function isSum({ value, decimals }: Amount, { sum, nonZero, most }: Above): boolean {
  if (nonZero < 2 || Math.abs(value) <= most) return false
  return Math.abs(value - sum) <= 0.5 * 10 ** -decimals + ROUNDING * Math.abs(sum)
}

const WRITTEN = /^(?:\p{Sc}\s?)?([-+\u2212]?)(?:\p{Sc}\s?)?(\d[\d.,'\u2019\s]*?)\s?(?:%|\p{Sc}|[A-Z]{3})?$/u

/** Returns the amount of a cell: a number, or a text with separators, a currency or a percent sign; null for another. */
function amountIn(cell: Cell): Amount | null {
  if (typeof cell === 'number') return amountOf(String(cell))
  if (typeof cell === 'string' && cell.length > LONGEST) return null
  const [, sign = '', digits = ''] = typeof cell === 'string' ? (WRITTEN.exec(cell.trim()) ?? []) : []
  return digits === '' ? null : amountOf(`${sign === '' || sign === '+' ? '' : '-'}${withPoint(digits)}`)
}

function amountOf(text: string): Amount | null {
  const value = Number(text)
  const [, decimals = ''] = text.split('.')
  return Number.isFinite(value) ? { value, decimals: Math.min(decimals.length, 12) } : null
}

/** Writes digits with a point before their decimals and nothing between thousands. */
function withPoint(digits: string): string {
  const text = digits.replaceAll(/['\u2019\s]/g, '')
  const at = Math.max(text.lastIndexOf('.'), text.lastIndexOf(','))
  if (at < 0) return text
  const isAlone = text.indexOf(text[at] ?? '') === at
  const hasBoth = text.includes('.') && text.includes(',')
  // A lone comma before three digits is between thousands, a lone point is that of decimals.
  const isPoint = isAlone && (hasBoth || text[at] === '.' || text.length - at !== 4)
  const separators = /[.,]/g
  if (!isPoint) return text.replaceAll(separators, '')
  return `${text.slice(0, at).replaceAll(separators, '')}.${text.slice(at + 1)}`
}
