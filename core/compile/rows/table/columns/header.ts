import { isNumeric, shapeOf, type ColumnCensus } from './cell-types.ts'
import { isBlank, type Cell } from '../records.ts'
import { isKnownName } from './roles.ts'

/** Whether the first row of a table holds names, and why. */
export interface HeaderChoice {
  readonly isPresent: boolean
  readonly reason: string
}

/**
 * Guesses whether the first row holds names: known names say so; numbers, or values that come again below, say that it
 * is a row like the others. Where nothing tells, it does, as in most files.
 */
export function guessHeader(first: readonly Cell[], columns: readonly ColumnCensus[]): HeaderChoice {
  const known = first.find((cell) => typeof cell === 'string' && isKnownName(cell))
  if (known !== undefined) return { isPresent: true, reason: `the first row has the name ${JSON.stringify(known)}` }
  const number = first.find((cell) => isNumeric(cell) || typeof cell === 'boolean')
  if (number !== undefined) {
    return { isPresent: false, reason: `the first row has the value ${JSON.stringify(number)}, which is no name` }
  }
  const repeated = first.find((_, i) => columns[i]?.isFirstRepeated)
  if (repeated !== undefined) {
    return { isPresent: false, reason: `${JSON.stringify(repeated)} of the first row comes again below` }
  }
  const votes = first.map((cell, i) => vote(cell, columns[i]))
  if (votes.includes('name'))
    return { isPresent: true, reason: 'the first row is written otherwise than the rows below' }
  if (votes.includes('value')) return { isPresent: false, reason: 'the first row is written like the rows below' }
  return { isPresent: true, reason: 'the first row may hold names, and nothing says otherwise' }
}

function vote(cell: Cell, column: ColumnCensus | undefined): 'name' | 'value' | undefined {
  const shape = column?.shape ?? null
  if (typeof cell !== 'string' || isBlank(cell) || shape === null) return undefined
  // Plain words are written like names.
  if (shape === 'a' || shape === 'Aa') return undefined
  return shapeOf(cell) === shape ? 'value' : 'name'
}
