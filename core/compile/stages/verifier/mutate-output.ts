import { canonicalJson, isJsonObject, type Json } from '../../../kernel/json/json.ts'

/** Ways of making a text wrong that people and models really produce. */
const TEXT_CHANGES: readonly ((text: string) => string)[] = [
  () => '',
  (text) => text.slice(0, -1),
  (text) => text.slice(1),
  (text) => text.slice(0, Math.ceil(text.length / 2)),
  (text) => `${text} ${text}`,
  (text) => `${text}!`,
  (text) => `The answer is ${text}`,
  (text) => ` ${text}`,
  (text) => text.toUpperCase(),
  (text) => text.toLowerCase(),
  (text) => text.replace(/\d/, (digit) => String((Number(digit) + 1) % 10)),
  (text) => text.replace(/\s+/, ''),
  (text) => Array.from(text).toReversed().join(''),
]

const NUMBER_CHANGES: readonly ((value: number) => number)[] = [
  (value) => -value,
  (value) => value + 1,
  (value) => value * 10,
  (value) => value / 3,
  (value) => value + 0.5,
]

function changesOf(value: Json): readonly Json[] {
  if (typeof value === 'string') return TEXT_CHANGES.map((change) => change(value).toWellFormed())
  if (typeof value === 'number') return [...NUMBER_CHANGES.map((change) => change(value)), String(value), null]
  if (typeof value === 'boolean') return [!value, String(value), null]
  if (value === null) return ['', 0, false]
  if (isJsonObject(value)) {
    const members = Object.keys(value)
    return members.flatMap((member): readonly Json[] => {
      const { [member]: inner, ...rest } = value
      if (inner === undefined) return []
      return [rest, ...changesOf(inner).map((changed) => ({ ...value, [member]: changed }))]
    })
  }
  return [[], value.slice(1), [...value, ...value], value.toReversed()]
}

/**
 * Wrong answers made from a right one: its text or numbers damaged, its members dropped, its type changed, and the
 * right answers of other rows. None equals the right one.
 */
export function mutateOutput(right: Json, others: readonly Json[]): readonly Json[] {
  const key = canonicalJson(right)
  const distinct = new Map<string, Json>()
  for (const wrong of [...changesOf(right), ...others]) distinct.set(canonicalJson(wrong), wrong)
  distinct.delete(key)
  return [...distinct.values()]
}
