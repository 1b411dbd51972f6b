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

/** Members of an output, nested ones included, that are all changed. */
const MOST_PLACES = 40
/** Of an output with more members, those are changed of which so many copies hold as many members as these. */
const MOST_COPIED_PLACES = MOST_PLACES ** 2

/** Returns true for each place that is changed, called once for each in order. */
type Picks = () => boolean

function countPlaces(value: Json): number {
  if (!isJsonObject(value)) return 1
  const members = Object.values(value)
  return members.length === 0 ? 1 : members.reduce<number>((sum, inner) => sum + countPlaces(inner), 0)
}

/** All places of a usual output; of a wide one a few, spread over it: each wrong answer is a copy of the whole. */
function picksOf(value: Json): Picks {
  const places = countPlaces(value)
  const most = places <= MOST_PLACES ? places : Math.max(2, Math.floor(MOST_COPIED_PLACES / places))
  const step = Math.ceil(places / most)
  let at = 0
  return () => at++ % step === 0
}

function changesOf(value: Json, picks: Picks): readonly Json[] {
  if (typeof value === 'string') return TEXT_CHANGES.map((change) => change(value).toWellFormed())
  if (typeof value === 'number') return [...NUMBER_CHANGES.map((change) => change(value)), String(value), null]
  if (typeof value === 'boolean') return [!value, String(value), null]
  if (value === null) return ['', 0, false]
  if (isJsonObject(value)) {
    return Object.entries(value).flatMap(([member, inner]): readonly Json[] => {
      const isNested = isJsonObject(inner) && Object.keys(inner).length > 0
      const changes = isNested || picks() ? changesOf(inner, picks) : null
      if (changes === null || (isNested && changes.length === 0)) return []
      const { [member]: _, ...rest } = value
      return [rest, ...changes.map((changed) => ({ ...value, [member]: changed }))]
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
  for (const wrong of [...changesOf(right, picksOf(right)), ...others]) distinct.set(canonicalJson(wrong), wrong)
  distinct.delete(key)
  return [...distinct.values()]
}
