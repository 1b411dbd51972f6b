import { formatFields } from './format.ts'
import { isEqual, listOf, membersOf, numberOf, textOf, toValue, type Value } from './values.ts'

type TextMethod = (text: string, args: readonly Value[]) => unknown
type ListMethod = (entries: readonly Value[], args: readonly Value[]) => unknown
type MembersMethod = (members: ReadonlyMap<string, Value>, args: readonly Value[]) => Value

const MOST_WIDTH = 10_000

/** Methods of Python's texts that the library has not, or not as Python has them. */
const OF_TEXTS: ReadonlyMap<string, TextMethod> = new Map<string, TextMethod>([
  ['capitalize', (text) => capitalized(text)],
  ['title', (text) => titled(text)],
  [
    'swapcase',
    (text) =>
      Array.from(text)
        .map((each) => (isUpper(each) ? each.toLowerCase() : each.toUpperCase()))
        .join(''),
  ],
  ['strip', (text, [chars]) => stripped(stripped(text, chars, 'start'), chars, 'end')],
  ['lstrip', (text, [chars]) => stripped(text, chars, 'start')],
  ['rstrip', (text, [chars]) => stripped(text, chars, 'end')],
  ['find', (text, [part]) => text.indexOf(needed(part))],
  ['rfind', (text, [part]) => text.lastIndexOf(needed(part))],
  ['index', (text, [part]) => found(text.indexOf(needed(part)))],
  ['rindex', (text, [part]) => found(text.lastIndexOf(needed(part)))],
  [
    'count',
    (text, [part]) => (needed(part) === '' ? Array.from(text).length + 1 : text.split(needed(part)).length - 1),
  ],
  ['startswith', (text, [start]) => options(start).some((each) => text.startsWith(each))],
  ['endswith', (text, [end]) => options(end).some((each) => text.endsWith(each))],
  ['removeprefix', (text, [start]) => (text.startsWith(needed(start)) ? text.slice(needed(start).length) : text)],
  ['removesuffix', (text, [end]) => removedEnd(text, needed(end))],
  ['split', (text, [separator, most]) => split(text, separator, numberOf(most) ?? -1)],
  ['rsplit', (text, [separator, most]) => splitFromEnd(text, separator, numberOf(most) ?? -1)],
  ['splitlines', (text) => text.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/u).filter(isNoLastEmpty)],
  ['partition', (text, [separator]) => partition(text, needed(separator), text.indexOf(needed(separator)))],
  ['rpartition', (text, [separator]) => partition(text, needed(separator), text.lastIndexOf(needed(separator)), true)],
  ['join', (text, [entries]) => joined(text, entries)],
  ['isdigit', (text) => /^\p{Nd}+$/u.test(text)],
  ['isalpha', (text) => /^\p{L}+$/u.test(text)],
  ['isalnum', (text) => /^[\p{L}\p{N}]+$/u.test(text)],
  ['isspace', (text) => /^\s+$/u.test(text)],
  ['isupper', (text) => text !== text.toLowerCase() && text === text.toUpperCase()],
  ['islower', (text) => text !== text.toUpperCase() && text === text.toLowerCase()],
  ['zfill', (text, [width]) => filled(text, width)],
  ['ljust', (text, [width, fill]) => text + padding(text, width, fill)],
  ['rjust', (text, [width, fill]) => padding(text, width, fill) + text],
  ['center', (text, [width, fill]) => centred(text, padding(text, width, fill), numberOf(width) ?? 0)],
  ['format', (text, args) => formatFields(text, args)],
])

const OF_LISTS: ReadonlyMap<string, ListMethod> = new Map<string, ListMethod>([
  ['index', (entries, [value]) => found(entries.findIndex((each) => value !== undefined && isEqual(each, value)))],
  ['count', (entries, [value]) => entries.filter((each) => value !== undefined && isEqual(each, value)).length],
])

const OF_DICTIONARIES: ReadonlyMap<string, MembersMethod> = new Map<string, MembersMethod>([
  ['get', (members, [name, other]) => members.get(textOf(name) ?? '') ?? other ?? toValue(null)],
])

/** Names of methods that `callMethod` knows. */
export const METHODS: ReadonlySet<string> = new Set([...OF_TEXTS.keys(), ...OF_LISTS.keys(), ...OF_DICTIONARIES.keys()])

/** Calls a method of a text, a list or a dictionary. Throws an `Error` for a value that has no such method, as Python does. */
export function callMethod(value: Value, name: string, args: readonly Value[]): Value {
  const [text, entries, members] = [textOf(value), listOf(value), membersOf(value)]
  const ofText = text === null ? undefined : OF_TEXTS.get(name)
  if (text !== null && ofText !== undefined) return toValue(ofText(text, args))
  const ofList = entries === null ? undefined : OF_LISTS.get(name)
  if (entries !== null && ofList !== undefined) return toValue(ofList(entries, args))
  const ofMembers = members === null ? undefined : OF_DICTIONARIES.get(name)
  if (members !== null && ofMembers !== undefined) return ofMembers(members, args)
  throw new Error(`calls ${name}() of a value that has no such method`)
}

/** The first character in upper case, the others in lower case. */
export function capitalized(text: string): string {
  const [first = '', ...rest] = Array.from(text)
  return first.toUpperCase() + rest.join('').toLowerCase()
}

/** Each letter after something else than a letter in upper case, the others in lower case. */
export function titled(text: string): string {
  return text.replaceAll(/\p{L}+/gu, capitalized)
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

function isNoLastEmpty(line: string, at: number, lines: readonly string[]): boolean {
  return line !== '' || at < lines.length - 1
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
  const wanted = numberOf(width) ?? 0
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
