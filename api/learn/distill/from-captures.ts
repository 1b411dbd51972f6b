import { compileSpec } from '../../../core/compile/wire/jobs/spec.ts'
import type { DistillRequest } from '../../../core/learn/distill/request.ts'
import { judgeTeachers } from '../../../core/learn/distill/teacher-class.ts'
import { trainRatioOf } from '../../../core/learn/distill/train-ratio.ts'
import { LEARN_ERRORS } from '../../../core/learn/errors.ts'
import {
  capturesDistillBody,
  CapturesDistillAnswer,
  LEAST_PAIRS,
  MOST_SURVEYED,
} from '../../../core/learn/wire/distill/captures.ts'
import { chargedTo } from '../../../db/billing/usage/charged-to.ts'
import { requireNamespace } from '../../../db/kernel/namespaces/bounds.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { createRun } from '../../../db/learn/distill/create-run.ts'
import {
  listClusterCaptures,
  surveyCaptures,
  type CapturesAsked,
  type CaptureSurvey,
} from '../../../db/learn/distill/survey-captures.ts'
import { refuseSealedCaptures } from '../../../db/learn/holdouts/refuse-sealed.ts'
import { CHOICE_ERRORS, checkChoices } from '../../compile/submit/choices.ts'
import { requireIntake } from '../../compile/submit/submit.ts'
import { requireAccess } from '../../gateway/captures/access.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'
import { commonText } from '../common-text.ts'
import { MODEL_ERRORS, requireModel } from '../evals/resolve-target.ts'
import { presentAcceptedRun } from './present-run.ts'

const ROUTE = 'distillFromCaptures'

export const distillFromCapturesRoute = defineRoute({
  method: 'post',
  path: '/v1/distill/from-captures',
  operationId: ROUTE,
  group: 'distill',
  summary: 'Distil captured calls into an artifact',
  description: (limits) =>
    `Starts a run: it collects the captures as a dataset, puts rows aside whose label is probably wrong, and lets a compile train, evaluate, gate and sign. The largest cluster of alike calls becomes a recipe; from ${limits.specialist_calls} captures on, or on request, all of the namespace become a specialist. Answers 202 at once; the run shows measured figures only, and completes only with an artifact. At most ${limits.distill_starts_per_tenant_minute} starts a minute.`,
  auth: 'key',
  scope: 'distill:write',
  namespace: 'bounded',
  idempotency: 'kernel',
  stores: 'blobs',
  body: capturesDistillBody,
  answers: { 202: envelope('The run is accepted', CapturesDistillAnswer) },
  errors: [
    'not_enough',
    'sealed_rows',
    'no_cluster',
    'forbidden',
    'rate_limited',
    'too_many_running_jobs',
    'quota_exhausted',
    'storage_allowance_used',
    ...CHOICE_ERRORS,
    ...MODEL_ERRORS,
  ],
})
  .authorize(async ({ op, principal, body }) => {
    await requireAccess({ op, principal }, 'capture:read', body.namespace)
  })
  .handle(async (call) => {
    const { op, services, principal, body } = call
    const { limits } = services
    const { namespace, statuses } = body
    requireNamespace(op, namespace)
    await requireIntake(call, ROUTE, 0)
    if (body.teacher !== undefined) await requireModel(call, { model: body.teacher, namespace, field: 'teacher' })
    const asked = { namespace, statuses }
    const survey = await surveyCaptures(op, asked)
    if (survey.total < body.min_pairs) {
      throw LEARN_ERRORS.not_enough(
        `namespace: ${namespace} has ${survey.total} captures of the last 30 days, and min_pairs asks for ${body.min_pairs}`,
        { details: { count: survey.total, min_pairs: body.min_pairs } },
      )
    }
    const mode = body.mode ?? (survey.total >= limits.specialist_calls ? 'specialist' : 'recipe')
    const cluster = mode === 'recipe' ? await largestCluster(op, asked, survey, limits.cluster_examples) : null
    const count = cluster?.ids.length ?? survey.total
    const task = await taskOf(op, { ...body, signature: cluster?.signature ?? null, chars: limits.task_chars })
    const spec = compileSpec(limits).parse({
      task,
      k_score_floor: body.k_score_floor,
      ...(body.base_model !== undefined && { base_model: body.base_model }),
    })
    await checkChoices(services, spec, op.now())
    const request: DistillRequest = {
      kind: 'from_captures',
      mode,
      task,
      capture_ids: cluster === null ? null : [...cluster.ids],
      statuses,
      most: limits.upload_rows,
      train_ratio: trainRatioOf(count),
      template_hash: cluster?.signature ?? null,
      k_score_floor: spec.k_score_floor,
      base_model: body.base_model ?? null,
    }
    await refuseSealedCaptures(op, 'namespace', {
      namespace,
      captures: { statuses, ids: request.capture_ids, most: MOST_SURVEYED },
      limits,
    })
    const runId = await createRun(op, {
      namespace,
      request,
      student: body.base_model ?? null,
      teacher: body.teacher ?? null,
      chargedTo: chargedTo(principal),
      plan: principal.plan,
      limits,
    })
    return {
      status: 202,
      body: {
        ...presentAcceptedRun(runId, namespace),
        mode,
        captures: count,
        template_hash: cluster?.signature ?? null,
        ...judgeTeachers(survey.models),
      },
    }
  })

/** The largest cluster with its captures. Throws `no_cluster` when it has fewer than a recipe needs. */
async function largestCluster(op: Operation, asked: CapturesAsked, { clusters }: CaptureSurvey, most: number) {
  const largest = clusters.find(({ signature }) => signature !== null)
  const best = largest?.count ?? 0
  if (!largest?.signature || best < LEAST_PAIRS) {
    throw LEARN_ERRORS.no_cluster(
      `namespace: no ${LEAST_PAIRS} captures of ${asked.namespace} are alike; mode specialist takes all of them`,
      { details: { best_cluster_size: best } },
    )
  }
  const { signature } = largest
  return { signature, ids: await listClusterCaptures(op, { ...asked, signature, most }) }
}

interface Named {
  readonly namespace: string
  readonly name?: string | undefined
  readonly task?: string | undefined
  readonly signature: string | null
  readonly chars: number
}

/** The task in words: the caller's, or what the calls of the cluster have in common, which quotes no single call. */
async function taskOf(op: Operation, { namespace, name, task, signature, chars }: Named): Promise<string> {
  const common =
    signature === null
      ? `Answer as the captured calls of ${namespace} were answered`
      : await commonText(op, namespace, signature)
  return [name, task ?? common]
    .filter((part) => part !== undefined && part !== '')
    .join(': ')
    .slice(0, chars)
}
