import type { z } from 'zod'
import { findSensitivePrepared, sensitiveRefused } from '../../../../core/compile/rows/sensitive-rows.ts'
import { CLOUD_DISTILL_FIELDS } from '../../../../core/compile/stages/rentals/body-fields.ts'
import { LANES, type FitLane } from '../../../../core/compile/stages/rentals/lanes.ts'
import { laneNamed } from '../../../../core/compile/stages/rentals/providers/open-provider.ts'
import { gpuRateUsdMicros } from '../../../../core/compile/stages/rentals/quote/reference.ts'
import { compileSpec } from '../../../../core/compile/wire/jobs/spec.ts'
import { invalidField } from '../../../../core/kernel/errors.ts'
import { hashJson, type JsonObject } from '../../../../core/kernel/json/json.ts'
import { macText } from '../../../../core/kernel/json/mac.ts'
import { poolStatus, type BackendStatus } from '../../../../core/learn/distill/cloud/backend.ts'
import { laneOfPlan } from '../../../../core/learn/distill/cloud/priority.ts'
import { windowMs } from '../../../../core/learn/distill/cloud/window.ts'
import { LEARN_ERRORS } from '../../../../core/learn/errors.ts'
import { CloudJobAccepted, cloudJobBody } from '../../../../core/learn/wire/cloud/jobs.ts'
import { listPools } from '../../../../db/compile/rentals/pools/pools.ts'
import { chargedTo } from '../../../../db/billing/usage/charged-to.ts'
import type { Operation } from '../../../../db/kernel/operation.ts'
import { serviceKey } from '../../../../db/kernel/secrets/service-secrets.ts'
import { findCloudJob } from '../../../../db/learn/cloud/find-cloud-job.ts'
import {
  findEarlierJob,
  submitCloudJob,
  type CloudIdempotency,
  type NewCloudJob,
} from '../../../../db/learn/cloud/submit-cloud-job.ts'
import { refuseSealedCaptures } from '../../../../db/learn/holdouts/refuse-sealed.ts'
import { payingKey } from '../../../compile/rentals/paying-key.ts'
import { checkChoices, CHOICE_ERRORS } from '../../../compile/submit/choices.ts'
import { requireAccess } from '../../../gateway/captures/access.ts'
import { claimantOf, idempotencyKeyFrom } from '../../../kernel/guard/idempotency.ts'
import { envelope } from '../../../kernel/reply/answers.ts'
import { requireAccount } from '../../gates/gate.ts'
import { defineRoute, type Call } from '../../services.ts'
import { gpusOf } from './gpus.ts'
import { presentCloudJob } from './present.ts'

/** Captures whose rows are compared with sealed ones in the call, the oldest; the others are when the job begins. */
const MOST_CHECKED = 5000

type Body = z.output<ReturnType<typeof cloudJobBody>>
type SubmitCall = Call<'key', unknown, unknown, Body>

export const submitCloudJobRoute = defineRoute({
  method: 'post',
  path: '/v1/cloud/distill/submit',
  operationId: 'submitCloudJob',
  group: 'cloud',
  summary: 'Distill captures with a fit on your own pool or a rented machine',
  description: (limits) =>
    `Collects the approved captures of a window and compiles them with an adapter whose fit a worker of your pool leases, or that a rented machine runs; held-out rows, gate and signature stay here. Without a pool of these GPUs the job is accepted, waits and costs nothing; it begins when one is registered, and fails after ${Math.round(limits.pool_wait_s / 86_400)} days without one.`,
  auth: 'key',
  scope: 'cloud:write',
  namespace: 'bounded',
  idempotency: 'handler',
  stores: 'records',
  body: cloudJobBody,
  answers: {
    200: envelope('An earlier call with the same key made the job', CloudJobAccepted),
    202: envelope('The job is accepted', CloudJobAccepted),
  },
  errors: [
    'unknown_gpu_sku',
    'unknown_vram_tier',
    'invalid_managed_provider',
    'rental_not_configured',
    'privacy_requires_byoc',
    'sealed_rows',
    'too_many_running_jobs',
    'forbidden',
    ...CHOICE_ERRORS,
  ],
}).handle(async (call) => {
  const { op, body, principal } = call
  requireAccount(principal)
  await requireAccess(call, 'capture:read', body.namespace)
  const idempotency = idempotencyOf(call)
  const earlier = await findEarlierJob(op, { idempotency, limits: call.services.limits })
  const { id, isReplay } =
    earlier === null
      ? await submitCloudJob(op, { ...(await validJob(call)), idempotency })
      : { id: earlier, isReplay: true }
  const job = await findCloudJob(op, id)
  const view = {
    ...presentCloudJob(job),
    cloud_backend_status: await backendStatus(op, job),
    scheduler_lane: laneOfPlan(principal.plan),
    created: !isReplay,
    idempotent_replay: isReplay,
    poll_url: `/v1/cloud/distill/${id}`,
    meter_url: `/v1/cloud/distill/meter/${id}`,
  }
  return isReplay ? { status: 200, body: view } : { status: 202, body: view }
})

async function validJob(call: SubmitCall): Promise<Omit<NewCloudJob, 'idempotency'>> {
  const { op, services, body, principal } = call
  const { limits } = services
  const given = body.base_model ?? body.student
  if (body.base_model !== undefined && body.student !== undefined && body.base_model !== body.student) {
    throw invalidField('student', 'must be base_model, or absent')
  }
  const choices = {
    task: body.task ?? `Answer as the approved captures of ${body.namespace} do`,
    k_score_floor: body.k_score_floor,
    lora: body.lora ?? {},
  }
  const spec = { ...compileSpec(limits).parse({ task: choices.task, recipe_kind: 'lora', lora: choices.lora }) }
  const trainer = lanesOf(body) === 'pool' ? ('pool' as const) : ('rented' as const)
  const baseModel = await checkChoices(
    services,
    { ...spec, trainer, ...(given !== undefined && { base_model: given }) },
    op.now(),
    body.student === undefined ? 'base_model' : 'student',
  )
  const budgetUsd = body.budget_usd ?? limits.rental_budget_usd
  if (trainer === 'rented' && !body.allow_sensitive) await refuseSensitiveTask(choices.task)
  const windowLength = windowMs(body.capture_window) ?? 0
  const captureFrom = new Date(op.now().getTime() - windowLength)
  await refuseSealedCaptures(op, 'namespace', {
    namespace: body.namespace,
    captures: { statuses: ['approved'], ids: null, most: MOST_CHECKED, from: captureFrom.toISOString() },
    limits,
  })
  return {
    namespace: body.namespace,
    recipeId: body.recipe_id,
    captureWindow: body.capture_window,
    captureFrom,
    ...(await machinesOf(call, budgetUsd)),
    budgetUsdMicros: Math.floor(budgetUsd * 1_000_000),
    baseModel,
    choices: JSON.parse(JSON.stringify(choices)),
    chargedTo: { ...chargedTo(principal), namespace: body.namespace },
    allowsSensitive: body.allow_sensitive,
    billingTokenHash: await tokenHash(op, body.billing_token),
    limits,
  }
}

/** Throws `privacy_requires_byoc` for a task that may not leave for a rented machine; its rows are looked at when it begins. */
async function refuseSensitiveTask(task: string): Promise<void> {
  const found = await findSensitivePrepared({ task, rows: [], negatives: [], teacherRows: [] })
  if (!found.isInTask) return
  throw sensitiveRefused(found, CLOUD_DISTILL_FIELDS, 'use a pool of your own, or set allow_sensitive')
}

function lanesOf({ provider, managed_provider: managed }: Body): FitLane {
  if (provider !== undefined && managed !== undefined && provider !== managed) {
    throw invalidField('managed_provider', 'must be provider, or absent')
  }
  const name = provider ?? managed
  if (name === undefined) return 'pool'
  const lane = laneNamed(name)
  if (lane !== undefined) return lane
  const [field, message] = [
    provider === undefined ? 'managed_provider' : 'provider',
    `is not one of ${LANES.join(', ')}`,
  ]
  throw LEARN_ERRORS.invalid_managed_provider(`${field}: ${message}`, {
    details: { fields: [{ field, message }], supported: [...LANES] },
  })
}

/** Lane, GPUs and rate of a job: those of a pool, or the machine that the operator chose for a lane. */
async function machinesOf(
  call: SubmitCall,
  budgetUsd: number,
): Promise<Pick<NewCloudJob, 'lane' | 'gpuSku' | 'vramTier' | 'rateUsdMicros' | 'providerKeyId'>> {
  const { body, services } = call
  const lane = lanesOf(body)
  if (lane === 'pool') {
    const gpus = gpusOf(body.gpu_sku ?? 'H100-80GB', body.vram_tier ?? '1x')
    const rateUsdMicros = gpuRateUsdMicros(gpus)
    return { lane, gpuSku: gpus.sku, vramTier: gpus.tier, rateUsdMicros, providerKeyId: null }
  }
  for (const field of ['gpu_sku', 'vram_tier'] as const) {
    if (body[field] !== undefined) throw invalidField(field, 'must be absent: the operator chose the machine of a lane')
  }
  const { machine, usdPerHour } = services.settings.rentals.lanes[lane]
  const providerKeyId = await payingKey(call, lane, budgetUsd)
  return { lane, gpuSku: machine, vramTier: '1x', rateUsdMicros: Math.ceil(usdPerHour * 1_000_000), providerKeyId }
}

async function tokenHash(op: Operation, token: string | undefined): Promise<string | null> {
  if (token === undefined) return null
  const { secret } = await serviceKey(op.db, 'fingerprint', op.db)
  return macText(`billing token ${op.tenantId} ${token}`, secret)
}

function idempotencyOf({ request, body, principal }: SubmitCall): CloudIdempotency | undefined {
  const { idempotency_key: named, ...asked } = body
  const header = idempotencyKeyFrom(request.headers['idempotency-key'])
  if (header !== undefined && named !== undefined && header !== named) {
    throw invalidField('idempotency_key', 'must be the header Idempotency-Key, or absent')
  }
  const key = header ?? named
  if (key === undefined) return undefined
  const document: JsonObject = JSON.parse(JSON.stringify(asked))
  return { key, credential: claimantOf(principal), bodyHash: hashJson(document) }
}

async function backendStatus(
  op: Operation,
  { lane, gpuSku, vramTier }: Pick<NewCloudJob, 'lane' | 'gpuSku' | 'vramTier'>,
): Promise<BackendStatus> {
  if (lane !== 'pool') return 'reachable_via_provider'
  const pools = await listPools(op)
  return poolStatus(
    pools.filter((pool) => pool.gpuSku === gpuSku && pool.vramTier === vramTier),
    op.now(),
  )
}
