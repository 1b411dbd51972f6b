import { canonicalJson, isJsonObject, type Json } from '../../../kernel/json/json.ts'
import type { Expr, Program } from '../../language/ast.ts'
import { compileEvaluation } from '../../language/evaluate/evaluate.ts'
import { foldedWords } from '../../rows/split/input-text.ts'
import type { Row } from '../../task.ts'
import type { OutputType } from '../verifier/verifier-types.ts'

/** Train rows that each constant answer of a program must rest on, on average, when it has more answers than labels. */
const ROWS_PER_CASE = 3
/** Constant answers for each label beyond which a program spells out texts, unless so many rows speak for each. */
const CASES_PER_LABEL = 2
const ROWS_PER_CASE_OF_MANY = 10
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

/** Returns true for the value of a whole member, in any case: a category, not a piece of a text. */
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

/** The constant answers in branches: one for each condition and key that leads to one, and the one that is left over. */
function countCases(expr: Expr, rows: readonly Row[]): number {
  const countAll = (parts: readonly Expr[]): number => parts.reduce((sum, part) => sum + countCases(part, rows), 0)
  const countBranch = (when: Expr, answer: Expr): number =>
    answer.op === 'literal' ? countConditions(when) : countCases(answer, rows)
  switch (expr.op) {
    case 'literal':
      return 1
    case 'if':
      return countBranch(expr.cond, expr.then) + countCases(expr.else, rows)
    case 'switch':
      return expr.cases.reduce((sum, { when, then }) => sum + countBranch(when, then), countCases(expr.else, rows))
    case 'lookup': {
      const isDomain = isWholeMember(expr.key) && repeatsEveryKey(expr, rows)
      return (isDomain ? 0 : expr.cases.length) + (expr.default === undefined ? 0 : countCases(expr.default, rows))
    }
    case 'or':
      return countConditions(expr)
    case 'orElse':
    case 'coalesce':
      return countAll(expr.of)
    default:
      return 0
  }
}

/**
 * Returns true when a program that sorts texts into labels lists its rows instead of generalising: it has more constant
 * answers (keys of a table, conditions of a list of branches) than there are labels and fewer than three rows for each,
 * or more than two a label and fewer than ten rows for each: words that separate so few rows by chance do not define
 * the labels and fail on the next text. A table over a whole member of the input does not count when every key of it
 * repeats: that member is a category with a small domain. Pure.
 */
export function isMemorising(program: Program, rows: readonly Row[]): boolean {
  const cases = countCases(program.body, rows)
  const labels = new Set(rows.map(({ output }) => canonicalJson(output))).size
  if (cases > labels * CASES_PER_LABEL) return rows.length < cases * ROWS_PER_CASE_OF_MANY
  return cases > labels && rows.length < cases * ROWS_PER_CASE
}
