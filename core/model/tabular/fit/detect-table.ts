import { canonicalJson, isJsonObject, type Json } from '../../../kernel/json/json.ts'
import { detectLabelTask, isLabel } from '../../classifier/label-task.ts'
import { MAX_LISTED_LABELS, type TargetForm } from './targets.ts'

/** Form of the answers of a tabular model. */
export type TableTarget = TargetForm['kind']

/** Targets that a tabular model of these rows may have, the usual one first, or the reason why there is none. */
export type TableTask =
  | { readonly applicable: true; readonly targets: readonly [TableTarget, ...TableTarget[]] }
  | { readonly applicable: false; readonly reason: string }

/**
 * Decides whether rows are a table: inputs are objects with members, numbers or lists of numbers, and outputs are labels,
 * lists of few labels, or numbers. A text counts as a table of one column where outputs are lists of labels or numbers: the
 * classifier of texts gives one label.
 */
export function detectTable(rows: readonly { readonly input: Json; readonly output: Json }[]): TableTask {
  const outputs = rows.map(({ output }) => output)
  const areNumbers = outputs.every((output) => typeof output === 'number') && outputs.some((one) => one !== outputs[0])
  const asNumbers = areNumbers ? (['number'] as const) : []
  const areRecords = rows.every(({ input }) => isRecord(input))
  if (!areRecords && !rows.every(({ input }) => typeof input === 'string')) return NO_INPUTS
  if (areRecords && detectLabelTask(outputs).applicable) return { applicable: true, targets: ['label', ...asNumbers] }
  if (areNumbers) return { applicable: true, targets: ['number'] }
  if (areLabelLists(outputs)) return { applicable: true, targets: ['labels'] }
  return areRecords ? NO_OUTPUTS : NO_INPUTS
}

const NO_INPUTS = {
  applicable: false,
  reason: 'inputs are not objects with members, numbers or lists of numbers',
} as const
const NO_OUTPUTS = {
  applicable: false,
  reason: 'outputs are neither labels, nor lists of few labels, nor numbers',
} as const

function isRecord(input: Json): boolean {
  if (typeof input === 'number') return true
  if (Array.isArray(input)) return input.length > 0 && input.every((item: Json) => typeof item === 'number')
  return isJsonObject(input) && Object.keys(input).length > 0
}

/** True for lists of labels when each label is, on average, in two lists at least. */
function areLabelLists(outputs: readonly Json[]): boolean {
  const counts = new Map<string, number>()
  for (const output of outputs) {
    if (!Array.isArray(output)) return false
    const items: readonly Json[] = output
    const own = new Set(items.map((item) => canonicalJson(item)))
    if (own.size < items.length || !items.every((item) => isLabel(item))) return false
    for (const key of own) counts.set(key, (counts.get(key) ?? 0) + 1)
    if (counts.size > MAX_LISTED_LABELS) return false
  }
  const uses = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const isVaried = [...counts.values()].some((count) => count < outputs.length)
  return isVaried && counts.size <= outputs.length / 2 && uses >= counts.size * 2
}
