import { inOrder, parameters, type Parameters } from './arguments.ts'
import { formatPercent } from './format.ts'
import { capitalized } from './methods.ts'
import { listOf, membersOf, numberOf, textOf, toFloat, toValue, written, type Value } from './values.ts'

type Call = (value: Value, args: readonly (Value | undefined)[]) => Value

/** The characters after which Jinja's filter begins a word. */
const WORD_STARTS = /([-\s({[<]+)/u

/** Filters of Jinja that the library has not, or not for all values, or not as Jinja has them. `format` takes any arguments. */
const CALLS: Readonly<Record<string, readonly [string, Call]>> = {
  string: ['', (value) => toValue(written(value))],
  title: ['', (value) => toValue(written(value).split(WORD_STARTS).map(capitalized).join(''))],
  capitalize: ['', (value) => toValue(capitalized(written(value)))],
  length: ['', (value) => toValue(lengthOf(value))],
  count: ['', (value) => toValue(lengthOf(value))],
  wordcount: ['', (value) => toValue((written(value).match(/[\p{L}\p{N}_]+/gu) ?? []).length)],
  list: ['', asList],
  sum: ['', sumOf],
  min: ['', (value) => extreme(value, (a, b) => a < b)],
  max: ['', (value) => extreme(value, (a, b) => a > b)],
}

const FILTER_PARAMETERS: ReadonlyMap<string, Parameters> = new Map(
  Object.entries(CALLS).map(([name, [text]]) => [name, parameters(text)]),
)

/** Names of filters that `callFilter` knows. */
export const FILTERS: ReadonlySet<string> = new Set(['format', ...FILTER_PARAMETERS.keys()])

/** Calls a filter. Throws an `Error` for a value, or arguments, that it does not take. */
export function callFilter(value: Value, name: string, args: readonly Value[]): Value {
  if (name === 'format') return toValue(formatPercent(written(value), args))
  const [found, taken] = [CALLS[name], FILTER_PARAMETERS.get(name)]
  if (found === undefined || taken === undefined) throw new Error(`uses the filter ${name}, which is not supported`)
  return found[1](value, inOrder(`the filter ${name}`, taken, args))
}

function lengthOf(value: Value): number {
  const text = textOf(value)
  return text === null ? entriesOf(value).length : Array.from(text).length
}

/** The entries of a list, the characters of a text, the names of a dictionary. */
function entriesOf(value: Value): readonly Value[] {
  const [text, members] = [textOf(value), membersOf(value)]
  const names = text !== null ? Array.from(text) : members !== null ? [...members.keys()] : null
  const entries = names === null ? listOf(value) : listOf(toValue(names))
  if (entries === null) throw new Error('asks for the entries of a value that has none')
  return entries
}

function asList(value: Value): Value {
  return listOf(value) === null ? toValue(entriesOf(value).map((each) => each.value)) : value
}

function sumOf(value: Value): Value {
  const entries = entriesOf(value)
  const sum = entries.reduce((total, each) => {
    const number = numberOf(each)
    if (number === null) throw new Error('sums values that are no numbers')
    return total + number
  }, 0)
  return entries.some(({ type }) => type === 'FloatValue') ? toFloat(sum) : toValue(sum)
}

/** The first of the best entries; upper and lower case are equal, as in Jinja. */
function extreme(value: Value, isBetter: (a: number | string, b: number | string) => boolean): Value {
  const entries = entriesOf(value)
  const keys = entries.map((each) => numberOf(each) ?? textOf(each)?.toLowerCase() ?? null)
  let best = 0
  for (const [at, key] of keys.entries()) {
    const least = keys[best] ?? null
    if (key === null || least === null || typeof key !== typeof least) {
      throw new Error('orders values that have no order')
    }
    if (isBetter(key, least)) best = at
  }
  return entries[best] ?? toValue(undefined)
}
