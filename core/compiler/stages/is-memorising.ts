import { canonicalJson, isJsonObject, type Json } from '../../json.ts'
import type { Expr, Program } from '../language/ast.ts'
import { compileEvaluation } from '../language/evaluate/evaluate.ts'
import { foldedWords } from '../split/input-text.ts'
import type { Row } from '../task.ts'
import type { OutputType } from '../verifier/verifier-types.ts'

/** Train rows that each constant answer of a program must rest on, on average, when it has more answers than labels. */
const ROWS_PER_CASE = 3
/** Keys of a table for each label beyond which it spells out texts, unless so many rows a key speak for it. */
const KEYS_PER_LABEL = 2
const ROWS_PER_KEY = 10
/** Words that the longest text of an input has in natural language, at least. */
const WORDS_OF_A_TEXT = 3

function mostWords(input: Json): number {
  if (typeof input === 'string') return foldedWords(input).filter((word) => /\p{L}/u.test(word)).length
  if (input === null || typeof input !== 'object') return 0
  const inner: readonly (Json | undefined)[] = isJsonObject(input) ? Object.values(input) : input
  return inner.reduce<number>((most, value) => Math.max(most, value === undefined ? 0 : mostWords(value)), 0)
}

/** True when a task sorts texts into labels: few different outputs, and most inputs hold a text of several words. */
export function sortsTexts(output: OutputType, rows: readonly Row[]): boolean {
  if (output.type !== 'label' && output.type !== 'boolean') return false
  return rows.filter(({ input }) => mostWords(input) >= WORDS_OF_A_TEXT).length * 2 > rows.length
}

/** The value of a member as it stands, in whatever case: a category, not a piece of a text. */
function isWholeMember(key: Expr): boolean {
  switch (key.op) {
    case 'field':
      return true
    case 'lower':
    case 'upper':
      return isWholeMember(key.text)
    default:
      return false
  }
}

function repeatsEveryKey(table: Expr & { op: 'lookup' }, rows: readonly Row[]): boolean {
  const key = compileEvaluation(table.key)
  const hits = new Map<string, number>()
  for (const { input } of rows) {
    const value = canonicalJson(key.attempt(input) ?? null)
    hits.set(value, (hits.get(value) ?? 0) + 1)
  }
  return table.cases.every((one) => (hits.get(canonicalJson(one.key)) ?? 0) > 1)
}

/** Conditions of which each may be met by rows of its own. */
function countConditions(condition: Expr): number {
  return condition.op === 'or' ? condition.of.reduce((sum, part) => sum + countConditions(part), 0) : 1
}

interface Cases {
  /** Conditions with a constant answer, and the answer that is left over. */
  rules: number
  /** Keys of tables over pieces of a text. */
  keys: number
}

function countCases(expr: Expr, rows: readonly Row[], found: Cases): void {
  switch (expr.op) {
    case 'literal':
      found.rules++
      return
    case 'if':
      return countBranches([{ when: expr.cond, answer: expr.then }], expr.else, rows, found)
    case 'switch':
      return countBranches(
        expr.cases.map(({ when, then: answer }) => ({ when, answer })),
        expr.else,
        rows,
        found,
      )
    case 'lookup':
      if (!(isWholeMember(expr.key) && repeatsEveryKey(expr, rows))) found.keys += expr.cases.length
      if (expr.default !== undefined) countCases(expr.default, rows, found)
      return
    case 'or':
      found.rules += countConditions(expr)
      return
    case 'orElse':
    case 'coalesce':
      for (const part of expr.of) countCases(part, rows, found)
      return
    default:
      return
  }
}

function countBranches(
  branches: readonly { readonly when: Expr; readonly answer: Expr }[],
  otherwise: Expr,
  rows: readonly Row[],
  found: Cases,
): void {
  for (const { when, answer } of branches) {
    if (answer.op === 'literal') found.rules += countConditions(when)
    else countCases(answer, rows, found)
  }
  countCases(otherwise, rows, found)
}

/**
 * Whether a program for a task that sorts texts into labels lists its rows instead of telling them apart: it has more
 * constant answers (keys of a table, conditions of a list of branches) than there are labels, and fewer than three
 * rows for each; or a table over pieces of a text has more than two keys a label and fewer than ten rows a key, since
 * whatever text comes next has another piece there. A table over a whole member of the input is none of this when
 * every key of it repeats: that member is a category with a small domain. Pure.
 */
export function isMemorising(program: Program, rows: readonly Row[]): boolean {
  const found: Cases = { rules: 0, keys: 0 }
  countCases(program.body, rows, found)
  const labels = new Set(rows.map(({ output }) => canonicalJson(output))).size
  const cases = found.rules + found.keys
  if (cases > labels && rows.length < cases * ROWS_PER_CASE) return true
  return found.keys > labels * KEYS_PER_LABEL && rows.length < found.keys * ROWS_PER_KEY
}
