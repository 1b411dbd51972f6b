import { readFileSync } from 'node:fs'
import type { Json, JsonObject } from '../../../../core/kernel/json/json.ts'

/** One rule of the grammar as docs/formats/recipe-language.md states it. */
export interface Rule {
  readonly name: string
  /** `operator`, or what the table calls it: `position`, `pattern`, `set`. */
  readonly table: 'operator' | 'position' | 'pattern' | 'set'
  readonly fields: readonly RuleField[]
  /** Names of types, or of the fields whose types it gives; empty for what is no expression. */
  readonly gives: readonly string[]
}

/** A field: its name and its type in the words of the page. */
export interface RuleField {
  readonly name: string
  readonly isOptional: boolean
  readonly type: string
}

const PAGE = readFileSync(new URL('../../../../docs/formats/recipe-language.md', import.meta.url), 'utf8')
const TABLES = { Operator: 'operator', Position: 'position', Pattern: 'pattern', Set: 'set' } as const

/** All rules of the page's tables, in their order. */
export function readRules(): readonly Rule[] {
  const rules: Rule[] = []
  let table: Rule['table'] | undefined
  for (const line of PAGE.split('\n')) {
    const cells = /^\|(.*)\|$/
      .exec(line)?.[1]
      ?.split(/ \| |^ | $/)
      .filter((_, i, all) => i > 0 && i < all.length - 1)
    if (cells === undefined) table = undefined
    else if (/^\| (Operator|Position|Pattern|Set) \| Fields \|/.test(line)) {
      table = TABLES[cells[0] as keyof typeof TABLES]
    } else if (table !== undefined && !/^\| ?-/.test(line)) rules.push(readRule(table, cells))
  }
  return rules
}

/** The names in the first column of the table with this heading, such as the tokens or the letters of dates. */
export function readNames(heading: string): readonly string[] {
  const rows = PAGE.split(`\n| ${heading} |`)[1]?.split('\n\n')[0]?.split('\n').slice(2) ?? []
  return rows.flatMap((row) => /^\| `([^`]+)`/.exec(row)?.[1] ?? [])
}

function readRule(table: Rule['table'], [tag = '', fields = '', gives = '']: readonly string[]): Rule {
  const name = /^`(\w+)`$/.exec(tag.trim())?.[1]
  if (name === undefined) throw new Error(`no rule: ${tag}`)
  const types = gives.startsWith('that of')
    ? [...gives.matchAll(/`(\w+)`/g)].map(([, field]) => `.${field}`)
    : gives.split(' or ')
  return { name, table, fields: splitFields(fields.trim()).map(readField), gives: table === 'operator' ? types : [] }
}

/** Fields are parted by `;`, but not inside the braces of a record. */
function splitFields(text: string): readonly string[] {
  return text === '' ? [] : text.split(/; (?![^{]*\})/)
}

function readField(text: string): RuleField {
  const [, name = '', mark, type = ''] = /^`(\w+)(\??)`: (.*)$/.exec(text) ?? []
  if (name === '') throw new Error(`no field: ${text}`)
  return { name, isOptional: mark === '?', type }
}

/** A literal of each type of value, as an expression. */
export const VALUES: Readonly<Record<string, JsonObject>> = {
  null: { op: 'literal', value: null },
  boolean: { op: 'literal', value: true },
  number: { op: 'literal', value: 2 },
  text: { op: 'literal', value: 'x' },
  list: { op: 'literal', value: [] },
  object: { op: 'literal', value: {} },
  date: { op: 'fromUnix', value: { op: 'literal', value: 0 } },
}

/** The types that a type of the page stands for; none when the field holds no expression. */
export function typesOf(type: string): readonly string[] {
  if (type === 'any') return Object.keys(VALUES)
  if (type === 'json') return Object.keys(VALUES).filter((name) => name !== 'date')
  const names = type.split(' or ')
  return names.every((name) => Object.hasOwn(VALUES, name)) ? names : []
}

/** Constants that a field of this type may hold, and constants that it may not. */
export function constantsOf(type: string, rules: readonly Rule[]): { good: readonly Json[]; bad: readonly Json[] } {
  const range = /^`(-?\d+)\.\.(-?\d+)`( but 0)?$/.exec(type)
  if (range !== null) {
    const [low, high] = [Number(range[1]), Number(range[2])]
    return { good: [low, high], bad: [low - 1, high + 1, low + 0.5, ...(range[3] === undefined ? [] : [0])] }
  }
  const text = /^`"…"` of (\d+) to (\d+)$/.exec(type)
  if (text !== null) {
    const [low, high] = [Number(text[1]), Number(text[2])]
    return { good: ['a'.repeat(low), 'a'.repeat(high)], bad: [...(low > 0 ? [''] : []), 'a'.repeat(high + 1), 1] }
  }
  const words = /^(?:list of )?((?:`"\w+"` ?)+)$/.exec(type)
  if (words !== null) {
    const values = [...(words[1] ?? '').matchAll(/"(\w+)"/g)].map(([, word]) => word ?? '')
    const isList = type.startsWith('list of')
    return { good: isList ? values.map((word) => [word]) : values, bad: [isList ? ['nonsense'] : 'nonsense', 1] }
  }
  const records = /^list of \{(.*)\}(, 1 or more)?$/.exec(type)
  if (records !== null) {
    const record = Object.fromEntries(
      splitFields(records[1] ?? '').map((field) => {
        const { name, type: inner } = readField(field)
        return [name, sampleOf(inner, rules)]
      }),
    )
    return { good: [[record]], bad: [...(records[2] === undefined ? [] : [[]]), [{ ...record, nonsense: 1 }], {}] }
  }
  const listed = /^list of (\w[\w ]*?)(, 1 or more)?$/.exec(type)
  if (listed !== null) {
    const [member] = typesOf(listed[1] ?? '')
    const item = member === undefined ? null : (VALUES[member] ?? null)
    return { good: [[item]], bad: [...(listed[2] === undefined ? [] : [[]]), item, [1]] }
  }
  return OTHERS[type] ?? { good: [], bad: [] }
}

const POSITION: JsonObject = { op: 'absPos', from: 'start', offset: 0 }

/** Types of fields that the page names by a word. */
const OTHERS: Readonly<Record<string, { good: readonly Json[]; bad: readonly Json[] }>> = {
  'any JSON': { good: [null, 1, 'x', [1], { a: 1 }], bad: [] },
  'null, boolean, number or text': { good: [null, true, 1, 'x'], bad: [[], {}] },
  '`true` `false`': { good: [true, false], bad: [1, 'true'] },
  'list of `"…"`': { good: [[], ['a']], bad: ['a', [1]] },
  'list of `"…"` and integers, 1 or more': { good: [['a', 0, -1]], bad: [[], [0.5], 'a'] },
  Name: { good: ['v', 'Abc1'], bad: ['1a', '', 'a-b', 'a'.repeat(33)] },
  Pos: { good: [POSITION], bad: [{ op: 'nonsense' }, 1] },
  Pattern: { good: [{ kind: 'token', name: 'word' }], bad: [{ kind: 'nonsense' }, 'x'] },
  CharSet: { good: [{ classes: ['digit'] }, { chars: 'ab' }], bad: [{ classes: ['nonsense'] }, 'ab'] },
  Regex: { good: ['a+', '^x$'], bad: ['(', '(?=a)', '\\1'] },
  DatePattern: { good: ['yyyy-MM-dd', 'Q'], bad: ['yyyyy', 1] },
  'DatePattern (to read)': { good: ['yyyy-MM-dd'], bad: ['Q', 'yyyyy', 1] },
}

/** Something that a field of this type may hold. */
export function sampleOf(type: string, rules: readonly Rule[]): Json {
  const [name] = typesOf(type)
  if (name !== undefined) return VALUES[name] ?? null
  const [good] = constantsOf(type, rules).good
  if (good === undefined) throw new Error(`the page has a type that this test does not know: ${type}`)
  return good
}

/** The smallest node of a rule: its required fields. */
export function sampleNode(rule: Rule, rules: readonly Rule[]): JsonObject {
  const required = rule.fields.filter(({ isOptional }) => !isOptional)
  const fields = Object.fromEntries(required.map(({ name, type }) => [name, sampleOf(type, rules)]))
  if (rule.table === 'set') return fields
  return { [rule.table === 'pattern' ? 'kind' : 'op']: rule.name, ...fields }
}

/** A program's body in which a node of this rule stands. */
export function bodyWith(rule: Rule, node: JsonObject): JsonObject {
  const text = VALUES['text'] ?? null
  switch (rule.table) {
    case 'operator':
      return rule.gives.includes('date') ? { op: 'datePart', date: node, part: 'year' } : node
    case 'position':
      return { op: 'slice', text, start: node, end: POSITION }
    case 'pattern':
      return { op: 'contains', text, pattern: node }
    case 'set':
      return { op: 'keepChars', text, set: node }
  }
}
