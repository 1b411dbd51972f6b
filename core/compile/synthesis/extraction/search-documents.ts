import { isJsonObject, type Json } from '../../../kernel/json/json.ts'
import { equalityBelow, type EqualityNode } from '../../rows/equality/same-output.ts'
import type { Expr } from '../../language/ast.ts'
import { byCost, costOf, type Cost } from '../ranking/cost.ts'
import { INPUT, literal } from '../search/build.ts'
import type { Budget } from '../search/budget.ts'
import type { TextNode } from '../search/node.ts'
import { readScope } from '../search/scope.ts'
import type { Collector } from '../solve/collector.ts'
import type { Solve } from '../solve/workspace.ts'
import { shownText, solveRecords } from './fields.ts'
import { findRecords } from './records.ts'
import { learnRegionList } from './region-list.ts'
import { learnRegion, regionExpr } from './region.ts'
import { lineFields } from './lines.ts'

/** Shorter texts are cut into pieces by the search of texts first. */
export const LONG_TEXT = 500
/** Texts of several lines that are worth a look at each line, where the search of texts found no program. */
export const SHORT_DOCUMENT = 100
const MAX_SOURCES = 4
/** Rows that landmarks are learned from; the others try what was found. */
const MAX_LEARNED = 8
const MAX_UNITS = 8_000_000
const MAX_TRIED = 6

/** A program that extracts. */
export interface Extraction {
  readonly expr: Expr
  readonly cost: Cost
}

interface Context {
  readonly source: TextNode
  /** Equality at the path of the outputs. */
  readonly equality: EqualityNode
  readonly solve: Solve
  readonly budget: Budget
}

function textOf(source: TextNode, rows: readonly number[]): string[] {
  return rows.map((row) => source.values[row] ?? '')
}

/** Rows to learn from: those with the shortest texts among the first ones, so that long ones cost little. */
function learnedRows(source: TextNode, targets: readonly (Json | undefined)[]): number[] {
  const rows = targets.flatMap((target, row) =>
    source.values[row] === undefined ? [] : [{ row, isAbsent: target === undefined || target === null }],
  )
  const absent = rows.filter(({ isAbsent }) => isAbsent).slice(0, MAX_LEARNED / 2)
  const chosen = [...rows.filter(({ isAbsent }) => !isAbsent).slice(0, MAX_LEARNED), ...absent]
  let units = 0
  return chosen.map(({ row }) => row).filter((row) => (units += source.values[row]?.length ?? 0) <= MAX_UNITS)
}

function texts(context: Context, targets: readonly (Json | undefined)[]): Extraction[] {
  const { source, budget } = context
  const rows = learnedRows(source, targets)
  const values = rows.map((row) => targets[row] ?? undefined)
  const samples = textOf(source, rows).map((text, i) => ({ text, value: shownText(values[i]) }))
  if (values.some((value) => value !== undefined && typeof value !== 'string'))
    return lineFields(source, targets, rows, context)
  const regions = learnRegion(samples, budget).map((region) => ({
    expr: regionExpr(source.expr, region),
    cost: source.cost.plus(region.cost),
  }))
  const lines = regions.length > 0 ? [] : lineFields(source, targets, rows, context)
  const found = [...regions, ...lines]
  if (!targets.includes(null)) return found
  return found.map(({ expr, cost }) => ({
    expr: { op: 'orElse', of: [expr, literal(null)] },
    cost: cost.with('field.absent'),
  }))
}

function isTexts(items: readonly Json[]): items is readonly string[] {
  return items.every((item) => typeof item === 'string')
}

function lists(context: Context, targets: readonly (readonly Json[])[]): Extraction[] {
  const { source, budget, equality, solve } = context
  const rows = learnedRows(source, targets).filter((row) => source.values[row] !== undefined)
  const own = rows.map((row) => targets[row] ?? [])
  const sources = textOf(source, rows)
  const found: Extraction[] = []
  if (own.every(isTexts)) {
    const samples = sources.map((text, i) => ({
      text,
      items: (own[i] ?? []).filter((item) => typeof item === 'string'),
    }))
    for (const list of learnRegionList(samples, budget))
      found.push({ expr: list.build(source.expr), cost: source.cost.plus(list.cost) })
    if (found.length > 0) return found
  }
  const samples = sources.map((text, i) => ({ text, items: (own[i] ?? []).map((item) => shownParts(item, text)) }))
  const search = { equality, depth: 0, solve, budget }
  for (const records of findRecords(samples, budget)) {
    const list = solveRecords(records, own, search)
    if (list !== undefined) found.push({ expr: list.build(source.expr), cost: source.cost.plus(list.cost) })
    if (found.length >= 2) break
  }
  return found
}

/** The parts of an item that its text shows as they are; the others, such as dates in another form, are searched in the record. */
function shownParts(item: Json, text: string): string[] {
  const parts = partsOf(item)
  const shown = parts.filter((part) => text.includes(part))
  return shown.length > 0 ? shown : parts
}

function partsOf(item: Json): string[] {
  const values = isJsonObject(item) ? Object.values(item) : [item]
  return values.flatMap((value) => {
    const text = shownText(value)
    return text === undefined || text === '' ? [] : [text]
  })
}

/** Objects whose members some rows lack: each member by its own landmarks. */
function objects(context: Context, targets: readonly Json[]): Extraction[] {
  const names = new Set<string>()
  for (const target of targets) if (isJsonObject(target)) for (const name of Object.keys(target)) names.add(name)
  const members: { name: string; value: Expr; optional?: true }[] = []
  let cost = costOf('object')
  for (const name of names) {
    const values = targets.map((target) =>
      isJsonObject(target) && Object.hasOwn(target, name) ? target[name] : undefined,
    )
    const [best] = membersOf({ ...context, equality: equalityBelow(context.equality, name) }, values).toSorted(byCost)
    if (best === undefined) return []
    const isOptional = values.includes(undefined)
    members.push({ name, value: best.expr, ...(isOptional ? { optional: true } : {}) })
    cost = cost.plus(best.cost).when(isOptional, 'object.optional')
  }
  return members.length === 0 ? [] : [{ expr: { op: 'object', members }, cost }]
}

function membersOf(context: Context, values: readonly (Json | undefined)[]): Extraction[] {
  if (values.every((value) => Array.isArray(value))) return lists(context, values)
  return texts(context, values)
}

/**
 * Extracts from long texts: parts by their landmarks, lists by those of each item, and lists of objects record by record. Returns
 * true when a program gets every row right.
 * @param least characters of the longest text at least
 */
export function searchDocuments(
  inputs: readonly Json[],
  outputs: readonly Json[],
  collector: Collector,
  budget: Budget,
  { solve, least }: { readonly solve: Solve; readonly least: number },
): boolean {
  const sources = readScope(inputs, INPUT)
    .texts.filter(({ values }) => values.some((value) => value !== undefined && value.length >= least))
    .slice(0, MAX_SOURCES)
  for (const source of sources) {
    const context = { source, equality: collector.equality, solve, budget }
    const found = budget.within(
      Math.ceil(budget.remaining / 2),
      (part) => extract({ ...context, budget: part }, outputs),
      [],
    )
    let isRight = false
    for (const { expr, cost } of found.toSorted(byCost).slice(0, MAX_TRIED))
      isRight = collector.add(expr, cost).matches === inputs.length || isRight
    if (isRight) return true
  }
  return false
}

function extract(context: Context, outputs: readonly Json[]): Extraction[] {
  if (outputs.every((output) => Array.isArray(output))) return lists(context, outputs)
  if (outputs.every((output) => isJsonObject(output))) return sharesNames(outputs) ? [] : objects(context, outputs)
  if (outputs.every((output) => output === null || typeof output === 'string' || typeof output === 'number'))
    return texts(context, outputs)
  return []
}

/** Returns true when every object has the same members: those are searched one by one. */
function sharesNames(outputs: readonly Json[]): boolean {
  const names = outputs.map((output) =>
    Object.keys(isJsonObject(output) ? output : {})
      .toSorted()
      .join('\u0000'),
  )
  return new Set(names).size === 1
}
