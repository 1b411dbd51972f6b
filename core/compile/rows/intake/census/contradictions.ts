import type { DomainError } from '../../../../kernel/errors.ts'
import type { Json } from '../../../../kernel/json/json.ts'
import type { Equality } from '../../equality/equality.ts'
import { isSameOutput } from '../../equality/same-output.ts'
import { COMPILE_ERRORS } from '../../../errors.ts'

/** Under this many distinct rows a contradiction refuses the dataset; from here on the majority stays. */
export const CONTRADICTIONS_REFUSED_BELOW = 100

const MAX_NAMED = 20

/** Joins the outputs of one input that are equal: each group keeps the order in which its outputs came. */
export function groupEqual<T extends { readonly output: Json }>(votes: readonly T[], equality: Equality): T[][] {
  const groups: T[][] = []
  for (const vote of votes) {
    const group = groups.find(([first]) => first !== undefined && isSameOutput(equality, vote.output, first.output))
    if (group === undefined) groups.push([vote])
    else group.push(vote)
  }
  return groups
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
