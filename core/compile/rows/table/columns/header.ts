import { isNumeric, isYear, shapeOf, type ColumnCensus } from './cell-types.ts'
import { isBlank, type Cell } from '../records.ts'
import { isKnownName } from './roles.ts'

/** An e-mail address or a link: columns are not named so. */
const ADDRESS = /\S@[\w-]+\.\w|\w:\/\/\S/

/** The decision that the first row of a table holds names or not, with its reason. */
export interface HeaderChoice {
  readonly isPresent: boolean
  readonly reason: string
}

/**
 * Guesses whether the first row holds names: known names say so; an address, values that are repeated below, or numbers
 * where every cell fits its column, say that it is a row like the others. Without a sign it does, as in most files.
 */
export function guessHeader(first: readonly Cell[], columns: readonly ColumnCensus[]): HeaderChoice {
  const known = first.find((cell) => typeof cell === 'string' && isKnownName(cell))
  if (known !== undefined) return { isPresent: true, reason: `the first row has the name ${JSON.stringify(known)}` }
  const address = first.find((cell) => typeof cell === 'string' && ADDRESS.test(cell))
  if (address !== undefined) {
    return { isPresent: false, reason: `the first row has the address ${JSON.stringify(address)}` }
  }
  const repeated = first.find((_, i) => columns[i]?.isFirstRepeated)
  if (repeated !== undefined) {
    return { isPresent: false, reason: `${JSON.stringify(repeated)} of the first row is repeated below` }
  }
  const number = first.find((cell) => isNumeric(cell) || typeof cell === 'boolean')
  if (number !== undefined) {
    const name = first.find((cell, i) => !couldBeValue(cell, columns[i]))
    return name === undefined
      ? { isPresent: false, reason: `the first row has the value ${JSON.stringify(number)}, which is not a name` }
      : { isPresent: true, reason: `${JSON.stringify(name)} of the first row differs from the values below it` }
  }
  const votes = first.map((cell, i) => vote(cell, columns[i]))
  if (votes.includes('name')) return { isPresent: true, reason: 'the first row looks different from the rows below' }
  if (votes.includes('value')) return { isPresent: false, reason: 'the first row looks like the rows below' }
  return { isPresent: true, reason: 'the first row may hold names: it does in most files' }
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
