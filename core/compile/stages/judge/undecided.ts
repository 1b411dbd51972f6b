import { notMeasured, type Figure } from '../../../kernel/wire/figure.ts'
import { nounOf, type RecipeKind } from '../../task.ts'
import type { SampleRecord } from '../stage-types.ts'

/** The recipe to ship: its kind, and who made it. */
interface Shipped {
  readonly kind: RecipeKind
  readonly provider: SampleRecord['provider']
}

/**
 * Returns the share of unlabelled inputs on which the programs of the search disagree as evidence of a recipe: it says
 * nothing of another kind's recipe, nor of a program that a teacher wrote.
 */
export function undecidedOf(share: Figure, shipped: Shipped | null): Figure {
  if (shipped === null) return share
  if (shipped.kind !== 'program') {
    const noun = shipped.kind === 'lora' ? 'an adapter' : `a ${nounOf(shipped.kind)}`
    return notMeasured(`it is measured for programs; the recipe is ${noun}`)
  }
  return shipped.provider === 'frontier'
    ? notMeasured('it is measured for programs of the search; a teacher wrote this one')
    : share
}
