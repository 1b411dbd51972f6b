import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.ts'
import { exprJson, type Program } from '../ast.ts'
import type { FieldSpec } from '../operators/fields.ts'
import { findOperator } from '../operators/table.ts'
import {
  characters,
  charSetWords,
  choiceWords,
  literalWords,
  nameWords,
  ordinalWords,
  patternWords,
  plainWords,
  positionWords,
} from './parts.ts'
import { PHRASES } from './phrases.ts'
import { fillPhrase } from './template.ts'

/** A line of a description; `depth` is how far it is indented. */
export interface DescribedLine {
  readonly depth: number
  readonly text: string
}

/** Longest expression that stays on one line. */
const MAX_LINE = 100
/** Most cases and members that are listed. */
const MAX_LISTED = 12
/** Most lines of a description. */
const MAX_LINES = 200

const PHRASE_BY_NAME: ReadonlyMap<string, string> = new Map(Object.entries(PHRASES))
/** Operators whose phrases need no brackets inside another. */
const PLAIN: ReadonlySet<string> = new Set(['literal', 'input', 'field', 'path', 'var'])
/** Operators that are written over several lines. */
const LISTED: ReadonlySet<string> = new Set(['if', 'switch', 'lookup', 'object'])

/** Returns what a program does in English, as lines with sub-lines. */
export function describeProgram(program: Program): DescribedLine[] {
  const lines = outline(exprJson(program.body))
  if (lines.length <= MAX_LINES) return lines
  return [...lines.slice(0, MAX_LINES), { depth: 0, text: `… ${lines.length - MAX_LINES} more lines` }]
}

function outline(node: Json | undefined): DescribedLine[] {
  if (!isJsonObject(node)) return [line(literalWords(node))]
  const inOne = expression(node)
  if (inOne.length <= MAX_LINE && !hasLists(node)) return [line(inOne)]
  switch (node.op) {
    case 'concat':
      return [line('joins these texts:'), ...below(listOf(node.parts).flatMap((part) => outline(part)))]
    case 'if':
      return [...headed(`if ${expression(node.cond)}`, outline(node.then)), ...headed('otherwise', outline(node.else))]
    case 'switch': {
      const cases = objectsOf(node.cases).map((one) => headed(`if ${expression(one.when)}`, outline(one.then)))
      return [...listed(cases), ...headed('otherwise', outline(node.else))]
    }
    case 'lookup': {
      const cases = objectsOf(node.cases).map((one) => [line(`${literalWords(one.key)} → ${literalWords(one.value)}`)])
      const rest = node.default === undefined ? [] : headed('otherwise', outline(node.default))
      return [line(`looks ${nested(node.key)} up in this table:`), ...below([...listed(cases), ...rest])]
    }
    case 'orElse':
    case 'coalesce':
      return [line('the first of these that has an answer:'), ...below(listOf(node.of).flatMap((one) => outline(one)))]
    case 'object': {
      const members = objectsOf(node.members).map((one) => headed(nameWords(one.name), outline(one.value)))
      return [line('an object:'), ...below(listed(members))]
    }
    case 'list':
      return [line('a list of:'), ...below(listed(listOf(node.items).map((one) => outline(one))))]
    case 'let':
      return [...headed(`${nameWords(node.name)} is`, outline(node.value)), ...outline(node.in)]
    default:
      return around(node)
  }
}

/** Writes an expression around its longest part, which stands on the lines below. */
function around(node: JsonObject): DescribedLine[] {
  const fields = findOperator(plainWords(node.op))?.fields ?? {}
  const parts = Object.entries(fields).filter(([name, { kind }]) => kind === 'expr' && isJsonObject(node[name]))
  const [longest] = parts
    .map(([name]) => ({ name, length: expression(node[name]).length + (hasLists(node[name]) ? MAX_LINE : 0) }))
    .toSorted((a, b) => b.length - a.length)
  if (longest === undefined || longest.length < MAX_LINE / 2) return [line(expression(node))]
  return headed(expression(node, longest.name), outline(node[longest.name]))
}

function hasLists(node: Json | undefined): boolean {
  if (Array.isArray(node)) return node.some(hasLists)
  if (!isJsonObject(node)) return false
  return (typeof node.op === 'string' && LISTED.has(node.op)) || Object.values(node).some(hasLists)
}

/** A head and what it is about: on one line where that is one short line. */
function headed(head: string, lines: readonly DescribedLine[]): DescribedLine[] {
  const [first] = lines
  if (lines.length === 1 && first !== undefined && head.length + first.text.length <= MAX_LINE) {
    return [line(`${head}: ${first.text}`)]
  }
  return [line(`${head}:`), ...below(lines)]
}

function listed(items: readonly (readonly DescribedLine[])[]): DescribedLine[] {
  const rest = items.length - MAX_LISTED
  return [...items.slice(0, MAX_LISTED).flat(), ...(rest > 0 ? [line(`… and ${rest} more`)] : [])]
}

function below(lines: readonly DescribedLine[]): DescribedLine[] {
  return lines.map(({ depth, text }) => ({ depth: depth + 1, text }))
}

function line(text: string): DescribedLine {
  return { depth: 0, text }
}

/** An expression inside another: in brackets where it has parts of its own. */
function nested(node: Json | undefined): string {
  const words = expression(node)
  return isJsonObject(node) && !PLAIN.has(plainWords(node.op)) ? `(${words})` : words
}

/** Writes an expression in one line; the field `left` is written "this", and stands below it. */
function expression(node: Json | undefined, left?: string): string {
  if (!isJsonObject(node) || typeof node.op !== 'string') return literalWords(node)
  const shortcut = left === undefined ? shortWords(node) : undefined
  if (shortcut !== undefined) return shortcut
  const phrase = PHRASE_BY_NAME.get(node.op)
  const fields = findOperator(node.op)?.fields
  if (phrase === undefined || fields === undefined) return node.op
  return fillPhrase(phrase, (name, form) => {
    const value = node[name]
    const spec = fields[name]
    if (value === undefined || value === false || spec === undefined) return undefined
    if (spec.kind === 'strings' && listOf(value).length === 0) return undefined
    return name === left ? 'this' : fieldWords(spec, value, form)
  })
}

/** Parts of texts and of the input that have a shorter name. */
function shortWords({ op, of, name, text, start, end, list, index }: JsonObject): string | undefined {
  if (op === 'field' && isJsonObject(of) && of.op === 'input') return `the field ${nameWords(name)}`
  if (op === 'nth' && isJsonObject(list) && list.op === 'list' && listOf(list.items).length === 0) return 'no answer'
  if (op === 'nth' && isJsonObject(list) && list.op === 'split' && typeof index === 'number') {
    const part = `${integerWords(index, 'item')} ${list.dropEmpty === true ? 'non-empty ' : ''}part`
    return `the ${part} of ${nested(list.text)} split at each ${patternWords(list.by, { expression: nested })}`
  }
  if (op !== 'slice' || !isJsonObject(start) || !isJsonObject(end)) return undefined
  if (start.op !== 'absPos' || end.op !== 'absPos') return undefined
  if (start.from === 'start' && start.offset === 0 && end.from === 'start') {
    return `the first ${someCharacters(Number(end.offset))} of ${nested(text)}`
  }
  if (start.from === 'end' && end.from === 'end' && end.offset === 0) {
    return `the last ${someCharacters(Number(start.offset))} of ${nested(text)}`
  }
  return undefined
}

function someCharacters(count: number): string {
  return count === 1 ? 'character' : characters(count)
}

const JOINERS: ReadonlyMap<string, string> = new Map([
  ['and', ' and '],
  ['or', ' or '],
  ['then', ', then '],
])

function fieldWords(spec: FieldSpec, value: Json, form: string | undefined): string {
  switch (spec.kind) {
    case 'expr':
      return nested(value)
    case 'exprs':
      return listOf(value)
        .map(nested)
        .join(JOINERS.get(form ?? '') ?? ', ')
    case 'pos':
      return positionWords(value, { expression: nested })
    case 'pattern':
      return patternWords(value, { expression: nested }, form === 'a')
    case 'charSet':
      return charSetWords(value)
    case 'choice':
      return form === 'sign' ? signWords(value) : choiceWords(value)
    case 'name':
      return nameWords(value)
    case 'integer':
      return integerWords(Number(value), form)
    case 'strings':
      return listOf(value)
        .map((one) => literalWords(one))
        .join(', ')
    case 'steps':
      return listOf(value).map(nameWords).join(' › ')
    case 'records':
      return recordWords(objectsOf(value))
    case 'regex':
      return `/${plainWords(value)}/`
    default:
      return literalWords(value)
  }
}

function integerWords(value: number, form: string | undefined): string {
  if (form === 'nth') return ordinalWords(value)
  if (form === 'item') return ordinalWords(value < 0 ? value : value + 1)
  return form === undefined ? String(value) : `${value} ${value === 1 ? form.replace(/s$/, '') : form}`
}

function signWords(value: Json): string {
  return value === 'add' ? 'plus' : value === 'sub' ? 'minus' : 'times'
}

/** Records inside a line: conditions with results, entries of a table, members, or names. */
function recordWords(records: readonly JsonObject[]): string {
  const words = records.slice(0, MAX_LISTED).map((one) => {
    if ('when' in one) return `${nested(one.then)} if ${expression(one.when)}`
    if ('key' in one) return `${literalWords(one.key)} → ${literalWords(one.value)}`
    if ('from' in one) return `${nameWords(one.from)} → ${nameWords(one.to)}`
    return 'name' in one
      ? `${nameWords(one.name)}: ${nested(one.value)}`
      : Object.values(one).map(choiceWords).join(' ')
  })
  const rest = records.length - words.length
  return `${words.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : []
}

function objectsOf(value: Json | undefined): readonly JsonObject[] {
  return listOf(value).filter((one) => isJsonObject(one))
}
