import { inOrder, parameters, type Parameters } from './arguments.ts'
import { formatFields } from './format.ts'
import { isEqual, isValue, listOf, membersOf, numberOf, textOf, toValue, type Value } from './values.ts'

type Arguments = readonly (Value | undefined)[]

interface Method<Of> {
  readonly parameters: Parameters
  readonly call: (of: Of, args: Arguments) => unknown
}

const MOST_WIDTH = 10_000
const PART = 'sub start? end?'

/** Methods of Python's texts. */
const OF_TEXTS = methods<string>({
  capitalize: ['', (text) => capitalized(text)],
  title: ['', (text) => text.replaceAll(/\p{L}+/gu, capitalized)],
  upper: ['', (text) => text.toUpperCase()],
  lower: ['', (text) => text.toLowerCase()],
  swapcase: [
    '',
    (text) => text.replaceAll(/\p{L}/gu, (each) => (isUpper(each) ? each.toLowerCase() : each.toUpperCase())),
  ],
  strip: ['chars?', (text, [chars]) => stripped(stripped(text, chars, 'start'), chars, 'end')],
  lstrip: ['chars?', (text, [chars]) => stripped(text, chars, 'start')],
  rstrip: ['chars?', (text, [chars]) => stripped(text, chars, 'end')],
  find: [PART, (text, args) => placeOf(text, args, 'indexOf')],
  rfind: [PART, (text, args) => placeOf(text, args, 'lastIndexOf')],
  index: [PART, (text, args) => found(placeOf(text, args, 'indexOf'))],
  rindex: [PART, (text, args) => found(placeOf(text, args, 'lastIndexOf'))],
  count: [PART, (text, args) => countOf(text, args)],
  startswith: [
    PART,
    (text, [start, ...bounds]) => options(start).some((each) => within(text, bounds).part.startsWith(each)),
  ],
  endswith: [PART, (text, [end, ...bounds]) => options(end).some((each) => within(text, bounds).part.endsWith(each))],
  removeprefix: [
    'prefix',
    (text, [start]) => (text.startsWith(needed(start)) ? text.slice(needed(start).length) : text),
  ],
  removesuffix: ['suffix', (text, [end]) => removedEnd(text, needed(end))],
  replace: ['old new count?', (text, [old, by, most]) => replaced(text, needed(old), needed(by), whole(most) ?? -1)],
  split: ['* sep? maxsplit?', (text, [separator, most]) => split(text, separator, whole(most) ?? -1)],
  rsplit: ['* sep? maxsplit?', (text, [separator, most]) => splitFromEnd(text, separator, whole(most) ?? -1)],
  splitlines: ['* keepends?', (text, [keep]) => lines(text, numberOf(keep) === 1)],
  partition: ['sep', (text, [separator]) => partition(text, needed(separator), text.indexOf(needed(separator)))],
  rpartition: [
    'sep',
    (text, [separator]) => partition(text, needed(separator), text.lastIndexOf(needed(separator)), true),
  ],
  join: ['iterable', (text, [entries]) => joined(text, entries)],
  isdigit: ['', (text) => /^\p{Nd}+$/u.test(text)],
  isalpha: ['', (text) => /^\p{L}+$/u.test(text)],
  isalnum: ['', (text) => /^[\p{L}\p{N}]+$/u.test(text)],
  isspace: ['', (text) => /^\s+$/u.test(text)],
  isupper: ['', (text) => text !== text.toLowerCase() && text === text.toUpperCase()],
  islower: ['', (text) => text !== text.toUpperCase() && text === text.toLowerCase()],
  zfill: ['width', (text, [width]) => filled(text, width)],
  ljust: ['width fillchar?', (text, [width, fill]) => text + padding(text, width, fill)],
  rjust: ['width fillchar?', (text, [width, fill]) => padding(text, width, fill) + text],
  center: ['width fillchar?', (text, [width, fill]) => centred(text, padding(text, width, fill), whole(width) ?? 0)],
})

const OF_LISTS = methods<readonly Value[]>({
  index: ['value start? end?', (entries, [value, ...bounds]) => found(entryOf(entries, value, bounds))],
  count: ['value', (entries, [value]) => entries.filter((each) => value !== undefined && isEqual(each, value)).length],
})

const OF_DICTIONARIES = methods<ReadonlyMap<string, Value>>({
  get: ['key default?', (members, [name, other]) => members.get(textOf(name) ?? '') ?? other ?? toValue(null)],
})

function methods<Of>(
  given: Readonly<Record<string, readonly [string, Method<Of>['call']]>>,
): ReadonlyMap<string, Method<Of>> {
  return new Map(Object.entries(given).map(([name, [text, call]]) => [name, { parameters: parameters(text), call }]))
}

/** Names of methods that `callMethod` knows. */
export const METHODS: ReadonlySet<string> = new Set([
  'format',
  ...OF_TEXTS.keys(),
  ...OF_LISTS.keys(),
  ...OF_DICTIONARIES.keys(),
])

/**
 * Calls a method of a text, a list or a dictionary. Throws an `Error` for a value that has no such method, and for arguments that
 * it does not take, as Python does.
 */
export function callMethod(value: Value, name: string, args: readonly Value[]): Value {
  const [text, entries, members] = [textOf(value), listOf(value), membersOf(value)]
  if (text !== null && name === 'format') return toValue(formatFields(text, args))
  if (text !== null) return called(OF_TEXTS, name, text, args)
  if (entries !== null) return called(OF_LISTS, name, entries, args)
  if (members !== null) return called(OF_DICTIONARIES, name, members, args)
  throw noMethod(name)
}

function called<Of>(of: ReadonlyMap<string, Method<Of>>, name: string, value: Of, args: readonly Value[]): Value {
  const method = of.get(name)
  if (method === undefined) throw noMethod(name)
  const result = method.call(value, inOrder(`${name}()`, method.parameters, args))
  return isValue(result) ? result : toValue(result)
}

function noMethod(name: string): Error {
  return new Error(`calls ${name}() of a value that has no such method`)
}

/** The first character in upper case, the others in lower case. */
export function capitalized(text: string): string {
  const [first = '', ...rest] = Array.from(text)
  return first.toUpperCase() + rest.join('').toLowerCase()
}

function isUpper(letter: string): boolean {
  return letter !== letter.toLowerCase()
}

function needed(value: Value | undefined): string {
  const text = textOf(value)
  if (text === null) throw new Error('calls a method of texts with a value that is no text')
  return text
}

function options(value: Value | undefined): readonly string[] {
  const entries = value === undefined ? null : listOf(value)
  return entries === null ? [needed(value)] : entries.map(needed)
}

function found(place: number): number {
  if (place < 0) throw new Error('asks for the index of a value that is not there')
  return place
}

function stripped(text: string, chars: Value | undefined, side: 'start' | 'end'): string {
  if (chars === undefined || chars.type === 'NullValue') return side === 'start' ? text.trimStart() : text.trimEnd()
  const set = new Set(needed(chars))
  const points = Array.from(text)
  if (side === 'start') {
    const first = points.findIndex((point) => !set.has(point))
    return first < 0 ? '' : points.slice(first).join('')
  }
  return points.slice(0, points.findLastIndex((point) => !set.has(point)) + 1).join('')
}

function removedEnd(text: string, end: string): string {
  return end !== '' && text.endsWith(end) ? text.slice(0, -end.length) : text
}

function lines(text: string, keepsEnds: boolean): readonly string[] {
  const found = text.match(
    /[^\n\r\v\f\u0085\u2028\u2029]*(?:\r\n|[\n\r\v\f\u0085\u2028\u2029])|[^\n\r\v\f\u0085\u2028\u2029]+/gu,
  )
  return (found ?? []).map((line) => (keepsEnds ? line : line.replace(/(?:\r\n|[\n\r\v\f\u0085\u2028\u2029])$/u, '')))
}

function whole(value: Value | undefined): number | null {
  if (value === undefined || value.type === 'NullValue') return null
  const number = numberOf(value)
  if (number === null || !Number.isInteger(number))
    throw new Error('calls a method with a value that is no whole number')
  return number
}

/** The part of a text, or of a list, between places as Python counts them, and where it begins. */
function bounded(length: number, [start, end]: Arguments): readonly [number, number] {
  const place = (value: Value | undefined, other: number) => {
    const given = whole(value) ?? other
    return Math.min(length, given < 0 ? Math.max(0, given + length) : given)
  }
  return [place(start, 0), place(end, length)]
}

function within(text: string, bounds: Arguments): { readonly part: string; readonly from: number } {
  const points = Array.from(text)
  const [from, to] = bounded(points.length, bounds)
  return { part: points.slice(from, to).join(''), from }
}

/** The place of a part, in characters; -1 where it is not there. */
function placeOf(text: string, [part, ...bounds]: Arguments, search: 'indexOf' | 'lastIndexOf'): number {
  const { part: inside, from } = within(text, bounds)
  const at = inside[search](needed(part))
  return at < 0 ? -1 : from + Array.from(inside.slice(0, at)).length
}

function countOf(text: string, [part, ...bounds]: Arguments): number {
  const { part: inside } = within(text, bounds)
  return needed(part) === '' ? Array.from(inside).length + 1 : inside.split(needed(part)).length - 1
}

function entryOf(entries: readonly Value[], value: Value | undefined, bounds: Arguments): number {
  const [from, to] = bounded(entries.length, bounds)
  const at = entries.slice(from, to).findIndex((each) => value !== undefined && isEqual(each, value))
  return at < 0 ? -1 : from + at
}

function replaced(text: string, old: string, by: string, most: number): string {
  const parts = old === '' ? ['', ...Array.from(text), ''] : text.split(old)
  const cuts = most < 0 ? parts.length - 1 : Math.min(most, parts.length - 1)
  return (
    parts
      .slice(0, cuts)
      .map((part) => part + by)
      .join('') + parts.slice(cuts).join(old)
  )
}

function split(text: string, separator: Value | undefined, most: number): readonly string[] {
  if (separator === undefined || separator.type === 'NullValue') {
    const words = text.trim() === '' ? [] : text.trim().split(/\s+/u)
    if (most < 0 || words.length <= most + 1) return words
    const rest = text.trimStart().replace(new RegExp(String.raw`^(?:\S+\s+){${most}}`, 'u'), '')
    return [...words.slice(0, most), rest]
  }
  const parts = text.split(separatorOf(separator))
  if (most < 0 || parts.length <= most + 1) return parts
  return [...parts.slice(0, most), parts.slice(most).join(separatorOf(separator))]
}

function splitFromEnd(text: string, separator: Value | undefined, most: number): readonly string[] {
  if (separator === undefined || separator.type === 'NullValue') {
    const back = (one: string) => Array.from(one).toReversed().join('')
    return split(back(text), undefined, most).map(back).toReversed()
  }
  const parts = text.split(separatorOf(separator))
  if (most < 0 || parts.length <= most + 1) return parts
  const kept = parts.length - most
  return [parts.slice(0, kept).join(separatorOf(separator)), ...parts.slice(kept)]
}

function separatorOf(value: Value): string {
  const text = needed(value)
  if (text === '') throw new Error('splits by an empty text')
  return text
}

function partition(text: string, separator: string, at: number, isFromEnd = false): readonly string[] {
  if (at < 0) return isFromEnd ? ['', '', text] : [text, '', '']
  return [text.slice(0, at), separator, text.slice(at + separator.length)]
}

function joined(separator: string, entries: Value | undefined): string {
  const text = textOf(entries)
  if (text !== null) return Array.from(text).join(separator)
  const list = entries === undefined ? null : listOf(entries)
  if (list === null) throw new Error('joins a value that is no list')
  return list.map(needed).join(separator)
}

function padding(text: string, width: Value | undefined, fill: Value | undefined): string {
  const wanted = whole(width) ?? 0
  if (wanted > MOST_WIDTH) throw new Error(`asks for a width above ${MOST_WIDTH}`)
  return (fill === undefined ? ' ' : needed(fill)).repeat(Math.max(0, wanted - Array.from(text).length))
}

/** With the odd space where Python has it: before a text of odd length, after one of even length. */
function centred(text: string, pad: string, width: number): string {
  const before = Math.floor(pad.length / 2) + (pad.length & width & 1)
  return pad.slice(0, before) + text + pad.slice(before)
}

function filled(text: string, width: Value | undefined): string {
  const mark = /^[+-]/.test(text) ? text.charAt(0) : ''
  return mark + padding(text, width, toValue('0')) + text.slice(mark.length)
}
