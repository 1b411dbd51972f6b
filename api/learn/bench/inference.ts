import { z } from 'zod'
import { invalidField } from '../../../core/kernel/errors.ts'
import { pageOf } from '../../../core/kernel/wire/page.ts'
import {
  countCalls,
  nameOfTarget,
  NO_DRAFTS,
  type InferenceRequest,
  type InferenceTarget,
} from '../../../core/learn/evals/inference/inference.ts'
import { INFERENCE_SCHEMA } from '../../../core/learn/evals/inference/signed-row.ts'
import {
  InferenceBody,
  InferenceRow,
  InferenceView,
  ListInferenceAnswer,
  MeasurementId,
} from '../../../core/learn/wire/evals/inference.ts'
import { findBase } from '../../../core/model/files/find-base.ts'
import { boundsOf, defaultNamespace, requireNamespace } from '../../../db/kernel/namespaces/bounds.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import {
  createMeasurement,
  findMeasurement,
  listMeasurements,
  type ShownMeasurement,
} from '../../../db/learn/bench/measurements.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { waitForEnd } from '../../compile/submit/wait-for-end.ts'
import { defineRoute, type LearnServices } from '../services.ts'

export const measureInferenceRoute = defineRoute({
  method: 'post',
  path: '/v1/bench/inference/run',
  operationId: 'measureInference',
  group: 'evals',
  summary: 'Measure the speed of an artifact or a base',
  description: (limits) =>
    `Calls an artifact of yours, or a base of this server, and measures each call by the monotonic clock: time to the first token, latency, tokens per second, at each \`concurrency\` from 1 to 16. Warm-up calls count nowhere; calls that fail are counted by code. The row is signed (Ed25519) and joins the list. No address is called: a field \`endpoint\` is refused. \`dry_run\` answers the plan, without any figure, and stores nothing. Answers 200 when it is done within ${limits.sync_inference_wait_s} s, else 202; \`poll\` shows the row.`,
  auth: 'key',
  scope: 'eval:write',
  namespace: 'bounded',
  stores: 'records',
  idempotency: 'kernel',
  body: InferenceBody,
  answers: {
    200: envelope('The measurement is done, or the plan of one', InferenceView),
    202: envelope('The measurement is accepted', InferenceView),
  },
  errors: [
    'not_found',
    'unknown_base_model',
    'artifact_revoked',
    'artifact_expired',
    'invalid_archive',
    'too_many_measurements',
    'compute_exhausted',
    'limit_reached',
    'busy',
    'storage_full',
  ],
}).handle(async (call) => {
  const { op, services, body } = call
  const namespace = body.namespace ?? defaultNamespace(op)
  requireNamespace(op, namespace)
  const target = await resolveTarget(op, services, body)
  const request: InferenceRequest = {
    target,
    model: body.model ?? nameOfTarget(target),
    prompts: body.prompts,
    repeats: body.repeats,
    warmUps: body.warm_up,
    maxTokens: body.max_tokens,
    concurrency: body.concurrency,
    speculative: body.speculative,
  }
  if (body.dry_run) return { status: 200, body: { ...planned(request), namespace } }
  const id = await createMeasurement(op, { namespace, request, limits: services.limits })
  const isOver = async () => (await findMeasurement(op, id)).finishedAt !== null
  await waitForEnd(call, { id, seconds: services.limits.sync_inference_wait_s, isOver })
  const measurement = await findMeasurement(op, id)
  return { status: measurement.finishedAt === null ? 202 : 200, body: present(measurement) }
})

export const listInferenceRoute = defineRoute({
  method: 'get',
  path: '/v1/bench/inference',
  operationId: 'listInferenceMeasurements',
  group: 'evals',
  summary: 'List measurements of inference, newest first',
  auth: 'key',
  scope: 'eval:read',
  namespace: 'bounded',
  query: pageOf(20),
  answers: { 200: envelope('One page', ListInferenceAnswer) },
  errors: ['invalid_cursor'],
}).handle(async ({ op, query }) => {
  const { items, nextCursor } = await listMeasurements(op, query)
  const measurements = items.map(present)
  return {
    status: 200,
    body: {
      schema: INFERENCE_SCHEMA,
      measurements,
      rows: measurements.flatMap(({ row }) => row ?? []),
      count: items.length,
      next_cursor: nextCursor,
      generated_at: op.now().toISOString(),
    },
  }
})

export const getInferenceRoute = defineRoute({
  method: 'get',
  path: '/v1/bench/inference/{id}',
  operationId: 'getInferenceMeasurement',
  group: 'evals',
  summary: 'Show a measurement of inference',
  auth: 'key',
  scope: 'eval:read',
  namespace: 'bounded',
  params: z.object({ id: MeasurementId }),
  answers: { 200: envelope('The measurement as it stands', InferenceView) },
}).handle(async ({ op, params }) => ({ status: 200, body: present(await findMeasurement(op, params.id)) }))

/** Throws `not_found`, `artifact_revoked` and the like for an artifact that cannot run, and `unknown_base_model`. */
async function resolveTarget(
  op: Operation,
  { recipes, settings }: LearnServices,
  { artifact_id: artifactId, model }: z.output<typeof InferenceBody>,
): Promise<InferenceTarget> {
  if (artifactId !== undefined) {
    const { runnable } = await recipes.load(op.tenantId, { artifactId }, boundsOf(op))
    return { kind: 'artifact', artifactId, cid: runnable.cid }
  }
  if (model === undefined) throw invalidField('model', 'is required without artifact_id: a base of this server')
  await findBase(model, settings.baseFolders)
  return { kind: 'base', base: model }
}

function planOf(request: InferenceRequest): z.input<typeof InferenceView>['plan'] {
  const { target, speculative } = request
  const { measured, warmUp } = countCalls(request)
  return {
    target: { kind: target.kind, name: nameOfTarget(target) },
    calls: measured,
    warm_up_calls: warmUp,
    concurrency: [...request.concurrency],
    prompts: request.prompts.length,
    repeats: request.repeats,
    max_tokens: request.maxTokens,
    speculative: { requested: speculative, supported: false, reason: NO_DRAFTS },
  }
}

function planned(request: InferenceRequest) {
  return {
    measurement_id: null,
    state: 'planned',
    dry_run: true,
    model: request.model,
    plan: planOf(request),
    row: null,
    error_code: null,
    error: null,
    created_at: null,
    finished_at: null,
    poll: null,
  } as const
}

function present(measurement: ShownMeasurement): z.output<typeof InferenceView> {
  const { id, request, result } = measurement
  return {
    measurement_id: id,
    namespace: measurement.namespace,
    state: measurement.state,
    dry_run: false,
    model: request.model,
    plan: planOf(request),
    row: result === null || result === undefined ? null : InferenceRow.parse(result),
    error_code: measurement.errorCode ?? null,
    error: measurement.errorMessage ?? null,
    created_at: measurement.createdAt.toISOString(),
    finished_at: measurement.finishedAt?.toISOString() ?? null,
    poll: `/v1/bench/inference/${id}`,
  }
}
