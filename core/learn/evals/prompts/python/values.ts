import { Environment } from '@huggingface/jinja'
import { numberText, quoted } from './text.ts'

/** A value of the library's interpreter, whose own types cannot be resolved from here. */
export interface Value {
  readonly type: string
  value: unknown
}
/** A function of templates, which gets the values as the interpreter has them. */
export type ValueFunction = (args: readonly Value[]) => Value

/** Why a value that is not there is refused, as Jinja's `StrictUndefined` does. */
export const NOT_THERE = 'reads a column or a member that is not there'

/** Returns a value of JavaScript as one of the interpreter. */
export function toValue(value: unknown): Value {
  return new Environment().set('value', value)
}

/** Returns a number as a float, also one without a fraction. */
export function toFloat(number: number): Value {
  const made = toValue(0.5)
  made.value = number
  return made
}

/** Returns a function as a value. The library's own conversion would lose nulls, and what is a float. */
export function toFunction(call: ValueFunction): Value {
  const made = toValue(() => null)
  made.value = call
  return made
}

/** The entries of a list or a tuple; null for other values. */
export function listOf(value: Value): readonly Value[] | null {
  return value.type === 'ArrayValue' || value.type === 'TupleValue' ? entriesOf(value.value) : null
}

function entriesOf(value: unknown): readonly Value[] {
  return Array.isArray(value) ? value.filter(isValue) : []
}

/** Whether something is a value of the interpreter already. */
export function isValue(value: unknown): value is Value {
  return typeof value === 'object' && value !== null && 'type' in value && 'value' in value
}

/** The members of a dictionary; null for other values. */
export function membersOf(value: Value): ReadonlyMap<string, Value> | null {
  const isDictionary = value.type === 'ObjectValue' || value.type === 'KeywordArgumentsValue'
  return isDictionary && value.value instanceof Map ? value.value : null
}

/**
 * An entry of a list by its place, a character of a text, or a member by its name; a value that is not there where there is none.
 * Throws for a value that has no entries.
 */
export function itemOf(value: Value, place: Value): Value {
  const missing = toValue(undefined)
  if (value.value instanceof Map) {
    const member: unknown = value.value.get(textOf(place) ?? '')
    return isValue(member) ? member : missing
  }
  const at = place.type === 'IntegerValue' ? numberOf(place) : null
  const [entries, text] = [listOf(value), textOf(value)]
  if (at === null || (entries === null && text === null))
    throw new Error('asks for an entry of a value that has none of that name')
  if (entries !== null) return entries.at(at) ?? missing
  const character = Array.from(text ?? '').at(at)
  return character === undefined ? missing : toValue(character)
}

/** The text of a text value; null for other values. */
export function textOf(value: Value | undefined): string | null {
  return typeof value?.value === 'string' ? value.value : null
}

/** A number, also that of a boolean; null for other values. */
export function numberOf(value: Value | undefined): number | null {
  if (typeof value?.value === 'boolean') return Number(value.value)
  return typeof value?.value === 'number' ? value.value : null
}

/** Returns a value as Python's `str` writes it. Throws for a value that is not there, and for a function. */
export function written(value: Value): string {
  return textOf(value) ?? formOf(value)
}

/** Returns a value as Python's `repr` writes it. Throws as `written` does. */
export function formOf(value: Value): string {
  const inner = value.value
  if (typeof inner === 'string') return quoted(inner)
  if (typeof inner === 'boolean') return inner ? 'True' : 'False'
  if (typeof inner === 'number') return numberText(inner, value.type === 'FloatValue')
  if (value.type === 'NullValue') return 'None'
  if (value.type === 'UndefinedValue') throw new Error(NOT_THERE)
  const entries = listOf(value)
  if (entries !== null) {
    const forms = entries.map(formOf).join(', ')
    if (value.type === 'ArrayValue') return `[${forms}]`
    return entries.length === 1 ? `(${forms},)` : `(${forms})`
  }
  const members = membersOf(value)
  if (members === null) throw new Error('writes a value that is no text, number, list or object')
  return `{${[...members].map(([name, each]) => `${quoted(name)}: ${formOf(each)}`).join(', ')}}`
}

/**
 * Whether two values are equal in Python: numbers by value, lists and dictionaries by what they hold. Throws for a value that is
 * not there.
 */
export function isEqual(a: Value, b: Value): boolean {
  if (a.type === 'UndefinedValue' || b.type === 'UndefinedValue') throw new Error(NOT_THERE)
  const [numberA, numberB] = [numberOf(a), numberOf(b)]
  if (numberA !== null || numberB !== null) return numberA === numberB
  const [listA, listB] = [listOf(a), listOf(b)]
  if (listA !== null && listB !== null) {
    return a.type === b.type && listA.length === listB.length && listA.every((each, at) => isEqualTo(each, listB[at]))
  }
  const [membersA, membersB] = [membersOf(a), membersOf(b)]
  if (membersA !== null && membersB !== null) {
    return membersA.size === membersB.size && [...membersA].every(([name, each]) => isEqualTo(each, membersB.get(name)))
  }
  return a.type === b.type && a.value === b.value
}

function isEqualTo(a: Value, b: Value | undefined): boolean {
  return b !== undefined && isEqual(a, b)
}
