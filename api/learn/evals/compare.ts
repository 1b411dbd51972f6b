import { z } from 'zod'
import { EvaluationId } from '../../../core/kernel/wire/ids.ts'
import type { Comparison } from '../../../core/learn/evals/compare/compare.ts'
import type { CountsComparison } from '../../../core/learn/evals/compare/compare-counts.ts'
import type { RowPair } from '../../../core/learn/evals/compare/pair-rows.ts'
import { hasCounts } from '../../../core/learn/evals/scoring/task-metrics.ts'
import { CompareAnswer, CompareBody } from '../../../core/learn/wire/evals/compare.ts'
import { listComparedRows, listCountedRows } from '../../../db/learn/evals/evaluation-rows.ts'
import { findEvaluation } from '../../../db/learn/evals/find-evaluation.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'

const MOST_FLIPS = 500

export const compareEvalsRoute = defineRoute({
  method: 'post',
  path: '/v1/evals/{id}/compare',
  operationId: 'compareEvaluations',
  group: 'evals',
  summary: 'Compare an evaluation with another, row by row',
  description:
    "Rows are paired by task and content. The difference is second (`with`) less first, with McNemar's exact test and a BCa bootstrap interval of the paired rows; p-values of tasks and slices are adjusted together. `metrics` compares figures of the corpus such as BLEU by the paired bootstrap and approximate randomization. The same evaluations give the same figures.",
  auth: 'key',
  scope: 'eval:read',
  namespace: 'bounded',
  stores: 'bounded',
  params: z.object({ id: EvaluationId }),
  body: CompareBody,
  answers: { 200: envelope('The comparison', CompareAnswer) },
  errors: ['busy'],
}).handle(async ({ op, services, params: { id }, body, endOfCall }) => {
  const { with: other, ...options } = body
  const [{ definition }, against] = await Promise.all([findEvaluation(op, id), findEvaluation(op, other)])
  const { set } = definition
  const [first, second] = await Promise.all([listComparedRows(op, id), listComparedRows(op, other)])
  const isCounted = hasCounts(set) && hasCounts(against.definition.set)
  const [one, two] = isCounted ? await Promise.all([listCountedRows(op, id), listCountedRows(op, other)]) : [[], []]
  const input = { first, second, options, ...(isCounted && { counted: { set, first: one, second: two } }) }
  const { pairs, comparisons, metrics } = await services.evals.compare(op.tenantId, input, endOfCall())
  return {
    status: 200,
    body: {
      first: id,
      second: other,
      correction: options.correction,
      paired: pairs.length,
      unpaired: { first: first.length - pairs.length, second: second.length - pairs.length },
      comparisons: comparisons.map(presentComparison),
      metrics: metrics.map(presentCounts),
      flips: pairs.flatMap(presentFlip).slice(0, MOST_FLIPS),
    },
  }
})

type Answer = z.input<typeof CompareAnswer>

function presentComparison(comparison: Comparison): Answer['comparisons'][number] {
  const { accuracy, pValue, adjusted, smallestEffect, ...rest } = comparison
  const [first, second] = accuracy
  return {
    ...rest,
    accuracy: { first, second },
    p_value: pValue,
    adjusted_p_value: adjusted,
    smallest_effect: smallestEffect,
  }
}

function presentCounts(comparison: CountsComparison): Answer['metrics'][number] {
  const { isHigherBetter, pValue, adjusted, smallestEffect, ...rest } = comparison
  return {
    ...rest,
    higher_is_better: isHigherBetter,
    p_value: pValue,
    adjusted_p_value: adjusted,
    smallest_effect: smallestEffect,
  }
}

function presentFlip({ task, slice, first, second }: RowPair): readonly Answer['flips'][number][] {
  if (first.isRight === second.isRight) return []
  const now = second.isRight ? ('right' as const) : ('wrong' as const)
  return [{ task, slice, first_row: first.place + 1, second_row: second.place + 1, now }]
}
