import { isJsonObject, type Json } from '../../../kernel/json/json.ts'
import type { Expr } from '../../language/ast.ts'
import { buildNumberSpace, isGlued } from '../numbers/number-space.ts'
import { INPUT, literal } from '../search/build.ts'
import type { Budget } from '../search/budget.ts'
import { readScope, type Scope } from '../search/scope.ts'
import { textSource } from '../text/source.ts'
import { canBeCopied } from '../text/copied.ts'
import { namedPieces } from '../text/pieces.ts'
import { longUnits, type NumberNode } from '../search/node.ts'
import { compileCandidate } from '../search/candidate-program.ts'
import { dateNumbers } from '../dates/date-arithmetic.ts'
import { buildDateSpace } from '../dates/date-space.ts'
import { dividedNumbers, isMember, ratios } from '../conditions/pair-predicates.ts'
import { isRecurring } from '../conditions/thresholds.ts'
import { limitsAmongReached } from '../conditions/reached-limits.ts'
import { featuresOf, limitFeatures } from './features.ts'
import { type LabelRules, learnLabelRules } from './label-rules.ts'
import { brackets } from '../numbers/prices/brackets.ts'
import { withParsedNumbers } from '../numbers/prices/prices.ts'
import { rateSteps } from '../numbers/prices/rate-steps.ts'
import { rateTables } from '../numbers/prices/rate-tables.ts'
import type { NumberTarget } from '../numbers/samples.ts'
import { decimalsOf } from '../numbers/tidy.ts'
import { solveNumber } from '../numbers/solve-number.ts'
import { lookupTables } from './lookup-tables.ts'
import { costOf, type Cost } from '../ranking/cost.ts'
import { byCategory, type CategoryProgram } from './by-category.ts'
import { steppedValues } from './stepped-values.ts'

const MIN_ROWS = 8
const MAX_ROWS = 4000
const MAX_LABELS = 40
const ROWS_PER_LABEL = 3
const MAX_NUMBERS = 12
const MAX_TEXTS = 4
const MAX_PIECES = 60
const PROBE_ROWS = 40
/** Steps of the search of a formula for the rows of one category. */
const CATEGORY_STEPS = 20_000
/** Part of the budget for rules of categories: the search for a formula of all rows comes after them. */
const CATEGORY_SHARE = 1 / 4
/** Units of a text whose words are read for nothing, and further ones in a step. */
const CHEAP_UNITS = 2000
const UNITS_PER_STEP = 4

function isScalar(value: Json): boolean {
  return value === null || typeof value !== 'object'
}

/**
 * Numbers that conditions can look at: those of the input, those in its texts, and the parts of its dates. Found on a
 * few rows, then computed on all of them.
 */
function numbersFor(inputs: readonly Json[], budget: Budget): NumberNode[] {
  const few = inputs.slice(0, PROBE_ROWS)
  const scope = readScope(few, INPUT)
  const pieces = scope.texts
    .slice(0, MAX_TEXTS)
    .flatMap((text) => [
      text,
      ...[...namedPieces(textSource(text.expr, text.cost, text.values, few.length))].slice(0, MAX_PIECES),
    ])
  const dates = buildDateSpace(scope.texts.slice(0, MAX_TEXTS), scope.numbers, few.length, budget)
  const isMeant = (node: NumberNode) => node.expr.op !== 'count' && node.expr.op !== 'length' && !isGlued(node)
  const found = buildNumberSpace(scope, pieces, dateNumbers(dates.slice(0, 2)))
    .filter((node) => isMeant(node) && node.values.filter((value) => value !== undefined).length * 2 > few.length)
    .slice(0, MAX_NUMBERS)
  return found.flatMap(({ expr, cost }) => {
    const compiled = compileCandidate(expr)
    if ('refused' in compiled) return []
    budget.spend(inputs.length)
    const values = inputs.map((input) => {
      const value = compiled.attempt(input)
      return typeof value === 'number' ? value : undefined
    })
    return [{ expr, cost, values }]
  })
}

/** A program that was found from all rows at once. */
export interface LearnedRule {
  readonly expr: Expr
  readonly cost: Cost
  /** Set for a rule of each category: one formula for all rows may still be found. */
  readonly isByCategory?: true
}

/**
 * Learns rules that need all rows at once: tables over a key with few values, rates by category, step or bracket, and rules
 * for labels over words, limits and values.
 */
export function learnRules(inputs: readonly Json[], outputs: readonly Json[], budget: Budget): LearnedRule[] {
  if (inputs.length < MIN_ROWS || !outputs.every((output) => isScalar(output) || isJsonObject(output))) return []
  const distinct = new Set(outputs.map((output) => JSON.stringify(output))).size
  const areNumbers = outputs.every((output) => typeof output === 'number')
  if (distinct * 2 > outputs.length && !areNumbers) return []
  const step = Math.max(1, Math.ceil(inputs.length / MAX_ROWS))
  const sample = inputs.map((_, row) => row).filter((row) => row % step === 0)
  const sampled = sample.map((row) => inputs[row] ?? null)
  const wanted = sample.map((row) => outputs[row] ?? null)
  budget.spend(sample.length)
  const scope = readScope(sampled, INPUT)
  const steps = Math.ceil(longUnits(scope.texts, CHEAP_UNITS) / UNITS_PER_STEP)
  if (steps > budget.remaining / 3) return []
  budget.spend(steps)
  const values = wanted.filter((output) => typeof output === 'number')
  const target = { rows: values.map((_, at) => at), values, decimals: decimalsOf(values), isRoundedLater: false }
  const read = areNumbers ? withParsedNumbers(scope, target) : scope
  const rates = areNumbers ? ratesOf(read, target, budget) : []
  if (distinct * 2 > outputs.length) return [...rates, ...ruledByCategory(read, read.numbers, wanted, target, budget)]
  const found: LearnedRule[] = [...rates, ...lookupTables(scope, wanted)]
  if (distinct < 2 || distinct > MAX_LABELS || distinct * ROWS_PER_LABEL > outputs.length || !outputs.every(isScalar))
    return found
  const labels = wanted.map((output) => JSON.stringify(output))
  const byLabel = new Map(labels.map((label, at) => [label, wanted[at] ?? null] as const))
  const numbers = numbersFor(sampled, budget)
  found.push(...rulesOfOneNumber(numbers, labels, byLabel, budget))
  const features = featuresOf(scope, numbers, labels)
  budget.spend(Math.ceil((features.length * sample.length) / 60))
  const rules = learnLabelRules(features, labels, byLabel, budget)
  if (rules !== undefined) found.push({ ...rules, cost: rules.cost.with('rule.copied', copiedLabels(sampled, wanted)) })
  found.push(...ruledByCategory(read, numbers, wanted, target, budget))
  return found.map((one) => ({ ...one, expr: limitsAmongReached(one.expr, sampled) }))
}

/** Rules for labels that each have a range of one number, or of one ratio of two. */
function rulesOfOneNumber(
  numbers: readonly NumberNode[],
  labels: readonly string[],
  values: ReadonlyMap<string, Json>,
  budget: Budget,
): LabelRules[] {
  // As many limits as there are steps from one label to the next, both ways round each.
  const steps = 2 * (values.size - 1)
  const ofNumbers = numbers.map((number) => ({
    number,
    limits: limitFeatures(number, labels),
    most: isRecurring(number.expr) ? steps + 2 : steps,
  }))
  const ofRatios = ratios(dividedNumbers(numbers.filter(isMember), numbers)).flatMap((ratio) => {
    const limits = limitFeatures(ratio, labels)
    // A limit of 1 is a comparison.
    return limits.some(({ limit }) => limit === 1) ? [] : [{ number: ratio, limits, most: steps }]
  })
  return [...ofNumbers, ...ofRatios].flatMap(({ number, limits, most }) => {
    if (limits.length > most) return []
    const rules = learnLabelRules(limits, labels, values, budget)
    return rules === undefined ? [] : [{ ...rules, cost: rules.cost.plus(number.cost) }]
  })
}

/** Rules that each value of a member has for itself: an output by the steps of a number, or a formula of the numbers. */
function ruledByCategory(
  scope: Scope,
  compared: readonly NumberNode[],
  wanted: readonly Json[],
  target: NumberTarget,
  budget: Budget,
): LearnedRule[] {
  type Learn = (rows: readonly number[], others: readonly (readonly number[])[]) => CategoryProgram | undefined
  const learn =
    (part: Budget): Learn =>
    (rows, others) => {
      part.spend(rows.length * (1 + compared.length))
      const [only, ...rest] = new Set(rows.map((row) => wanted[row] ?? null))
      if (only !== undefined && rest.length === 0)
        return { expr: literal(only), cost: costOf('constant.whole'), isConstant: true }
      const stepped = steppedValues(compared, wanted, rows, others)
      if (stepped !== undefined || target.values.length < wanted.length) return stepped
      return formulaOf(scope, { ...target, rows, values: rows.map((row) => target.values[row] ?? NaN) }, part)
    }
  return budget
    .within(Math.floor(budget.remaining * CATEGORY_SHARE), (part) => byCategory(scope, wanted.length, learn(part)), [])
    .map((program) => ({ ...program, isByCategory: true }))
}

/** A formula of the rows of one category: brackets and steps are tried where the numbers give none. */
function formulaOf({ numbers }: Scope, target: NumberTarget, budget: Budget): NumberNode | undefined {
  const [formula] = budget.within(CATEGORY_STEPS, (part) => solveNumber(numbers, target, 1, part), [])
  return formula ?? brackets(numbers, target, budget)[0] ?? rateSteps(numbers, target, budget)[0]
}

/** Amounts with several rates, which few rows do not show. */
function ratesOf(scope: Scope, target: NumberTarget, budget: Budget): NumberNode[] {
  return [
    ...rateTables(scope, target, budget),
    ...brackets(scope.numbers, target, budget),
    ...rateSteps(scope.numbers, target, budget),
  ]
}

/** Counts the labels that occur in each of their inputs: a copied label needs no rule. */
function copiedLabels(inputs: readonly Json[], outputs: readonly Json[]): number {
  const isCopied = new Map<string, boolean>()
  for (const [row, output] of outputs.entries()) {
    if (typeof output !== 'string') continue
    isCopied.set(output, isCopied.get(output) !== false && canBeCopied(output, inputs[row]))
  }
  return [...isCopied.values()].filter(Boolean).length
}
