import type { Json } from '../../../kernel/json/json.ts'
import { hashJson } from '../../../kernel/json/json.ts'
import type { Equality } from '../../rows/equality/equality.ts'
import { isSameOutput } from '../../rows/equality/same-output.ts'
import type { JudgedRow } from '../diagnosis/judged-row.ts'

/** A stored evaluation input of one of two artifacts or of both. */
export interface SharedInput {
  /** Id of its row in the evaluation of each; null where it is in none. */
  readonly rowA: string | null
  readonly rowB: string | null
  readonly input: Json
  /** The expected output; absent where the evaluations disagree on it. */
  readonly expected?: Json
}

/** The answer of an artifact to an input. */
export interface RunAnswer {
  readonly output: Json
  readonly abstained: boolean
  readonly confidence: number | null
  /** Machine code of why there is no answer; null for an answer. */
  readonly error: string | null
}

/** An input with the answers of both artifacts. */
export interface RunPair {
  readonly input: SharedInput
  readonly a: RunAnswer
  readonly b: RunAnswer
}

/** A pair whose answers differ, and which of them are right; null where the right one is not known. */
export interface Disagreement extends RunPair {
  readonly rightA: boolean | null
  readonly rightB: boolean | null
}

/** Returns the inputs of two evaluations whose content is kept, each once: those of both first, in the order of `b`. */
export function unionOfInputs(a: readonly JudgedRow[], b: readonly JudgedRow[]): readonly SharedInput[] {
  const found = new Map<string, SharedInput>()
  const ofA = new Map(a.flatMap((row) => (row.content === null ? [] : [[hashJson(row.content.input), row]])))
  for (const row of b) {
    if (row.content === null) continue
    const { input, expected } = row.content
    const other = ofA.get(hashJson(input))
    const otherExpected = other?.content?.expected
    const agrees = otherExpected === undefined || hashJson(otherExpected) === hashJson(expected)
    const shared = { rowA: other?.id ?? null, rowB: row.id, input, ...(agrees && { expected }) }
    if (!found.has(hashJson(input))) found.set(hashJson(input), shared)
  }
  for (const [hash, { id, content }] of ofA) {
    if (content === null || found.has(hash)) continue
    found.set(hash, { rowA: id, rowB: null, input: content.input, expected: content.expected })
  }
  const all = [...found.values()]
  const isOfBoth = ({ rowA, rowB }: SharedInput): boolean => rowA !== null && rowB !== null
  return [...all.filter(isOfBoth), ...all.filter((input) => !isOfBoth(input))]
}

/** Returns the pairs whose answers differ under an equality: those that lost a right answer first, then those that won one. */
export function disagreementsOf(pairs: readonly RunPair[], equality: Equality): readonly Disagreement[] {
  return pairs
    .filter(({ a, b }) => !isSameAnswer(a, b, equality))
    .map((pair) => ({ ...pair, rightA: isRight(pair, 'a', equality), rightB: isRight(pair, 'b', equality) }))
    .toSorted((one, other) => rankOf(one) - rankOf(other))
}

function isSameAnswer(a: RunAnswer, b: RunAnswer, equality: Equality): boolean {
  if (a.error !== b.error || a.abstained !== b.abstained) return false
  return a.error !== null || a.abstained || isSameOutput(equality, b.output, a.output)
}

function isRight({ input, ...answers }: RunPair, side: 'a' | 'b', equality: Equality): boolean | null {
  if (input.expected === undefined) return null
  const { error, abstained, output } = answers[side]
  return error === null && !abstained && isSameOutput(equality, output, input.expected)
}

function rankOf({ rightA, rightB }: Disagreement): number {
  if (rightA === true && rightB === false) return 0
  return rightA === false && rightB === true ? 1 : 2
}
