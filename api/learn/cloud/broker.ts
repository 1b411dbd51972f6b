import { hostname } from 'node:os'
import { planCompute, type BrokerPlan, type RankedLane } from '../../../core/learn/plans/cloud/broker.ts'
import { BROKER_SPEC, LANES, WORKLOADS, type Lane } from '../../../core/learn/plans/cloud/lanes.ts'
import { PRIVACY_MODES } from '../../../core/learn/plans/strategy/catalog.ts'
import { BrokerAnswer, BrokerBody, BrokerCatalogAnswer } from '../../../core/learn/wire/broker.ts'
import { bareDocument, envelope } from '../../kernel/reply/answers.ts'
import { findTrainers } from '../find-trainers.ts'
import { defineRoute } from '../services.ts'

const COMPUTES = 'none: it computes from the request alone'
const ROWS = 1000
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
    'Starts nothing. A lane on which this service does not run the work is `not_available` and is never recommended. A lane is configured when its worker listens now. Estimates come from a table and are not measured.',
  auth: 'key',
  scope: 'cloud:read',
  namespace: COMPUTES,
  stores: 'bounded',
  body: BrokerBody,
  answers: { 200: bareDocument('The lanes, best first', BrokerAnswer) },
}).handle(async ({ services, requestId, body }) => {
  const isPublic = services.settings.publicUrl !== undefined
  const profile = { ...body, params_b: body.params_b ?? PARAMS_B[body.workload], rows: body.rows ?? ROWS }
  const trainers = await findTrainers(services)
  const plan = planCompute(profile, { trainers, host: hostname(), isPublic })
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
      next_actions: nextActions(plan),
      secret_values_included: false,
    },
  }
})

function nextActions({ recommendation: lane, ranked, profile }: BrokerPlan): string[] {
  if (lane === null) {
    const blockers = ranked.filter(({ runsHere }) => runsHere.includes(profile.workload)).flatMap((one) => one.blockers)
    if (blockers.length === 0) return ['this service does not run this workload; use one of the listed lanes yourself']
    return [...new Set(blockers)].map((blocker) => `resolve ${blocker}`)
  }
  if (lane.command !== null) return [lane.command]
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
