import { canonicalJson, type Json } from '../../kernel/json/json.ts'

/** A JSON scalar as a label. */
export type Label = string | number | boolean | null

/** Labels of a task at most. */
export const MAX_LABELS = 1000
const MAX_LABEL_CHARS = 200
/** Share of rows whose label may occur only once: each fold takes a fifth of the rows away. */
const LONELY_SHARE = 0.25

/** Returns true for a valid label: a JSON scalar of limited length. */
export function isLabel(value: Json): value is Label {
  if (typeof value === 'string') return value.length <= MAX_LABEL_CHARS
  return value === null || typeof value !== 'object'
}

/** Distinct labels in the order of their canonical JSON, and the number of each row's label among them. */
export interface LabelList {
  readonly labels: readonly Label[]
  readonly targets: Uint32Array
}

/** The labels of outputs, or the reason why the outputs are not labels. */
export type LabelTask =
  | ({ readonly applicable: true } & LabelList)
  | { readonly applicable: false; readonly reason: string }

/** Numbers the distinct outputs. Null when one is not a short scalar, or there are fewer than two or too many. */
export function listLabels(outputs: readonly Json[]): LabelList | null {
  const found = new Map<string, Label>()
  const keys: string[] = []
  for (const output of outputs) {
    if (!isLabel(output)) return null
    const key = canonicalJson(output)
    keys.push(key)
    found.set(key, output)
    if (found.size > MAX_LABELS) return null
  }
  if (found.size < 2) return null
  const ordered = [...found].sort(([a], [b]) => (a < b ? -1 : 1))
  const numberOf = new Map(ordered.map(([key], i) => [key, i]))
  return {
    labels: ordered.map(([, label]) => label),
    targets: Uint32Array.from(keys, (key) => numberOf.get(key) ?? 0),
  }
}

/**
 * Decides whether outputs are labels: short scalars, at least two and at most half as many distinct ones as rows, and
 * at least three quarters of the rows with a label that occurs again.
 */
export function detectLabelTask(outputs: readonly Json[]): LabelTask {
  const no = (reason: string): LabelTask => ({ applicable: false, reason })
  const list = listLabels(outputs)
  if (list === null) return no(`outputs are not 2 to ${MAX_LABELS} different short scalars`)
  const counts = new Uint32Array(list.labels.length)
  for (const target of list.targets) counts[target] = (counts[target] ?? 0) + 1
  const fault = labelFault(counts)
  return fault === null ? { applicable: true, ...list } : no(fault)
}

/** Returns true for labels that occur so often in so many rows. */
export function isLabelTask(counts: readonly number[]): boolean {
  return counts.length >= 2 && labelFault(counts) === null
}

/** Why labels with these numbers of rows are none; null when they are. */
function labelFault(counts: Iterable<number>): string | null {
  let [labels, rows, lonely] = [0, 0, 0]
  for (const count of counts) {
    labels++
    rows += count
    if (count === 1) lonely++
  }
  if (labels > rows / 2) return 'too many different outputs for the number of rows'
  return lonely > rows * LONELY_SHARE ? 'too many outputs occur only once' : null
}
