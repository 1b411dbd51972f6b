import type { Json } from '../../../kernel/json/json.ts'
import type { Expr } from '../../language/ast.ts'
import { branchExpr } from '../../language/expressions/branches.ts'
import { literal } from '../search/build.ts'
import type { Budget } from '../search/budget.ts'
import type { Feature } from './features.ts'
import { both, minus, rowSet, sharedSize, sizeOf, type RowSet } from './row-set.ts'
import { costOf, type Cost } from '../ranking/cost.ts'

/** A decision list over labels. */
export interface LabelRules {
  readonly expr: Expr
  readonly cost: Cost
}

interface Rule {
  readonly feature: Feature
  readonly label: number
}

const MAX_RULES = 24
const MIN_SUPPORT = 2
/** Of the rows a rule takes, at most this part may have another label. */
const MAX_WRONG = 0.06
/** Rows of its label that one row of another label takes off the score of a rule. */
const RIGHT_PER_WRONG = 6

/** The rule that takes the most rows of one label; rows of other labels count against it. */
function bestRule(features: readonly Feature[], byLabel: readonly RowSet[], left: RowSet): Rule | undefined {
  const open = byLabel.map((rows) => both(rows, left))
  const isLone = byLabel.map((rows) => sizeOf(rows) === 1)
  let best: Rule | undefined
  let bestScore = 0
  for (const feature of features) {
    const taken = sharedSize(feature.rows, left)
    if (taken < MIN_SUPPORT && feature.isLimit !== true) continue
    for (const [label, rows] of open.entries()) {
      const right = sharedSize(feature.rows, rows)
      const wrong = taken - right
      // The only row of a label shows a limit, as the single best mark does; it shows no word.
      const least = feature.isLimit === true && isLone[label] === true ? 1 : MIN_SUPPORT
      if (right < least || wrong > MAX_WRONG * taken) continue
      const score = right - RIGHT_PER_WRONG * wrong - feature.cost.share('rule.score').value
      if (score > bestScore) {
        bestScore = score
        best = { feature, label }
      }
    }
  }
  return best
}

/**
 * Learns a decision list from labels over many rows: the widest clean condition first, the remaining rows get the most
 * common label. Every rule rests on two rows at least, or is a limit that parts the only row of a label, so that no row is
 * memorised.
 */
export function learnLabelRules(
  features: readonly Feature[],
  labels: readonly string[],
  values: ReadonlyMap<string, Json>,
  budget: Budget,
): LabelRules | undefined {
  const names = [...values.keys()]
  const byLabel = names.map((name) => rowSet(labels.length, (row) => labels[row] === name))
  let left = rowSet(labels.length, () => true)
  const rules: Rule[] = []
  while (rules.length < MAX_RULES) {
    const counts = byLabel.map((rows) => sharedSize(rows, left))
    if (counts.filter((count) => count > 0).length <= 1) break
    budget.spend(1 + Math.ceil((features.length * names.length * left.length) / 40))
    const rule = bestRule(features, byLabel, left)
    if (rule === undefined) break
    rules.push(rule)
    left = minus(left, rule.feature.rows)
  }
  if (rules.length === 0) return undefined
  const counts = byLabel.map((rows) => sharedSize(rows, left))
  const total = sizeOf(left)
  const fallback = total === 0 ? (rules.pop()?.label ?? 0) : counts.indexOf(Math.max(...counts))
  // A default that takes rows of several labels is a guess; the caller sees it in the rows that come out wrong.
  const valueOf = (label: number): Expr => literal(values.get(names[label] ?? '') ?? null)
  const cases: { when: Expr; then: Expr; label: number }[] = []
  for (const { feature, label } of rules) {
    const last = cases.at(-1)
    if (last !== undefined && last.label === label) {
      const alternatives = last.when.op === 'or' ? last.when.of : [last.when]
      last.when = { op: 'or', of: [...alternatives, feature.expr] }
    } else cases.push({ when: feature.expr, then: valueOf(label), label })
  }
  while (cases.at(-1)?.label === fallback) cases.pop()
  if (cases.length === 0) return undefined
  const lone = rules.filter(({ label }) => sizeOf(byLabel[label] ?? left) === 1).length
  const list = costOf('rule.list').with('rule.oneRow', lone)
  const cost = rules.reduce((sum, { feature }) => sum.with('rule').plus(feature.cost), list)
  return {
    expr: branchExpr(
      cases.map(({ when, then }) => ({ when, then })),
      valueOf(fallback),
    ),
    cost,
  }
}
