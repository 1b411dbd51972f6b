import { z } from 'zod'
import { EvaluationId } from '../../../core/kernel/wire/ids.ts'
import { pageOf } from '../../../core/kernel/wire/page.ts'
import { LEARN_ERRORS } from '../../../core/learn/errors.ts'
import type { PackedSet } from '../../../core/learn/evals/thread/eval-tasks.ts'
import { DATASET_TASK } from '../../../core/learn/evals/task/dataset-task.ts'
import { TASK_FILE } from '../../../core/learn/evals/task/read-tasks.ts'
import type { Limits } from '../../../core/learn/limits.ts'
import {
  EvalBody,
  EvalNamespace,
  EvalRowsAnswer,
  EvalView,
  ListEvalsAnswer,
} from '../../../core/learn/wire/evals/evals.ts'
import { createEvaluation } from '../../../db/learn/evals/create-evaluation.ts'
import { listEvaluationRows } from '../../../db/learn/evals/evaluation-rows.ts'
import { resumeEvaluation } from '../../../db/learn/evals/resume-evaluation.ts'
import { findEvaluation, listEvaluations } from '../../../db/learn/evals/find-evaluation.ts'
import { refuseSealedColumns } from '../../../db/learn/holdouts/refuse-sealed.ts'
import { defaultNamespace, requireNamespace } from '../../../db/kernel/namespaces/bounds.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'
import { readDataset } from './dataset-splits.ts'
import { requireAnswerable, resolveTarget } from './resolve-target.ts'
import { presentEvaluation, presentRow } from './present.ts'

export const createEvalRoute = defineRoute({
  method: 'post',
  path: '/v1/evals',
  operationId: 'createEvaluation',
  group: 'evals',
  summary: 'Start an evaluation',
  description: (limits) =>
    `Evaluates an artifact, a base, a base with the adapter of an artifact, or a provider's model on a task of lm-evaluation-harness 0.4.13: the same prompts, filters and metrics. Prompts are made before the answer, so faults of task and rows answer 400 with file and line, or with the row. At most ${limits.evaluation_rows} rows; up to ${limits.unfinished_evaluations_per_tenant} evaluations run at once. \`poll\` shows the figures when all rows are scored. Artifacts give answers and no likelihoods, so tasks for them are \`generate_until\`; one whose \`doc_to_text\` is a column gets the value of the column. So do models of providers, which are asked with your key of the vault, your team's or the operator's, within the policy, budget and quota of a call; each answer is kept as it arrives. Give rows in \`data\`, or name a \`dataset\`: its version stays the one that was read. Rows of a sealed holdout are refused: only its gates score them.`,
  auth: 'key',
  scope: 'eval:write',
  namespace: 'bounded',
  stores: 'records',
  idempotency: 'kernel',
  bodyLimit: 'evaluation_body_bytes',
  partsLimit: 'gateway_body_parts',
  body: EvalBody,
  answers: { 202: envelope('The evaluation is accepted', EvalView) },
  errors: [
    'not_found',
    'invalid_eval_task',
    'invalid_eval_row',
    'eval_gold_out_of_range',
    'eval_needs_likelihoods',
    'too_many_evaluations',
    'compute_exhausted',
    'limit_reached',
    'unknown_base_model',
    'artifact_revoked',
    'invalid_archive',
    'unknown_model',
    'provider_disabled',
    'no_provider_key',
    'dataset_not_ready',
    'sealed_rows',
    'busy',
    'storage_full',
  ],
}).handle(async (call) => {
  const { op, services, body, endOfCall } = call
  const { limits } = services
  const limit = body.limit ?? null
  const isForArtifact = 'artifact_id' in body.target
  if (body.namespace !== undefined) requireNamespace(op, body.namespace)
  const read = body.dataset === undefined ? null : await readDataset(op, body.dataset, { limits, limit, isForArtifact })
  const namespace = body.namespace ?? read?.namespace ?? defaultNamespace(op)
  requireNamespace(op, namespace)
  const target = await resolveTarget(call, body.target, namespace)
  const options = {
    fewShots: body.num_fewshot ?? null,
    limit,
    seed: body.seed,
    sliceBy: body.slice_by ?? null,
    clusterBy: body.cluster_by ?? null,
  }
  const files = { ...body.files, [TASK_FILE]: body.task ?? DATASET_TASK }
  const splits = read?.splits ?? body.data ?? {}
  await refuseSealedColumns(op, read === null ? 'data' : 'dataset', Object.values(splits).flat())
  const prepared = await services.evals.prepare(op.tenantId, { files, splits, options }, endOfCall())
  requireRoom(prepared, limits)
  requireAnswerable(target, prepared.set)
  const name = body.name ?? prepared.set.groups.at(-1)?.name ?? prepared.set.tasks[0]?.task ?? 'evaluation'
  const definition = { target, set: prepared.set, ...options, ...(read !== null && { dataset: read.dataset }) }
  const id = await createEvaluation(op, {
    namespace,
    name,
    definition,
    rows: prepared.rows,
    limits,
    ...(read !== null && { forgetsSeen: read.forgetsSeen }),
  })
  return { status: 202, body: presentEvaluation(await findEvaluation(op, id)) }
})

export const resumeEvalRoute = defineRoute({
  method: 'post',
  path: '/v1/evals/{id}/resume',
  operationId: 'resumeEvaluation',
  group: 'evals',
  summary: 'Resume a failed evaluation',
  description:
    'Goes on with the rows that are not scored: what a model answered before the failure is kept, and no answer is asked for twice.',
  auth: 'key',
  scope: 'eval:write',
  namespace: 'bounded',
  stores: 'records',
  idempotency: 'kernel',
  params: z.object({ id: EvaluationId }),
  answers: { 202: envelope('The evaluation goes on', EvalView) },
  errors: ['evaluation_not_failed', 'too_many_evaluations', 'compute_exhausted'],
}).handle(async ({ op, services, params: { id } }) => {
  await resumeEvaluation(op, id, services.limits)
  return { status: 202, body: presentEvaluation(await findEvaluation(op, id)) }
})

export const listEvalsRoute = defineRoute({
  method: 'get',
  path: '/v1/evals',
  operationId: 'listEvaluations',
  group: 'evals',
  summary: 'List evaluations, newest first',
  auth: 'key',
  scope: 'eval:read',
  namespace: 'bounded',
  query: (limits) => pageOf(20)(limits).extend({ namespace: EvalNamespace.optional() }),
  answers: { 200: envelope('One page', ListEvalsAnswer) },
  errors: ['invalid_cursor'],
}).handle(async ({ op, query }) => {
  const { items, nextCursor } = await listEvaluations(op, query)
  return {
    status: 200,
    body: { evaluations: items.map(presentEvaluation), count: items.length, next_cursor: nextCursor },
  }
})

export const getEvalRoute = defineRoute({
  method: 'get',
  path: '/v1/evals/{id}',
  operationId: 'getEvaluation',
  group: 'evals',
  summary: 'Show an evaluation and its figures',
  auth: 'key',
  scope: 'eval:read',
  namespace: 'bounded',
  params: z.object({ id: EvaluationId }),
  answers: { 200: envelope('The evaluation as it stands', EvalView) },
}).handle(async ({ op, params }) => ({ status: 200, body: presentEvaluation(await findEvaluation(op, params.id)) }))

export const listEvalRowsRoute = defineRoute({
  method: 'get',
  path: '/v1/evals/{id}/rows',
  operationId: 'listEvaluationRows',
  group: 'evals',
  summary: 'List the rows of an evaluation',
  description: 'Each with its prompts, the answers, what was expected and its scores, in the order of the evaluation.',
  auth: 'key',
  scope: 'eval:read',
  namespace: 'bounded',
  params: z.object({ id: EvaluationId }),
  query: z.object({
    from: z.coerce.number().int().min(1).max(1_000_000).default(1).meta({ description: 'Number of the first row' }),
    limit: z.coerce.number().int().min(1).max(200).default(50).meta({ description: 'Maximum number of rows' }),
    task: z.string().max(200).optional().meta({ description: 'Rows of this task only' }),
    right: z.enum(['true', 'false']).optional().meta({ description: 'Right or wrong rows only' }),
  }),
  answers: { 200: envelope('Some rows', EvalRowsAnswer) },
}).handle(async ({ op, params: { id }, query }) => {
  await findEvaluation(op, id)
  const { from, limit, task, right } = query
  const found = await listEvaluationRows(op, id, {
    from: from - 1,
    limit: limit + 1,
    task,
    right: right === undefined ? undefined : right === 'true',
  })
  const rows = found.slice(0, limit)
  const next = found[limit]
  return {
    status: 200,
    body: {
      evaluation_id: id,
      rows: rows.map(presentRow),
      count: rows.length,
      next_from: next === undefined ? null : next.place + 1,
    },
  }
})

/** Throws `invalid_eval_task` for more rows or prompts than an evaluation may have. */
export function requireRoom({ rows, promptChars }: PackedSet, limits: Limits): void {
  if (rows.length > limits.evaluation_rows) {
    throw LEARN_ERRORS.invalid_eval_task(
      `the tasks have ${rows.length} rows, and an evaluation at most ${limits.evaluation_rows}; set limit`,
    )
  }
  if (promptChars > limits.evaluation_prompt_bytes) {
    throw LEARN_ERRORS.invalid_eval_task(
      `the prompts have ${promptChars} characters, and those of an evaluation at most ${limits.evaluation_prompt_bytes}`,
    )
  }
}
