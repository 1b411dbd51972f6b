import type { FactKey, FactValue } from './facts-of.ts'

/** A condition on one fact of a row: it has a value, it is within a range (both ends included), or it is absent. */
export type Condition = FactKey &
  ({ readonly is: FactValue } | { readonly from: number; readonly to: number } | { readonly absent: true })

/** Returns the text that names a fact: equal for equal keys. */
export function keyText({ side, path, name, of }: FactKey): string {
  return JSON.stringify([side, path, name, of ?? null])
}

/** Returns whether the facts of a row, by the text of their keys, meet a condition. */
export function meets(facts: ReadonlyMap<string, FactValue>, condition: Condition): boolean {
  const value = facts.get(keyText(condition))
  if ('absent' in condition) return value === undefined
  if ('is' in condition) return value === condition.is
  return typeof value === 'number' && value >= condition.from && value <= condition.to
}

/** Returns a condition in words, such as `/amount is between 100 and 900`. */
export function conditionInWords(condition: Condition): string {
  const place = placeOf(condition)
  if ('absent' in condition) return `${place} is missing`
  if ('from' in condition) return `${place} ${rangeInWords(condition, condition.from, condition.to)}`
  return `${place} ${valueInWords(condition, condition.is)}`
}

/** Returns conditions that hold together, in words. */
export function conditionsInWords(conditions: readonly Condition[]): string {
  return conditions.map(conditionInWords).join(' and ')
}

function placeOf({ side, path }: FactKey): string {
  const name = side === 'expected' ? 'the expected output' : 'the input'
  if (path === '') return name
  return side === 'expected' ? `${path} of the expected output` : path
}

function rangeInWords({ name }: FactKey, from: number, to: number): string {
  const unit =
    { length: ' characters', words: ' words', sentences: ' sentences', items: ' items', numbers: ' numbers' }[
      name as 'length'
    ] ?? ''
  const between = from === to ? shown(from) : `${shown(from)} to ${shown(to)}`
  if (name === 'number')
    return from === to ? `has the number ${shown(from)}` : `has a number from ${shown(from)} to ${shown(to)}`
  return `has ${between}${unit}`
}

function shown(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 4 })
}

function valueInWords({ name, of = '' }: FactKey, value: FactValue): string {
  switch (name) {
    case 'type':
      return value === 'null' ? 'is null' : `is ${value === 'object' ? 'an' : 'a'} ${String(value)}`
    case 'present':
      return 'is present'
    case 'value':
      return `is “${String(value)}”`
    case 'script':
      return `is in ${String(value)} script`
    case 'language':
      return `is in ${String(value)}`
    case 'shape':
      return `has the form ${String(value)}`
    case 'unit':
      return `has the unit ${of}`
    case 'case':
      return value === 'upper' ? 'is in capital letters' : 'is in small letters'
    case 'ending':
      return `ends with “${String(value)}”`
    case 'empty':
      return 'is empty'
    case 'has':
      return `has ${of}`
    case 'word':
      return `mentions “${of}”`
    case 'unlike':
      return 'is unlike those of the other rows'
    case 'number':
    case 'length':
    case 'words':
    case 'sentences':
    case 'items':
    case 'numbers':
      return rangeInWords({ side: 'input', path: '', name }, Number(value), Number(value))
  }
}
