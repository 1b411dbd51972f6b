import { canonicalJson, type Json } from '../../../kernel/json/json.ts'
import { roundTo, sigmoid } from '../exact-math.ts'
import { toAnswer } from '../recipe/open-tabular.ts'
import type { Target } from '../recipe/tabular-recipe.ts'
import type { TargetForm } from './targets.ts'

/** Share of new rows whose number the interval of an answer is made to hold. */
const COVERAGE = 0.9

/** An answer for a row from a fit that did not see it. */
export interface HeldBackAnswer {
  readonly output: Json
  readonly confidence: number
  readonly correct: boolean
}

/** Decides whether an answer is the expected one. */
export type IsSameAnswer = (output: Json, expected: Json) => boolean

/** The target of a recipe, and the answers that it gives to the held-back rows. */
export interface SettledTarget {
  readonly target: Target
  readonly heldBack: readonly HeldBackAnswer[]
}

/**
 * Completes a target by held-back scores: the interval of a number, the threshold of each of several labels. Answers
 * of the thresholds are judged on the rows that chose them.
 * @param scores calibrated scores of the rows, row after row
 */
export function settleTarget(
  form: TargetForm,
  scores: Float64Array,
  outputs: readonly Json[],
  isSame: IsSameAnswer = isIdentical,
): SettledTarget {
  const target = targetOf(form, scores, outputs)
  const width = scores.length / outputs.length
  const heldBack = outputs.map((expected, row) => {
    const { output, confidence } = toAnswer(target, scores.slice(row * width, (row + 1) * width))
    return { output, confidence, correct: isSame(output, expected) }
  })
  return { target, heldBack }
}

function isIdentical(output: Json, expected: Json): boolean {
  return canonicalJson(output) === canonicalJson(expected)
}

function targetOf(form: TargetForm, scores: Float64Array, outputs: readonly Json[]): Target {
  if (form.kind === 'label') return { kind: 'label', labels: [...form.labels], threshold: 0 }
  if (form.kind === 'labels') {
    const labels = [...form.labels]
    return { kind: 'labels', labels, thresholds: chooseThresholds(labels, scores, outputs), threshold: 0 }
  }
  const { decimals } = form
  const misses = outputs.map((expected, row) => {
    const answer = decimals === null ? (scores[row] ?? 0) : roundTo(scores[row] ?? 0, decimals)
    return Math.abs(answer - (typeof expected === 'number' ? expected : NaN))
  })
  return { kind: 'number', decimals, interval: conformalInterval(misses) }
}

/**
 * The half width that holds the next miss with the stated probability, if rows are exchangeable: of n misses the one at
 * place ceil((n + 1) * coverage) (Vovk, Gammerman, Shafer 2005). With fewer than nine rows the largest one, whose
 * coverage is n / (n + 1).
 */
export function conformalInterval(misses: readonly number[]): { coverage: number; half_width: number } | null {
  const sorted = misses.filter((miss) => Number.isFinite(miss)).toSorted((a, b) => a - b)
  const rows = sorted.length
  if (rows === 0) return null
  const place = Math.ceil((rows + 1) * COVERAGE)
  const isShort = place > rows
  const half = sorted[(isShort ? rows : place) - 1] ?? 0
  return { coverage: isShort ? Number((rows / (rows + 1)).toPrecision(4)) : COVERAGE, half_width: half }
}

/** For each label the threshold with the most right decisions on held-back rows; of equals the one nearest to 0.5. */
function chooseThresholds(labels: readonly Json[], scores: Float64Array, outputs: readonly Json[]): number[] {
  const members = outputs.map(
    (output) => new Set(Array.isArray(output) ? output.map((item: Json) => canonicalJson(item)) : []),
  )
  return labels.map((label, k) => {
    const name = canonicalJson(label)
    const judged = members
      .map((set, row) => ({ probability: sigmoid(scores[row * labels.length + k] ?? 0), isIn: set.has(name) }))
      .sort((a, b) => a.probability - b.probability)
    return bestThreshold(judged)
  })
}

interface Judged {
  readonly probability: number
  readonly isIn: boolean
}

function bestThreshold(ascending: readonly Judged[]): number {
  // At first the threshold lies below all probabilities; each step leaves one more row out.
  let right = ascending.filter(({ isIn }) => isIn).length
  let [threshold, most] = [0.5, -1]
  for (let out = 0; out <= ascending.length; out++) {
    const below = ascending[out - 1]?.probability ?? 0
    const above = ascending[out]?.probability ?? 1
    if (below < above) {
      const value = below < 0.5 && above >= 0.5 ? 0.5 : (below + above) / 2
      const isNearer = Math.abs(value - 0.5) < Math.abs(threshold - 0.5)
      if (right > most || (right === most && isNearer)) [threshold, most] = [value, right]
    }
    right += ascending[out]?.isIn === true ? -1 : 1
  }
  return threshold
}
