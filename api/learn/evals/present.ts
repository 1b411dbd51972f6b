import type { z } from 'zod'
import { answerOf, targetName, type EvalDataset } from '../../../core/learn/evals/evaluation.ts'
import { scoresAlone } from '../../../core/learn/evals/scoring/score-row.ts'
import type { EvalRowsAnswer, EvalView } from '../../../core/learn/wire/evals/evals.ts'
import type { EvaluationRow } from '../../../db/learn/evals/evaluation-rows.ts'
import type { ShownEvaluation } from '../../../db/learn/evals/find-evaluation.ts'

/** Shows an evaluation. */
export function presentEvaluation(evaluation: ShownEvaluation): z.input<typeof EvalView> {
  const { id, definition, summary } = evaluation
  return {
    evaluation_id: id,
    name: evaluation.name,
    namespace: evaluation.namespace,
    state: evaluation.state,
    target: targetName(definition.target),
    tasks: definition.set.tasks.map(({ task }) => task),
    data_hash: `sha256:${Buffer.from(evaluation.dataHash).toString('hex')}`,
    rows: evaluation.rowCount,
    scored: evaluation.scoredCount,
    source: evaluation.source,
    dataset: presentDataset(definition.dataset),
    usage: definition.target.kind === 'model' ? presentUsage(evaluation) : null,
    cut_tokens: evaluation.cutTokens,
    figures:
      summary?.figures.map(({ isHigherBetter, smallestEffect, value, ...figure }) => ({
        ...figure,
        value: orNull(value),
        higher_is_better: isHigherBetter,
        smallest_effect: smallestEffect,
      })) ?? null,
    passes:
      summary?.passes.map(({ passAtK, passHatK, ...pass }) => ({
        ...pass,
        pass_at_k: passAtK,
        pass_hat_k: passHatK,
      })) ?? null,
    groups: summary?.groups.map((group) => ({ ...group, value: orNull(group.value) })) ?? null,
    error_code: evaluation.errorCode ?? null,
    error: evaluation.errorMessage ?? null,
    created_at: evaluation.createdAt.toISOString(),
    started_at: evaluation.startedAt?.toISOString() ?? null,
    finished_at: evaluation.finishedAt?.toISOString() ?? null,
    poll: `/v1/evals/${id}`,
  }
}

function presentDataset(dataset: EvalDataset | undefined): z.input<typeof EvalView>['dataset'] {
  if (dataset === undefined) return null
  const { datasetId: id, version, side, merkleRoot } = dataset
  return { id, version, side, merkle_root: merkleRoot }
}

const MICROS_PER_USD = 1_000_000

function presentUsage(evaluation: ShownEvaluation): z.input<typeof EvalView>['usage'] {
  const { answeredCount: answered, inputTokens, outputTokens, costUsdMicros: micros } = evaluation
  const cost = micros === null || micros === undefined ? null : micros / MICROS_PER_USD
  return { answered, input_tokens: inputTokens, output_tokens: outputTokens, cost_usd: cost }
}

/** JSON holds no infinite numbers: a perplexity that overflows was stored as null. */
function orNull(value: number | null): number | null {
  return value !== null && Number.isFinite(value) ? value : null
}

/** Shows a row of an evaluation. */
export function presentRow({
  place,
  task,
  sample,
  outcome,
  isRight,
}: EvaluationRow): z.input<typeof EvalRowsAnswer>['rows'][number] {
  return {
    row: place + 1,
    task,
    doc_id: sample.docId,
    right: isRight ?? null,
    slice: sample.slice,
    expected: sample.target,
    got: outcome === null || outcome === undefined ? null : answerOf(outcome),
    doc: sample.doc,
    requests: sample.requests.map((request) => ({ ...request })),
    choices: sample.choices === null ? null : [...sample.choices],
    responses: outcome === null || outcome === undefined ? null : { ...outcome.responses },
    scores: (outcome?.scores ?? []).map(({ filter, filtered, metrics }) => ({
      filter,
      filtered,
      metrics: JSON.parse(JSON.stringify(metrics)),
      alone: scoresAlone(metrics),
    })),
    cut_tokens: outcome?.cutTokens ?? null,
  }
}
