import { z } from 'zod'
import { invalidField } from '../../../core/kernel/errors.ts'
import { EvaluationId } from '../../../core/kernel/wire/ids.ts'
import { pageOf } from '../../../core/kernel/wire/page.ts'
import { LEARN_ERRORS } from '../../../core/learn/errors.ts'
import type { TargetSpec } from '../../../core/learn/evals/evaluation.ts'
import type { PackedSet } from '../../../core/learn/evals/thread/eval-tasks.ts'
import { TASK_FILE } from '../../../core/learn/evals/task/read-tasks.ts'
import type { Limits } from '../../../core/learn/limits.ts'
import {
  EvalBody,
  EvalNamespace,
  EvalRowsAnswer,
  EvalView,
  ListEvalsAnswer,
} from '../../../core/learn/wire/evals/evals.ts'
import { findBase } from '../../../core/model/files/find-base.ts'
import { createEvaluation } from '../../../db/learn/evals/create-evaluation.ts'
import { listEvaluationRows } from '../../../db/learn/evals/evaluation-rows.ts'
import { findEvaluation, listEvaluations } from '../../../db/learn/evals/find-evaluation.ts'
import { boundsOf, requireNamespace } from '../../../db/kernel/namespaces/bounds.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute, type LearnServices } from '../services.ts'
import { presentEvaluation, presentRow } from './present.ts'

export const createEvalRoute = defineRoute({
  method: 'post',
  path: '/v1/evals',
  operationId: 'createEvaluation',
  group: 'evals',
  summary: 'Start an evaluation',
  description: (limits) =>
    `Evaluates an artifact, a base, or a base with the adapter of an artifact on a task of lm-evaluation-harness 0.4.13: the same prompts, filters and metrics. Prompts are made before the answer, so faults of task and rows answer 400 with file and line, or with the row. At most ${limits.evaluation_rows} rows; up to ${limits.unfinished_evaluations_per_tenant} evaluations run at once. \`poll\` shows the figures when all rows are scored. Artifacts give answers and no likelihoods, so tasks for them are \`generate_until\`; one whose \`doc_to_text\` is a column gets the value of the column.`,
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
    'invalid_eval_task',
    'invalid_eval_row',
    'eval_gold_out_of_range',
    'eval_needs_likelihoods',
    'too_many_evaluations',
    'limit_reached',
    'unknown_base_model',
    'artifact_revoked',
    'invalid_archive',
    'busy',
    'storage_full',
  ],
}).handle(async ({ op, services, body, endOfCall }) => {
  const { limits } = services
  const namespace = body.namespace ?? boundsOf(op)?.[0] ?? 'default'
  requireNamespace(op, namespace)
  const target = await resolveTarget(op, services, body.target)
  const options = {
    fewShots: body.num_fewshot ?? null,
    limit: body.limit ?? null,
    seed: body.seed,
    sliceBy: body.slice_by ?? null,
    clusterBy: body.cluster_by ?? null,
  }
  const files = { ...body.files, [TASK_FILE]: body.task }
  const prepared = await services.evals.prepare(op.tenantId, { files, splits: body.data, options }, endOfCall())
  requireRoom(prepared, limits)
  const types = new Set(prepared.set.tasks.map(({ output_type: type }) => type))
  if (target.kind === 'artifact' && (types.size > 1 || !types.has('generate_until'))) {
    throw LEARN_ERRORS.eval_needs_likelihoods(
      'an artifact gives answers and no likelihoods: its tasks must be generate_until',
    )
  }
  const name = body.name ?? prepared.set.groups.at(-1)?.name ?? prepared.set.tasks[0]?.task ?? 'evaluation'
  const definition = { target, set: prepared.set, ...options }
  const id = await createEvaluation(op, { namespace, name, definition, rows: prepared.rows, limits })
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

/** Resolves a target of a body. Throws `not_found`, `artifact_revoked`, `unknown_base_model`, `validation_failed`. */
export async function resolveTarget(
  op: Operation,
  services: LearnServices,
  given: z.output<typeof EvalBody>['target'],
): Promise<TargetSpec> {
  const load = async (artifactId: string) => await services.recipes.load(op.tenantId, { artifactId }, boundsOf(op))
  if ('artifact_id' in given) {
    const { runnable } = await load(given.artifact_id)
    return { kind: 'artifact', artifactId: runnable.artifactId, cid: runnable.cid }
  }
  await findBase(given.base, services.settings.baseFolders)
  if (given.adapter_id === undefined) return { kind: 'base', base: given.base, adapterId: null, cid: null }
  const { runnable, recipe } = await load(given.adapter_id)
  if (recipe.kind !== 'lora') throw invalidField('target.adapter_id', 'holds no adapter')
  if (recipe.baseName !== given.base)
    throw invalidField('target.base', `must be ${recipe.baseName}, the base of the adapter`)
  return { kind: 'base', base: given.base, adapterId: runnable.artifactId, cid: runnable.cid }
}

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
