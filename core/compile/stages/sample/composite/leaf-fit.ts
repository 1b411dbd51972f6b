import { EACH, equalityOf, type Equality } from '../../../rows/equality/equality.ts'
import type { LeafRecipe } from '../../../runtime/composite/composite-recipe.ts'
import type { Path } from '../../../runtime/composite/places.ts'
import type { ShapeLeaf } from '../../../runtime/composite/shape.ts'
import type { Row } from '../../../rows/task.ts'

/** One leaf as a separate task: its rows have the leaf's value as their output. */
export interface LeafTask {
  readonly place: ShapeLeaf
  readonly rows: readonly Row[]
  readonly equality: Equality
}

/** The recipe of a leaf, with what it was chosen by. */
export interface LeafFit {
  readonly leaf: LeafRecipe
  /** Null for a program. */
  readonly weights: Uint8Array | null
  /** Rows that the recipe did not see while it was fitted, and how many of them it gets right. */
  readonly evidence: { readonly rows: number; readonly right: number }
  /** True for a program that is right on every row: no other kind can be better. */
  readonly isProven: boolean
}

/** The fit of a leaf with its cost; `fit` is null when no kind answers it, for the reasons in words. */
export interface LeafOutcome {
  readonly fit: LeafFit | null
  readonly reason: string
  readonly searchSteps: number
  readonly trainingSteps: number
  readonly isCutShort: boolean
}

/** Returns the share of right answers on rows that a leaf was not fitted on. */
export function shareOf({ evidence }: LeafFit): number {
  return evidence.rows === 0 ? 0 : evidence.right / evidence.rows
}

/** Returns the rules of an equality at a path and below it, as an equality of the values there. */
export function rulesAt({ rules }: Equality, path: Path): Equality {
  const steps = path.map((step) => (typeof step === 'number' ? EACH : step))
  const below = rules.flatMap((rule) =>
    steps.every((step, at) => rule.path[at] === step) ? [{ ...rule, path: rule.path.slice(steps.length) }] : [],
  )
  return equalityOf(below)
}
