import type { Json } from '../../../kernel/json/json.ts'
import { Cost, costOf } from '../ranking/cost.ts'
import { shapeOf } from '../solve/row-shapes.ts'
import { isUnlike, type AnswerShapes } from './answer-shapes.ts'

/**
 * The working rows of a search: those with a target come first, then inputs without one. Every node is evaluated on all
 * of them; proposals and conditions follow from the rows with a target alone.
 */
export interface WorkingRows {
  /** Rows with a target. */
  readonly shown: number
  /** All of them. */
  readonly count: number
}

/** Returns the unlabelled inputs on which a vector has no value, as the bits of a number. */
export function missingOf(values: readonly unknown[], { shown, count }: WorkingRows): number {
  let missing = 0
  // A vector that was made for the rows with a target tells nothing of the others.
  for (let row = shown; row < Math.min(count, values.length); row++)
    if (values[row] === undefined) missing |= 1 << (row - shown)
  return missing
}

function countBits(bits: number): number {
  let count = 0
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++
  return count
}

const known = new Map<number, Cost>()

/** Returns the cost of having no value on some of the unlabelled inputs: for the first one, and for their share. */
export function missingCost(missing: number, { shown, count }: WorkingRows): Cost {
  return unansweredCost(countBits(missing), count - shown)
}

/** Returns the cost of having no value on `missing` of `inputs` unlabelled inputs. */
function unansweredCost(missing: number, inputs: number): Cost {
  if (missing === 0 || inputs === 0) return Cost.NONE
  const share = missing / inputs
  const cost = known.get(share) ?? costOf('unlabelled.missing').with('unlabelled.missing.share', share)
  known.set(share, cost)
  return cost
}

/** An input without a target, beside the rows. */
export interface Unlabelled {
  /** True when it has a shape that no row's input has. */
  readonly isNew: boolean
  /** The input itself as an answer, where some row's target is its input. */
  readonly copy: Json | undefined
}

/**
 * Returns the cost of a program's answers to the unlabelled inputs. An input without an answer, or with an answer unlike
 * all targets, adds to it. It adds less where the input is unlike all inputs of rows, and nothing where inputs are
 * answers.
 * @param answers one for each input, undefined where there is none
 */
export function answersCost(
  answers: readonly (Json | undefined)[],
  shapes: AnswerShapes,
  inputs: readonly Unlabelled[],
): Cost {
  const missing = answers.filter((answer) => answer === undefined).length
  const unlike = answers.flatMap((answer, at) =>
    answer !== undefined && answer !== inputs[at]?.copy && isUnlike(answer, shapes) ? [inputs[at]?.isNew === true] : [],
  )
  const cost = unansweredCost(missing, answers.length)
  if (unlike.length === 0) return cost
  const ofNew = unlike.filter(Boolean).length
  return cost
    .when(ofNew < unlike.length, 'unlabelled.newShape')
    .when(ofNew > 0, 'unlabelled.newShape.ofNew')
    .with('unlabelled.newShape.share', (unlike.length - ofNew) / answers.length)
    .with('unlabelled.newShape.ofNew.share', ofNew / answers.length)
}

/** Compares the inputs without a target with the rows. */
export function describeUnlabelled(
  inputs: readonly Json[],
  targets: readonly Json[],
  unlabelled: readonly Json[],
): readonly Unlabelled[] {
  const shapes = new Set(unlabelled.length === 0 ? [] : inputs.map(shapeOf))
  const isCopied = inputs.some((input, row) => typeof input === 'string' && input === targets[row])
  const kinds = new Set(targets.flatMap(kindsIn))
  // An input with a mark that no target has is rather one that the program should have changed.
  const isPlain = (input: Json) => kindsIn(input).every((kind) => kinds.has(kind))
  return unlabelled.map((input) => ({
    isNew: !shapes.has(shapeOf(input)),
    copy: isCopied && isPlain(input) ? input : undefined,
  }))
}

/** The kinds of the characters of a text: digits, capitals, other letters; each mark is a separate kind. */
function kindsIn(value: Json): readonly string[] {
  if (typeof value !== 'string') return []
  const marks = value.replaceAll(/[\p{Nd}\p{L}]/gu, '')
  return [
    ...(/\p{Nd}/u.test(value) ? ['digit'] : []),
    ...(/\p{Lu}/u.test(value) ? ['capital'] : []),
    ...(/(?!\p{Lu})\p{L}/u.test(value) ? ['letter'] : []),
    ...(marks.match(/./gsu) ?? []),
  ]
}

/** The first values of a vector: those on rows with a target. */
export function shownOf<T>(values: readonly T[], shown: number): readonly T[] {
  return values.length <= shown ? values : values.slice(0, shown)
}

/** A node on the rows with a target. */
export function onShown<T extends { readonly values: readonly unknown[] }>(node: T, shown: number): T {
  return node.values.length <= shown ? node : { ...node, values: node.values.slice(0, shown) }
}
