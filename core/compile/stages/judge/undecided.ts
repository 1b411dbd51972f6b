import { notMeasured, type Figure } from '../../../kernel/wire/figure.ts'
import { nounOf, type RecipeKind } from '../../rows/task.ts'
import type { SampleRecord } from '../stage-types.ts'

/** The recipe to ship: its kind, and who made it. */
interface Shipped {
  readonly kind: RecipeKind
  readonly provider: SampleRecord['provider']
  /** Settings of its sample; those of a recipe that learned from a teacher's labels name them. */
  readonly settings?: SampleRecord['settings']
}

/**
 * Returns the share of unlabelled inputs on which the programs of the search disagree, as evidence about the shipped
 * recipe. It is no evidence about a recipe of another kind or about a program that a teacher wrote.
 */
export function undecidedOf(share: Figure, shipped: Shipped | null): Figure {
  if (shipped === null) return notMeasured('it is measured for programs, and no recipe was found')
  if (shipped.kind !== 'program') {
    const noun = shipped.kind === 'lora' ? 'an adapter' : `a ${nounOf(shipped.kind)}`
    return notMeasured(`it is measured for programs; the recipe is ${noun}`)
  }
  if (shipped.settings?.['teacher_rows'] !== undefined) {
    return notMeasured("it is measured for programs of the caller's rows; this one learned from a teacher's labels")
  }
  return shipped.provider === 'frontier'
    ? notMeasured('it is measured for programs of the search; a teacher wrote this one')
    : share
}
