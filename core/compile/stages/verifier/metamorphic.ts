import { canonicalJson, isJsonObject, type Json } from '../../../kernel/json/json.ts'
import type { Runner } from '../../runtime/recipe.ts'
import type { Row } from '../../rows/task.ts'
import type { Metamorphic, OutputType } from './verifier-types.ts'

const MAX_TRIALS = 50

/** Changes each text in a value. */
export function mapTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value)
  if (value === null || typeof value !== 'object') return value
  if (isJsonObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, mapTexts(inner, change)]))
  return value.map((inner) => mapTexts(inner, change))
}

const FOLD: Record<Metamorphic['change'], (text: string) => string> = {
  outer_space: (text) => text.trim(),
  letter_case: (text) => text.toLowerCase(),
}
const CHANGE: Record<Metamorphic['change'], (text: string) => string> = {
  outer_space: (text) => `  ${text} `,
  letter_case: (text) => text.toUpperCase(),
}

/** Changes an input in a way that a recipe with this check must not notice. */
export function changeInput(change: Metamorphic['change'], input: Json): Json {
  return mapTexts(input, CHANGE[change])
}

/** Rows whose inputs differ by the change alone: how many agree on the output; null when some do not. */
function countTwins(rows: readonly Row[], fold: (text: string) => string): number | null {
  const first = new Map<string, string>()
  let twins = 0
  for (const { input, output } of rows) {
    const key = canonicalJson(mapTexts(input, fold))
    const answer = canonicalJson(output)
    const earlier = first.get(key)
    if (earlier === undefined) first.set(key, answer)
    else if (earlier !== answer) return null
    else twins++
  }
  return twins
}

/** Counts labels whose inputs come both with and without the changed feature. */
function countMixedLabels(rows: readonly Row[], fold: (text: string) => string): number {
  const seen = new Map<string, Set<boolean>>()
  for (const { input, output } of rows) {
    const isFolded = canonicalJson(mapTexts(input, fold)) === canonicalJson(input)
    const key = canonicalJson(output)
    seen.set(key, (seen.get(key) ?? new Set<boolean>()).add(isFolded))
  }
  return [...seen.values()].filter(({ size }) => size === 2).length
}

/**
 * Changes of the input that must not change the output, where train rows support it: rows that differ by the
 * change alone and agree, or labels whose rows come in both forms.
 */
export function findMetamorphic(rows: readonly Row[], output: OutputType): readonly Metamorphic[] {
  return (['outer_space', 'letter_case'] as const).flatMap((change) => {
    const twins = countTwins(rows, FOLD[change])
    if (twins === null) return []
    const mixed = output.type === 'label' || output.type === 'boolean' ? countMixedLabels(rows, FOLD[change]) : 0
    const support = twins + mixed
    return support === 0 ? [] : [{ id: `invariant:${change}`, change, support }]
  })
}

function answer(runner: Runner, input: Json): string | null {
  try {
    const result = runner.run(input)
    return result.abstained ? null : canonicalJson(result.output)
  } catch {
    return null
  }
}

/** Tries the changes on inputs of the train rows: how often the answer stays as it was. */
export function tryMetamorphic(
  runner: Runner,
  checks: readonly Metamorphic[],
  rows: readonly Row[],
): { trials: number; passed: number } | null {
  if (checks.length === 0) return null
  let trials = 0
  let passed = 0
  for (const { change } of checks) {
    for (const { input } of rows.slice(0, MAX_TRIALS)) {
      const before = answer(runner, input)
      if (before === null) continue
      trials++
      if (answer(runner, changeInput(change, input)) === before) passed++
    }
  }
  return { trials, passed }
}
