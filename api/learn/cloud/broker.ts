import { hostname } from 'node:os'
import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import { LANES as RENTED_LANES, type Lane as RentedLane } from '../../../core/compile/stages/rentals/lanes.ts'
import { planCompute, type BrokerPlan, type RankedLane } from '../../../core/learn/plans/cloud/broker.ts'
import { BROKER_SPEC, LANES, WORKLOADS, type Lane } from '../../../core/learn/plans/cloud/lanes.ts'
import { PRIVACY_MODES } from '../../../core/learn/plans/strategy/catalog.ts'
import { BrokerAnswer, BrokerBody, BrokerCatalogAnswer } from '../../../core/learn/wire/cloud/broker.ts'
import type { Principal } from '../../../db/kernel/tenant/principal.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { bareDocument, envelope } from '../../kernel/reply/answers.ts'
import { payingKey } from '../../compile/rentals/paying-key.ts'
import { findTrainers } from '../find-trainers.ts'
import { defineRoute, type CallFacts } from '../services.ts'

type RentingCall = Pick<CallFacts, 'services'> & { readonly op: Operation; readonly principal: Principal }

const COMPUTES = 'none: it computes from the request alone'
const ROWS = 1000
/** The least that a fit is budgeted: who may spend this can rent. */
const LEAST_BUDGET_USD = 0.01
const PARAMS_B = { train: 7, distill: 7, compile: 0.1, quantize: 7, inference: 7, serve: 3 } as const
const WHY = 'figures of a reference table for a LoRA fit'

export const getBrokerCatalogRoute = defineRoute({
  method: 'get',
  path: '/v1/cloud/broker/catalog',
  operationId: 'getBrokerCatalog',
  group: 'cloud',
  summary: 'List the lanes that compute',
  auth: 'key',
  scope: 'cloud:read',
  namespace: COMPUTES,
  answers: { 200: envelope('All lanes, and the work that this service runs on each', BrokerCatalogAnswer) },
}).handle(async () => ({
  status: 200,
  body: {
    spec: BROKER_SPEC,
    workloads: [...WORKLOADS],
    privacy_modes: [...PRIVACY_MODES],
    lanes: LANES.map(presentLane),
    secret_values_included: false,
  },
}))

export const planComputeRoute = defineRoute({
  method: 'post',
  path: '/v1/cloud/broker',
  operationId: 'planCompute',
  group: 'cloud',
  summary: 'Rank the lanes for a workload',
  description:
    'Starts nothing. A lane on which this service does not run the work is `not_available` and is never recommended. A lane is configured when its worker listens now, a rented one when you or the operator have a key for it. Estimates come from a table and are not measured.',
  auth: 'key',
  scope: 'cloud:read',
  namespace: COMPUTES,
  stores: 'bounded',
  body: BrokerBody,
  answers: { 200: bareDocument('The lanes, best first', BrokerAnswer) },
}).handle(async (call) => {
  const { services, requestId, body } = call
  const isPublic = services.settings.publicUrl !== undefined
  const profile = { ...body, params_b: body.params_b ?? PARAMS_B[body.workload], rows: body.rows ?? ROWS }
  const trainers = await findTrainers(services)
  const { rates, rentable, isSetUp } = await rentedFacts(call)
  const plan = planCompute(profile, { trainers, host: hostname(), isPublic, rates, rentable })
  const { recommendation } = plan
  return {
    status: 200,
    body: {
      ok: recommendation?.state === 'ready',
      request_id: requestId,
      spec: plan.spec,
      profile,
      recommendation: recommendation === null ? null : presentRanked(recommendation),
      ranked: plan.ranked.map(presentRanked),
      storage: { ok: true, cloud_ok: isPublic, selected_provider: 'service', configured_provider_ids: ['service'] },
      next_actions: nextActions(plan, isSetUp),
      secret_values_included: false,
    },
  }
})

/** The lanes on which the caller can rent a machine, by a key of its own or the operator's, and their prices. */
async function rentedFacts(call: RentingCall) {
  const { rentals, publicUrl } = call.services.settings
  const { gpu_pods, gpu_serverless, gpu_vm, gpu_market } = rentals.lanes
  const rates = {
    gpu_pods: gpu_pods.usdPerHour,
    gpu_serverless: gpu_serverless.usdPerHour,
    gpu_vm: gpu_vm.usdPerHour,
    gpu_market: gpu_market.usdPerHour,
  }
  const isSetUp = rentals.image !== undefined && publicUrl !== undefined
  const keys = await Promise.all(RENTED_LANES.map(async (lane) => await canRent(call, lane)))
  return { rates, rentable: RENTED_LANES.filter((_, at) => keys[at] === true), isSetUp }
}

async function canRent(call: RentingCall, lane: RentedLane): Promise<boolean> {
  try {
    await payingKey(call, lane, LEAST_BUDGET_USD)
    return true
  } catch (error) {
    if (COMPILE_ERRORS.rental_not_configured.matches(error)) return false
    throw error
  }
}

function nextActions({ recommendation: lane, ranked, profile }: BrokerPlan, isSetUp: boolean): string[] {
  if (lane === null) {
    const blockers = ranked.filter(({ runsHere }) => runsHere.includes(profile.workload)).flatMap((one) => one.blockers)
    if (blockers.length === 0) return ['this service does not run this workload; use one of the listed lanes yourself']
    return [...new Set(blockers)].map((blocker) => `resolve ${blocker}`)
  }
  if (lane.command !== null) return [lane.command]
  if (lane.execution === 'hosted_gpu') {
    return isSetUp
      ? [`store a key of ${lane.id} at /v1/account/provider-keys`]
      : ['the operator sets SVC_RENTAL_IMAGE and SVC_PUBLIC_URL: rented machines need both']
  }
  return lane.id === 'local-cpu'
    ? ['start a worker: svc up']
    : ['start the trainer of workers/trainer on the machine with the GPU']
}

function presentLane(lane: Lane) {
  return {
    id: lane.id,
    label: lane.label,
    category: lane.category,
    workloads: [...lane.workloads],
    runs_here: [...lane.runsHere],
    execution: lane.execution,
    privacy_modes: [...lane.privacy],
    max_params_b: lane.maxParamsB,
  }
}

function presentRanked(lane: RankedLane) {
  const { estimate } = lane
  return {
    ...presentLane(lane),
    state: lane.state,
    score: lane.score,
    feasible: lane.feasible,
    configured: lane.configured,
    blockers: [...lane.blockers],
    strengths: [...lane.strengths],
    caveats: [...lane.caveats],
    estimate:
      estimate === null
        ? null
        : {
            basis: 'not_measured' as const,
            why: WHY,
            tokens: estimate.tokens,
            tokens_per_second: estimate.tokensPerSecond,
            duration_s: estimate.durationS,
            cold_start_s: estimate.coldStartS,
            cost_usd: estimate.costUsd,
          },
    run_command: lane.command,
  }
}
