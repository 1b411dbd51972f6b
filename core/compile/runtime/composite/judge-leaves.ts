import type { Json } from '../../../kernel/json/json.ts'
import { EACH, type Equality } from '../../rows/equality/equality.ts'
import { equalityBelow, isSameValue, openEquality, type EqualityNode } from '../../rows/equality/same-output.ts'
import type { LeafAnswer } from '../recipe.ts'
import type { Path } from './places.ts'
import { leavesOf, readLeaves, type Shape } from './shape.ts'

/** Result of a leaf in one row; null where the expected output has no value there. */
export const LEAF_RESULTS = ['right', 'wrong', 'abstained', 'failed'] as const
export type LeafResult = (typeof LEAF_RESULTS)[number] | null

/** Returns an equality at a path and below it. */
export function equalityAt(equality: Equality, path: Path): EqualityNode {
  return path.reduce<EqualityNode>(
    (node, step) => equalityBelow(node, typeof step === 'number' ? EACH : step),
    openEquality(equality),
  )
}

/** Judges the leaves of an answered row by the answer alone, in the order of `leavesOf`. */
export function judgeOutput(shape: Shape, equality: Equality, output: Json, expected: Json): readonly LeafResult[] {
  const given = readLeaves(shape, output)
  const wanted = readLeaves(shape, expected)
  return leavesOf(shape).map(({ path, part }, number) => {
    const [got, due] = [given[number], wanted[number]]
    if (due === undefined) return null
    if (got === undefined) return 'wrong'
    const isSame = part === 'present' ? got === due : isSameValue(equalityAt(equality, path), got, due)
    return isSame ? 'right' : 'wrong'
  })
}

/** Judges the leaves of a row without an answer by their own answers. */
export function judgeAnswers(
  shape: Shape,
  equality: Equality,
  answers: readonly LeafAnswer[],
  expected: Json,
): readonly LeafResult[] {
  const wanted = readLeaves(shape, expected)
  return leavesOf(shape).map(({ path, part }, number) => {
    const due = wanted[number]
    const answer = answers[number]
    if (due === undefined) return null
    if (answer === undefined || answer.failed) return 'failed'
    if (answer.abstained) return 'abstained'
    const { output } = answer
    const isSame = part === 'present' ? output === due : isSameValue(equalityAt(equality, path), output, due)
    return isSame ? 'right' : 'wrong'
  })
}
