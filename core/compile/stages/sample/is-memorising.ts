import { canonicalJson, isJsonObject, type Json } from '../../../kernel/json/json.ts'
import type { Expr, Program } from '../../language/ast.ts'
import { compileEvaluation } from '../../language/evaluate/evaluate.ts'
import { foldedWords, inputText, lettersOf } from '../../rows/split/input-text.ts'
import type { Row } from '../../rows/task.ts'
import { answersOf, partsOf, readsQuantity, soughtTexts } from './program-parts.ts'

/** Train rows that each constant answer must rest on, on average, when there are more of them than labels. */
const ROWS_PER_CASE = 3
/** Constant answers for each label beyond which a program spells out texts, unless so many rows support each. */
const CASES_PER_LABEL = 2
const ROWS_PER_CASE_OF_MANY = 10
/** The number of rows of which each may have its own case: so few show no more than themselves. */
const ROWS_WITH_OWN_CASES = 4
/** Letters of a text that has so many pieces that some of them separate any few rows by chance. */
const LETTERS_OF_A_TEXT = 12

function mostLetters(input: Json): number {
  if (typeof input === 'string') return lettersOf(input)
  if (input === null || typeof input !== 'object') return 0
  const inner: readonly (Json | undefined)[] = isJsonObject(input) ? Object.values(input) : input
  return inner.reduce<number>((most, value) => Math.max(most, value === undefined ? 0 : mostLetters(value)), 0)
}

/** Returns true when most inputs hold a text: a program can then list the rows by pieces of it. */
export function haveTexts(rows: readonly Row[]): boolean {
  return rows.filter(({ input }) => mostLetters(input) >= LETTERS_OF_A_TEXT).length * 2 > rows.length
}

/** Returns true for the value of a whole member, in any case: a category, not a piece of a text. */
function isWholeMember(key: Expr): boolean {
  switch (key.op) {
    case 'field':
      return true
    case 'lower':
    case 'upper':
    case 'trim':
      return isWholeMember(key.text)
    default:
      return false
  }
}

/** Counts the keys that fewer than two rows have. */
function countLoneKeys(table: Expr & { op: 'lookup' }, rows: readonly Row[]): number {
  const key = compileEvaluation(table.key)
  const hits = new Map<string, number>()
  for (const { input } of rows) {
    const value = canonicalJson(key.attempt(input) ?? null)
    hits.set(value, (hits.get(value) ?? 0) + 1)
  }
  return table.cases.filter((one) => (hits.get(canonicalJson(one.key)) ?? 0) < 2).length
}

/** Conditions each of which may hold for other rows; a comparison of quantities cuts no text to pieces. */
function countConditions(condition: Expr): number {
  if (condition.op === 'or') return condition.of.reduce((sum, part) => sum + countConditions(part), 0)
  return readsQuantity(condition) ? 0 : 1
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
      const keys = isWholeMember(expr.key) ? countLoneKeys(expr, rows) : expr.cases.length
      return keys + (expr.default === undefined ? 0 : countCases(expr.default, rows))
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

/** Returns true for more cases than the rows support, when there are so many different answers. */
function areTooMany(cases: number, answers: number, rows: number): boolean {
  if (cases > ROWS_WITH_OWN_CASES && cases >= rows) return true
  if (cases > answers * CASES_PER_LABEL) return rows < cases * ROWS_PER_CASE_OF_MANY
  return cases > answers && rows < cases * ROWS_PER_CASE
}

/** The values at a member or an item of the outputs; undefined where the outputs are not known. */
function valuesBelow(outputs: readonly Json[] | undefined, step: string | number): readonly Json[] | undefined {
  return outputs?.flatMap((output) => {
    if (typeof step === 'number') return Array.isArray(output) ? (output[step] ?? []) : []
    return isJsonObject(output) && Object.hasOwn(output, step) ? (output[step] ?? []) : []
  })
}

/** Returns true for a condition that looks for a text of one row, long enough to differ from all others by chance. */
function seeksOneRow(expr: Expr, rows: readonly Row[]): boolean {
  const sought = soughtTexts(expr).filter(
    (text) => lettersOf(text) >= LETTERS_OF_A_TEXT && foldedWords(text).length > 1,
  )
  if (sought.length === 0) return false
  const texts = rows.map(({ input }) => inputText(input).toLowerCase())
  return sought.some((text) => texts.filter((one) => one.includes(text.toLowerCase())).length === 1)
}

/** Returns true for a condition that holds for one number, which the text may write in any place. */
function equalsNumber(condition: Expr): boolean {
  if (condition.op !== 'eq') return false
  return [condition.left, condition.right].some((side) => side.op === 'literal' && typeof side.value === 'number')
}

/** The form of a text: its words and numbers as one sign each. */
function formOf(text: string): string {
  return text.replaceAll(/[\p{L}\p{N}]+/gu, 'x')
}

/**
 * Returns true when a program that computes its answers spells out the only one of a row, number and all, in the form of the
 * computed ones: it says what that row is, and nothing of the next one.
 */
function spellsOneOfMany(expr: Expr, outputs: readonly Json[]): boolean {
  if (expr.op !== 'if' && expr.op !== 'switch') return false
  const conditions = expr.op === 'if' ? [expr.cond] : expr.cases.map(({ when }) => when)
  // A limit or a number that decides says which further rows get the answer.
  if (conditions.every((condition) => readsQuantity(condition) || equalsNumber(condition))) return false
  const answers = new Set(answersOf(expr))
  const texts = outputs.filter((output) => typeof output === 'string')
  const computed = texts.filter((text) => !answers.has(text))
  if (new Set(computed).size * 2 <= outputs.length) return false
  const forms = new Set(computed.map(formOf))
  return [...answers].some(
    (answer) =>
      typeof answer === 'string' &&
      /[1-9]/.test(answer) &&
      forms.has(formOf(answer)) &&
      texts.filter((text) => text === answer).length === 1,
  )
}

/** `outputs` are what the rows have where the expression's value stands. */
function lists(expr: Expr, outputs: readonly Json[] | undefined, rows: readonly Row[]): boolean {
  if (expr.op === 'object') {
    return expr.members.some(({ name, value }) => lists(value, valuesBelow(outputs, name), rows))
  }
  if (expr.op === 'list') return expr.items.some((item, at) => lists(item, valuesBelow(outputs, at), rows))
  const answers = new Set((outputs ?? answersOf(expr)).map((answer) => canonicalJson(answer))).size
  const isChoice = expr.op !== 'or' || outputs !== undefined
  if (isChoice && areTooMany(countCases(expr, rows), answers, rows.length)) return true
  if (outputs !== undefined && spellsOneOfMany(expr, outputs)) return true
  return partsOf(expr).some((part) => lists(part, undefined, rows))
}

/**
 * Returns true when a program over texts lists its rows instead of generalising. Constant answers are keys of a table or
 * conditions of a list of branches, anywhere in the program. It lists its rows when one of these holds:
 *
 * - It has more constant answers than different answers, and fewer than three rows for each.
 * - It has more than two constant answers for each different answer, and fewer than ten rows for each.
 * - It has a case for every row.
 * - It spells out the answer of one row among computed answers.
 * - A condition looks for a text that one row holds.
 *
 * Pieces that separate so few rows by chance fail on the next text. Keys of a table over a whole member of the input do
 * not count when they repeat: that member is a category with a small domain. Pure.
 */
export function isMemorising(program: Program, rows: readonly Row[]): boolean {
  if (!haveTexts(rows)) return false
  const outputs = rows.map(({ output }) => output)
  return seeksOneRow(program.body, rows) || lists(program.body, outputs, rows)
}

/** Returns true when the answer of a program, or a part of it, is chosen among constants. */
export function choosesConstants({ body }: Program): boolean {
  const chooses = (expr: Expr): boolean => countCases(expr, []) > 1 || partsOf(expr).some(chooses)
  return chooses(body)
}
