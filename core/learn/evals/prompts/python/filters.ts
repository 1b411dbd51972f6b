import { capitalized, titled } from './methods.ts'
import { formatPercent } from './format.ts'
import { listOf, membersOf, numberOf, textOf, toValue, written, type Value } from './values.ts'

type Filter = (value: Value, args: readonly Value[]) => Value

/** Filters of Jinja that the library has not, or not for all values, or not as Jinja has them. */
export const FILTERS: ReadonlyMap<string, Filter> = new Map<string, Filter>([
  ['string', (value) => toValue(written(value))],
  ['title', (value) => toValue(titled(written(value)))],
  ['capitalize', (value) => toValue(capitalized(written(value)))],
  ['format', (value, args) => toValue(formatPercent(written(value), args))],
  ['count', (value) => toValue(entriesOf(value).length)],
  ['wordcount', (value) => toValue((written(value).match(/[\p{L}\p{N}_]+/gu) ?? []).length)],
  ['list', asList],
  ['sum', (value) => toValue(numbersOf(value).reduce((sum, each) => sum + each, 0))],
  ['min', (value) => extreme(value, (a, b) => a < b)],
  ['max', (value) => extreme(value, (a, b) => a > b)],
])

/** The entries of a list, the characters of a text, the names of a dictionary. */
function entriesOf(value: Value): readonly Value[] {
  const text = textOf(value)
  if (text !== null) return Array.from(text).map(toValue)
  const entries = listOf(value) ?? [...(membersOf(value)?.keys() ?? [])].map(toValue)
  if (listOf(value) === null && membersOf(value) === null)
    throw new Error('asks for the entries of a value that has none')
  return entries
}

function asList(value: Value): Value {
  return listOf(value) === null ? toValue(entriesOf(value).map((each) => each.value)) : value
}

function numbersOf(value: Value): readonly number[] {
  return entriesOf(value).map((each) => {
    const number = numberOf(each)
    if (number === null) throw new Error('sums values that are no numbers')
    return number
  })
}

function extreme(value: Value, isBetter: (a: number | string, b: number | string) => boolean): Value {
  const entries = entriesOf(value)
  const keys = entries.map((each) => numberOf(each) ?? textOf(each))
  let best: number | null = null
  for (const [at, key] of keys.entries()) {
    const least: number | string | null | undefined = best === null ? null : keys[best]
    if (key === null || (least !== null && typeof key !== typeof least))
      throw new Error('orders values that have no order')
    if (least === null || least === undefined || isBetter(key, least)) best = at
  }
  return entries[best ?? -1] ?? toValue(undefined)
}
