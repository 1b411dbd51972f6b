import { z } from 'zod'
import { EvaluationId } from '../../../core/kernel/wire/ids.ts'
import type { Comparison } from '../../../core/learn/evals/compare/compare.ts'
import type { RowPair } from '../../../core/learn/evals/compare/pair-rows.ts'
import { CompareAnswer, CompareBody } from '../../../core/learn/wire/evals/compare.ts'
import { listComparedRows } from '../../../db/learn/evals/evaluation-rows.ts'
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
    "Rows are paired by task and content. The difference is second (`with`) less first, with McNemar's exact test and a BCa bootstrap interval of the paired rows; p-values of tasks and slices are adjusted together. The same evaluations give the same figures.",
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
  await Promise.all([findEvaluation(op, id), findEvaluation(op, other)])
  const [first, second] = await Promise.all([listComparedRows(op, id), listComparedRows(op, other)])
  const { pairs, comparisons } = await services.evals.compare(op.tenantId, { first, second, options }, endOfCall())
  return {
    status: 200,
    body: {
      first: id,
      second: other,
      correction: options.correction,
      paired: pairs.length,
      unpaired: { first: first.length - pairs.length, second: second.length - pairs.length },
      comparisons: comparisons.map(presentComparison),
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

function presentFlip({ task, slice, first, second }: RowPair): readonly Answer['flips'][number][] {
  if (first.isRight === second.isRight) return []
  const now = second.isRight ? ('right' as const) : ('wrong' as const)
  return [{ task, slice, first_row: first.place + 1, second_row: second.place + 1, now }]
}
