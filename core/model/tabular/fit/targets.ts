import { canonicalJson, type Json } from '../../../kernel/json/json.ts'
import { isLabel, listLabels, type Label } from '../../classifier/label-task.ts'
import { roundTo } from '../exact-math.ts'
import { MODEL_BOUNDS } from '../recipe/tabular-recipe.ts'
import type { Truth } from './losses.ts'

/** Labels of which a list may hold several. */
export const MAX_LISTED_LABELS = 100
const MAX_DECIMALS = 6

/** Target of a fit: the form of the outputs. */
export type TargetForm =
  | { readonly kind: 'label'; readonly labels: readonly Label[] }
  | { readonly kind: 'number'; readonly decimals: number | null; readonly mean: number; readonly spread: number }
  | { readonly kind: 'labels'; readonly labels: readonly Label[] }

/** The outputs of all rows as numbers to fit. */
export interface FitTarget {
  readonly form: TargetForm
  readonly truth: Truth
}

/** Reads outputs as the given form; null when they do not have it. */
export function readTargets(kind: TargetForm['kind'], outputs: readonly Json[]): FitTarget | null {
  if (kind === 'label') return labelTargets(outputs)
  return kind === 'number' ? numberTargets(outputs) : listTargets(outputs)
}

function labelTargets(outputs: readonly Json[]): FitTarget | null {
  const list = listLabels(outputs)
  if (list === null || list.labels.length > MODEL_BOUNDS.labels) return null
  const scores = list.labels.length === 2 ? 1 : list.labels.length
  const values = Float64Array.from(list.targets)
  return {
    form: { kind: 'label', labels: list.labels },
    truth: { link: scores === 1 ? 'sigmoid' : 'softmax', scores, values },
  }
}

/** Numbers, shifted to mean 0 and scaled to a standard deviation of 1. */
function numberTargets(outputs: readonly Json[]): FitTarget | null {
  const numbers = outputs.flatMap((output) => (typeof output === 'number' ? [output] : []))
  if (numbers.length < outputs.length || numbers.length < 2) return null
  // Squares of larger numbers would not be finite.
  if (numbers.some((number) => Math.abs(number) > 1e100)) return null
  const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length
  const variance = numbers.reduce((sum, number) => sum + (number - mean) ** 2, 0) / numbers.length
  const spread = Math.sqrt(variance)
  if (!(spread > 0)) return null
  return {
    form: { kind: 'number', decimals: commonDecimals(numbers), mean, spread },
    truth: { link: 'identity', scores: 1, values: Float64Array.from(numbers, (number) => (number - mean) / spread) },
  }
}

/** The decimals that all numbers get by with; null when some need more than six. */
function commonDecimals(numbers: readonly number[]): number | null {
  for (let decimals = 0; decimals <= MAX_DECIMALS; decimals++)
    if (numbers.every((number) => roundTo(number, decimals) === number)) return decimals
  return null
}

function listTargets(outputs: readonly Json[]): FitTarget | null {
  const lists: (readonly Label[])[] = []
  for (const output of outputs) {
    if (!Array.isArray(output)) return null
    const list = output.filter((item: Json): item is Label => isLabel(item))
    if (list.length < output.length || new Set(list.map((item) => canonicalJson(item))).size < list.length) return null
    lists.push(list)
  }
  const labels = orderLabels(lists)
  if (labels === null) return null
  const placeOf = new Map(labels.map((label, i) => [canonicalJson(label), i]))
  const values = new Float64Array(lists.length * labels.length)
  for (const [row, list] of lists.entries())
    for (const item of list) values[row * labels.length + (placeOf.get(canonicalJson(item)) ?? 0)] = 1
  return { form: { kind: 'labels', labels }, truth: { link: 'sigmoid', scores: labels.length, values } }
}

/** Labels in an order that agrees with all lists where there is one; null when there are none or too many. */
function orderLabels(lists: readonly (readonly Label[])[]): readonly Label[] | null {
  const known = new Map<string, Label>()
  const before = new Map<string, number>()
  for (const list of lists) {
    const keys = list.map((item) => canonicalJson(item))
    list.forEach((item, i) => known.set(keys[i] ?? '', item))
    if (known.size > MAX_LISTED_LABELS) return null
    for (let i = 0; i < keys.length; i++)
      for (let j = i + 1; j < keys.length; j++) {
        const pair = `${keys[i]}\n${keys[j]}`
        before.set(pair, (before.get(pair) ?? 0) + 1)
      }
  }
  if (known.size === 0) return null
  const left = new Set([...known.keys()].sort())
  const ordered: Label[] = []
  while (left.size > 0) {
    let best = ''
    let least = Infinity
    for (const key of left) {
      let others = 0
      for (const other of left) others += before.get(`${other}\n${key}`) ?? 0
      if (others < least) [best, least] = [key, others]
    }
    left.delete(best)
    ordered.push(known.get(best) ?? null)
  }
  return ordered
}
