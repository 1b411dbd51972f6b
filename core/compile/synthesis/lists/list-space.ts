import { isJsonObject, type Json } from '../../../kernel/json/json.ts'
import type { Expr, Pattern } from '../../language/ast.ts'
import type { TokenName } from '../../language/names.ts'
import { tokenPattern } from '../search/build.ts'
import { listBy } from '../search/derived.ts'
import { NodePool } from '../search/node.ts'
import { shownOf } from '../search/unlabelled.ts'
import type { Scope } from '../search/scope.ts'
import { nodeOf, type TextSource } from '../text/source.ts'
import { chunkPattern, chunkWidth } from './chunks.ts'
import { itemVariable, mapItems, type ListNode } from './items.ts'
import { flagged, members, ofCategory, ordered, products } from './object-lists.ts'
import { byCost, costOf, type Cost } from '../ranking/cost.ts'

export type { ListNode } from './items.ts'

const TOKENS: readonly TokenName[] = ['nonspace', 'word', 'alpha', 'digits', 'number', 'upper', 'proper', 'line']
const REGEXES = [
  { regex: '#[A-Za-z0-9_]+', feature: 'matches.tag' },
  { regex: '@[A-Za-z0-9_]+', feature: 'matches.handle' },
  { regex: '[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+', feature: 'matches.address' },
  { regex: '[A-Z]+[a-z0-9]*|[a-z0-9]+', feature: 'matches.camelWord' },
  { regex: '[A-Z]+-?[0-9]+', feature: 'matches.code' },
] as const
const MAX_SOURCES = 6
const MAX_DELIMITERS = 6

/** A vector of lists as a key. */
export function listVectorKey(values: readonly (readonly Json[] | undefined)[]): string {
  return JSON.stringify(values)
}

/** The characters of a text. */
export const CHARACTERS = listBy((text) => ({ op: 'chars', text }))
const DECIMALS = /(?<![\d.])\d+\.\d+(?![\d.])/gu

/** True where every point in the texts is one within a decimal number, which has no two parts. */
function isDecimalPoint({ texts }: TextSource): boolean {
  return texts.every((text) => text?.replaceAll(DECIMALS, '').includes('.') !== true)
}

function splits(source: TextSource): ListNode[] {
  const out: ListNode[] = []
  for (const { name, pattern: by } of source.delimiters.slice(0, MAX_DELIMITERS)) {
    const base = source.cost.when(name === '.' && isDecimalPoint(source), 'split.decimals')
    const cost = base.with('split.list').with('split.list.character', name.length)
    const parts =
      (options: { readonly dropEmpty?: true }) =>
      (text: Expr): Expr => ({ op: 'split', text, by, ...options })
    out.push(fromText(source, cost, parts({})))
    const dropped = fromText(source, base.with('split.dropEmpty'), parts({ dropEmpty: true }))
    out.push(dropped, TRIMMED(dropped, dropped.cost.with('map.trim')))
  }
  for (const token of TOKENS) {
    const pattern = tokenPattern(token)
    const list = matches(source, source.cost, pattern)
    if (list.values.every((found) => found === undefined || found.length === 0)) continue
    out.push({
      ...list,
      cost: source.cost.with(
        token === 'digits' || token === 'number'
          ? 'matches.number'
          : token === 'upper'
            ? 'matches.upper'
            : 'matches.token',
      ),
    })
  }
  for (const { regex, feature } of REGEXES) {
    const pattern = { kind: 'regex', regex } as const
    const list = matches(source, source.cost.with(feature), pattern)
    if (list.values.some((found) => found !== undefined && found.length > 0)) out.push(list)
  }
  out.push(CHARACTERS(nodeOf(source), source.cost.with('characters')))
  return out
}

function fromText(source: TextSource, cost: Cost, build: (text: Expr) => Expr): ListNode {
  return listBy(build)(nodeOf(source), cost)
}

function matches(source: TextSource, cost: Cost, pattern: Pattern): ListNode {
  return fromText(source, cost, (text) => ({ op: 'extractAll', text, pattern }))
}

const TRIMMED = listBy((list) => mapItems(list, (text) => ({ op: 'trim', text })))

/** A list of texts read as numbers. */
export const TO_NUMBERS = listBy((list) => mapItems(list, (of) => ({ op: 'toNumber', of })))

/** The list with its texts read as numbers. */
function asNumbers(list: ListNode): ListNode[] {
  const given = list.values.filter((items) => items !== undefined)
  const areTexts = given.every((items) => items.every((item) => typeof item === 'string'))
  if (!areTexts || !given.some((items) => items.length > 1)) return []
  const feature = list.expr.op === 'extractAll' ? 'map.matchToNumber' : 'map.toNumber'
  const numbers = TO_NUMBERS(list, list.cost.with(feature))
  const isRead = numbers.values.every((items, row) => items !== undefined || list.values[row] === undefined)
  return isRead ? [{ ...numbers, texts: list }] : []
}

const NAMES_OR_VALUES = (['keys', 'values'] as const).map((op) => ({
  op,
  of: listBy((object) => ({ op, of: object })),
}))

function keysAndValues(scope: Scope): ListNode[] {
  return scope.roots
    .slice(0, 6)
    .filter(({ values }) => values.some((value) => isJsonObject(value)))
    .flatMap((root) => NAMES_OR_VALUES.map(({ op, of }) => of(root, root.cost.with(op))))
}

/** The texts among several members of one object that are there and not empty. */
function nonEmptyTogether(scope: Scope): ListNode[] {
  const fields = scope.roots.filter(
    ({ expr, values }) =>
      expr.op === 'field' &&
      values.some((value) => typeof value === 'string') &&
      shownOf(values, scope.shown).every((value) => typeof value === 'string' || value === null),
  )
  if (fields.length < 2 || fields.length > 8) return []
  if (!fields.some(({ values }) => values.includes('') || values.includes(null))) return []
  const { name, expr } = itemVariable(0)
  return [
    {
      expr: {
        op: 'filter',
        list: { op: 'list', items: fields.map((field) => field.expr) },
        as: name,
        where: { op: 'not', of: { op: 'isEmpty', of: expr } },
      },
      cost: costOf('list.nonEmptyMembers').with('list.member', fields.length),
      values: Array.from({ length: scope.count }, (_, row) =>
        fields.map(({ values }) => values[row] ?? null).filter((value) => value !== '' && value !== null),
      ),
    },
  ]
}

/** Lists of several members of one object, for the operators that take a list. */
function together(scope: Scope): ListNode[] {
  const out: ListNode[] = []
  for (const group of [scope.texts, scope.numbers]) {
    const fields = group.filter(({ expr }) => expr.op === 'field')
    if (fields.length < 2 || fields.length > 8) continue
    out.push({
      expr: { op: 'list', items: fields.map(({ expr }) => expr) },
      cost: costOf('list.members').with('list.member', fields.length),
      values: Array.from({ length: scope.count }, (_, row) => {
        const items: Json[] = []
        for (const { values } of fields) {
          const value = values[row]
          if (value === undefined) return undefined
          items.push(value)
        }
        return items
      }),
    })
  }
  return out
}

/** Returns true for lists and texts, which show the order of items. */
function areShown(targets: readonly Json[]): boolean {
  return targets.every((target) => Array.isArray(target) || typeof target === 'string')
}

/** Texts that are cut into lists: whole ones, parts that hold the items of the targets, and those cut into parts of one length. */
export interface ListedTexts {
  readonly sources: readonly TextSource[]
  readonly parts: readonly TextSource[]
  readonly cut: readonly TextSource[]
}

/** The lists that programs start from: lists of the input, splits and matches of texts, members of its objects. */
export function baseLists(scope: Scope, { sources, parts, cut }: ListedTexts, targets: readonly Json[]): ListNode[] {
  const pool = new NodePool<readonly Json[]>(listVectorKey, scope.shown)
  for (const list of scope.lists) {
    pool.add(list)
    for (const objects of [list, ...flagged(list), ...ofCategory(list)]) {
      for (const picked of [objects, ...members(objects), ...products(objects)]) pool.add(picked)
    }
    if (areShown(targets))
      for (const sorted of ordered(list)) for (const one of [sorted, ...members(sorted)]) pool.add(one)
  }
  const width = chunkWidth(targets)
  for (const source of [...sources.slice(0, MAX_SOURCES), ...parts]) {
    for (const list of splits(source)) pool.add(list)
  }
  if (width !== undefined) {
    const pattern = chunkPattern(width)
    for (const source of cut) pool.add(matches(source, source.cost.with('matches.chunk'), pattern))
  }
  for (const list of [...keysAndValues(scope), ...together(scope), ...nonEmptyTogether(scope)]) pool.add(list)
  for (const list of pool.best()) for (const numbers of asNumbers(list)) pool.add(numbers)
  return pool.best().toSorted(byCost)
}
