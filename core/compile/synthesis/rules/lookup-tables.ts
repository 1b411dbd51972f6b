import type { Json } from '../../../kernel/json/json.ts'
import type { Expr } from '../../language/ast.ts'
import type { Scalar } from '../../language/names.ts'
import { absPos, literalPattern, lookup, matchPos, slice, splitItem, tokenPattern } from '../search/build.ts'
import { textBy } from '../search/derived.ts'
import type { NumberNode, TextNode } from '../search/node.ts'
import type { Scope } from '../search/scope.ts'
import { lowered } from './features.ts'
import { byCost, type Cost } from '../ranking/cost.ts'

const MAX_KEYS = 300
/** Rows per key that a table must rest on, and the part of its keys that more than one row must show. */
const ROWS_PER_KEY = 2
const SHARED_KEYS = 0.7
const MAX_WRONG = 0.03
const ROWS_PER_WORD = 3
/** Numbers for each answer, on average, from which a table is rather a row of limits. */
const KEYS_PER_STEP = 3
const PROSE_WORDS = 3.5
const SEPARATORS = [' ', '-', '/', ',', ':', '_', '.'] as const

interface Key {
  readonly expr: Expr
  readonly cost: Cost
  readonly values: readonly (Scalar | undefined)[]
  /** A word out of a sentence rather than a part of a code. */
  readonly isWord: boolean
}

/** Returns true when the texts are sentences: several words on average. */
function isProse(values: readonly (string | undefined)[]): boolean {
  const present = values.filter((value) => value !== undefined)
  const words = present.reduce((sum, value) => sum + value.split(' ').length, 0)
  return words >= PROSE_WORDS * present.length
}

/** A text in lower case, and also without spaces around it. */
const PLAINER = [textBy(lowered), textBy((text) => lowered({ op: 'trim', text }))]
/** The letters that a code such as `AB-1234` begins with. */
const LETTERS = textBy((text) => slice(text, absPos('start', 0), matchPos(tokenPattern('alpha'), 1, 'end')))
const DIGIT = /\d/

function keysOf(scope: Scope): Key[] {
  const keys: Key[] = []
  // Letter case and outer spaces divide no category: where they vary, the text without them is a key too.
  const push = (key: TextNode, isWord: boolean): void => {
    keys.push({ ...key, isWord })
    let fewest = new Set(key.values).size
    for (const plainer of PLAINER) {
      const plain = plainer(key, key.cost.with('case.lower'))
      const size = new Set(plain.values).size
      if (size < fewest) keys.push({ ...plain, isWord })
      fewest = Math.min(fewest, size)
    }
  }
  for (const text of scope.texts) {
    const { expr, cost, values } = text
    push(text, false)
    if (values.every((value) => value === undefined || DIGIT.test(value)))
      push(LETTERS(text, cost.with('lookup.part')), false)
    for (const separator of SEPARATORS) {
      if (!values.some((value) => value?.includes(separator))) continue
      for (const index of [0, -1, 1]) {
        const part = splitItem(expr, literalPattern(separator), index)
        const parts = values.map((value) => value?.split(separator).at(index))
        push({ expr: part, cost: cost.with('lookup.part'), values: parts }, separator === ' ' && isProse(values))
      }
    }
  }
  for (const { expr, cost, values } of [...scope.numbers.filter(isCode), ...scope.booleans])
    keys.push({ expr, cost, values, isWord: false })
  return keys
}

/** Returns true for whole numbers: a table of measured ones has no answer for those between its keys. */
function isCode({ values }: NumberNode): boolean {
  return values.every((value) => value === undefined || Number.isInteger(value))
}

/** Returns true where limits between the numbers of a table part its answers: they also answer the numbers between. */
function isOrdered(cases: readonly { readonly key: Scalar; readonly value: Json }[]): boolean {
  const numbers = cases.flatMap(({ key, value }) =>
    typeof key === 'number' ? [{ key, answer: JSON.stringify(value) }] : [],
  )
  const sorted = numbers.toSorted((a, b) => a.key - b.key)
  const steps = 1 + sorted.filter(({ answer }, at) => at > 0 && answer !== sorted[at - 1]?.answer).length
  const isStepped = steps === new Set(sorted.map(({ answer }) => answer)).size
  return numbers.length === cases.length && isStepped && steps * KEYS_PER_STEP <= cases.length
}

/** Finds tables from a key with few values to outputs, where most keys occur in several rows: categories, not rows. */
export function lookupTables(scope: Scope, outputs: readonly Json[]): { readonly expr: Expr; readonly cost: Cost }[] {
  const found: { expr: Expr; cost: Cost }[] = []
  for (const { expr, cost, values, isWord } of keysOf(scope)) {
    const byKey = new Map<Scalar, Map<string, { value: Json; rows: number }>>()
    for (const [row, key] of values.entries()) {
      if (key === undefined) continue
      const answers = byKey.get(key) ?? new Map<string, { value: Json; rows: number }>()
      byKey.set(key, answers)
      const value = outputs[row] ?? null
      const name = JSON.stringify(value)
      const known = answers.get(name)
      if (known === undefined) answers.set(name, { value, rows: 1 })
      else known.rows++
      if (byKey.size > MAX_KEYS) break
    }
    if (byKey.size < 2 || byKey.size > MAX_KEYS || values.length < ROWS_PER_KEY * byKey.size) continue
    // A word of free text decides only where every one of them has been seen often enough to be no accident.
    if (
      isWord &&
      [...byKey.values()].some((answers) => Math.max(...[...answers.values()].map(({ rows }) => rows)) < ROWS_PER_WORD)
    )
      continue
    let right = 0
    let shared = 0
    const cases: { key: Scalar; value: Json }[] = []
    for (const [key, answers] of byKey) {
      const [best] = [...answers.values()].toSorted((a, b) => b.rows - a.rows)
      if (best === undefined) continue
      right += best.rows
      if (best.rows > 1) shared++
      cases.push({ key, value: best.value })
    }
    if (right < (1 - MAX_WRONG) * values.length || shared < SHARED_KEYS * byKey.size) continue
    if (new Set(cases.map(({ value }) => JSON.stringify(value))).size < 2) continue
    if (isOrdered(cases)) continue
    found.push({
      expr: lookup(expr, cases),
      cost: cost.with('lookup').with('lookup.case', cases.length),
    })
  }
  return found.toSorted(byCost).slice(0, 3)
}
