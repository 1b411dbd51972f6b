import { isNumeric, isYear, shapeOf, type ColumnCensus } from './cell-types.ts'
import { isBlank, type Cell } from '../records.ts'
import { isKnownName } from './roles.ts'

/** An e-mail address or a link: columns are not named so. */
const ADDRESS = /\S@[\w-]+\.\w|\w:\/\/\S/

/** From this many rows for each repetition on, a first row that comes again is a header that stands above each page. */
const PAGE_ROWS = 10

/** The decision that the first row of a table holds names or not, with its reason. */
export interface HeaderChoice {
  readonly isPresent: boolean
  /** False where the first row gives no sign and holds names only because it does in most files. */
  readonly isSure: boolean
  readonly reason: string
}

/**
 * Guesses whether the first row holds names: known names say so; an address, values that are repeated below, or numbers
 * where every cell fits its column, say that it is a row like the others. Without a sign it does, as in most files. A first
 * row that is repeated below as a whole holds names only with a sign for it, and if it has a known name or `rows`, the
 * number of other rows, is more than ten times that of the repetitions.
 */
export function guessHeader(
  first: readonly Cell[],
  columns: readonly ColumnCensus[],
  { repeats, rows }: { readonly repeats: number; readonly rows: number },
): HeaderChoice {
  const choice = guessByCells(first, columns)
  if (repeats === 0) return choice
  const isPaged = nameIn(first) !== undefined || rows > repeats * PAGE_ROWS
  // A header that stands above each page has texts only, and looks different from the rows.
  if (isPaged && choice.isPresent && choice.isSure && !first.some(isNumeric)) return choice
  return { isPresent: false, isSure: true, reason: 'the first row is repeated below' }
}

function guessByCells(first: readonly Cell[], columns: readonly ColumnCensus[]): HeaderChoice {
  const known = nameIn(first)
  if (known !== undefined)
    return { isPresent: true, isSure: true, reason: `the first row has the name ${JSON.stringify(known)}` }
  const address = first.find((cell) => typeof cell === 'string' && ADDRESS.test(cell))
  if (address !== undefined) {
    return { isPresent: false, isSure: true, reason: `the first row has the address ${JSON.stringify(address)}` }
  }
  const repeated = first.find((_, i) => columns[i]?.isFirstRepeated)
  if (repeated !== undefined) {
    return { isPresent: false, isSure: true, reason: `${JSON.stringify(repeated)} of the first row is repeated below` }
  }
  const number = first.find((cell) => isNumeric(cell) || typeof cell === 'boolean')
  if (number !== undefined) {
    const name = first.find((cell, i) => !couldBeValue(cell, columns[i]))
    return name === undefined
      ? {
          isPresent: false,
          isSure: true,
          reason: `the first row has the value ${JSON.stringify(number)}, which is not a name`,
        }
      : {
          isPresent: true,
          isSure: true,
          reason: `${JSON.stringify(name)} of the first row differs from the values below it`,
        }
  }
  const title = first.find((cell, i) => !isBlank(cell) && columns[i]?.areNumeric === true)
  if (title !== undefined) {
    return { isPresent: true, isSure: true, reason: `${JSON.stringify(title)} of the first row stands above numbers` }
  }
  const votes = first.map((cell, i) => vote(cell, columns[i]))
  if (votes.includes('name'))
    return { isPresent: true, isSure: true, reason: 'the first row looks different from the rows below' }
  if (votes.includes('value'))
    return { isPresent: false, isSure: true, reason: 'the first row looks like the rows below' }
  return { isPresent: true, isSure: false, reason: 'the first row may hold names: it does in most files' }
}

function nameIn(first: readonly Cell[]): Cell {
  return first.find((cell) => typeof cell === 'string' && isKnownName(cell))
}

/** False for a text over numbers, and for a year over numbers that are not all years. */
function couldBeValue(cell: Cell, column: ColumnCensus | undefined): boolean {
  if (isBlank(cell) || column === undefined || !column.areNumeric) return true
  if (!isNumeric(cell)) return false
  return column.areYears || !isYear(cell)
}

function vote(cell: Cell, column: ColumnCensus | undefined): 'name' | 'value' | undefined {
  const shape = column?.shape ?? null
  if (typeof cell !== 'string' || isBlank(cell) || shape === null) return undefined
  // Plain words are written like names.
  if (shape === 'a' || shape === 'Aa') return undefined
  return shapeOf(cell) === shape ? 'value' : 'name'
}
