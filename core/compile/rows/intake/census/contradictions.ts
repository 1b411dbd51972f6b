import type { DomainError } from '../../../../kernel/errors.ts'
import { canonicalJson, type Json } from '../../../../kernel/json/json.ts'
import type { Equality } from '../../equality/equality.ts'
import { tolerancesOf } from '../../equality/tolerance.ts'
import { isSameOutput } from '../../equality/same-output.ts'
import { COMPILE_ERRORS } from '../../../errors.ts'

/** Under this many distinct rows a contradiction refuses the dataset; from here on the majority stays. */
export const CONTRADICTIONS_REFUSED_BELOW = 100

const MAX_NAMED = 20

/**
 * Joins the outputs of one input that are equal: each group keeps the order in which its outputs came. Under a tolerance every two
 * of a group are within it, and the order in which they came decides nothing: they are joined from the smallest number on, and
 * the middle one is the first of its group.
 */
export function groupEqual<T extends { readonly output: Json }>(votes: readonly T[], equality: Equality): T[][] {
  const isTolerant = tolerancesOf(equality).length > 0
  const groups: T[][] = []
  for (const vote of isTolerant ? votes.toSorted(byOutput) : votes) {
    const group = groups.find((one) =>
      (isTolerant ? one : one.slice(0, 1)).every(({ output }) => isSameOutput(equality, vote.output, output)),
    )
    if (group === undefined) groups.push([vote])
    else group.push(vote)
  }
  return isTolerant ? groups.map(middleFirst) : groups
}

/** Orders numbers by size and other outputs by their canonical form. */
function byOutput({ output: a }: { readonly output: Json }, { output: b }: { readonly output: Json }): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  const [one, other] = [canonicalJson(a), canonicalJson(b)]
  return one < other ? -1 : one > other ? 1 : 0
}

function middleFirst<T>(group: readonly T[]): T[] {
  const middle = Math.floor((group.length - 1) / 2)
  return [...group.slice(middle, middle + 1), ...group.slice(0, middle), ...group.slice(middle + 1)]
}

/** Rows that share an input but not the output. */
export interface Contradiction {
  readonly ids: readonly string[]
}

/** A `contradictory_examples` error that names the rows, up to twenty groups of them. */
export function contradictoryExamples(contradictions: readonly Contradiction[]): DomainError {
  const named = contradictions.slice(0, MAX_NAMED)
  const text = named.map(({ ids }) => ids.join(' and ')).join('; ')
  return COMPILE_ERRORS.contradictory_examples(`examples with the same input and different outputs: ${text}`, {
    details: {
      fields: named.map(({ ids }) => ({
        field: 'examples',
        message: `${ids.join(', ')}: same input, different outputs`,
      })),
      contradictions: named,
    },
  })
}
