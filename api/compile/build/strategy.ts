import { z } from 'zod'
import { adviseStrategy, type RankedAction } from '../../../core/compile/advice/strategy/advise.ts'
import { ACTION_FAMILIES, ACTIONS } from '../../../core/compile/advice/strategy/catalog.ts'
import { completeProfile, ProfileInput } from '../../../core/compile/advice/strategy/profile.ts'
import { listPastRuns } from '../../../db/compile/jobs/start/past-runs.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../../kernel/route.ts'

/** How many past compiles advice looks at. */
const PAST_RUNS = 500

/** What this build of the service has: neither providers nor trainers are part of it yet. */
const FACILITIES = { hasProvider: false, hasTrainer: false } as const

const ActionView = z.object({
  id: z.string(),
  family: z.enum(ACTION_FAMILIES),
  title: z.string(),
  when: z.string(),
  proof: z.array(z.string()),
})

const RankedView = ActionView.extend({ score: z.number(), feasible: z.boolean(), reasons: z.array(z.string()) })

const BasisView = z
  .union([
    z.object({
      kind: z.literal('own_runs'),
      runs: z.int(),
      expected_k: z.number(),
      gain_per_doubling: z.number(),
      gain_low: z.number(),
      gain_high: z.number(),
    }),
    z.object({ kind: z.literal('none'), runs: z.int(), reason: z.string() }),
  ])
  .meta({ description: "What the advice stands on: the tenant's own compiles, or nothing yet" })

const Catalog = z.object({ families: z.array(z.string()), actions: z.array(ActionView) })

/** What both documents carry around their data. */
const Frame = z.object({
  surface: z.literal('build-strategy'),
  journey: z
    .object({ stage: z.enum(['collect', 'compile', 'improve']), finished_compiles: z.int() })
    .meta({ description: 'Where the tenant stands: without rows, before its first compile, or after it' }),
  readiness: z.enum(['ready', 'needs_data']),
  tenant: z.object({ id: z.string() }),
  evidence: z.object({ basis: BasisView }),
  next_actions: z.array(z.string()),
  meta: z.object({ spec: z.string(), generated_at: z.iso.datetime() }),
})

const Advice = Frame.extend({
  data: z.object({
    plan: z.object({
      spec: z.string(),
      profile: z.record(z.string(), z.unknown()),
      sufficiency: z.object({ train_ready: z.boolean(), distill_ready: z.boolean(), low_holdout: z.boolean() }),
      recommendation: RankedView,
      ranked: z.array(RankedView),
      next_actions: z.array(z.string()),
      secret_values_included: z.literal(false),
    }),
  }),
}).meta({ id: 'BuildStrategy' })

const CatalogDocument = Frame.extend({ data: z.object({ catalog: Catalog }) }).meta({ id: 'BuildStrategyCatalog' })

const presentAction = (action: RankedAction): z.input<typeof RankedView> => ({
  id: action.id,
  family: action.family,
  title: action.title,
  when: action.when,
  proof: [...action.proof],
  score: action.score,
  feasible: action.feasible,
  reasons: [...action.reasons],
})

const CATALOG: z.input<typeof Catalog> = {
  families: [...ACTION_FAMILIES],
  actions: Object.values(ACTIONS).map(({ id, family, title, when, proof }) => ({
    id,
    family,
    title,
    when,
    proof: [...proof],
  })),
}

/** The plan for a profile, with the frame that both documents carry. */
async function planFor(op: Operation, input: z.output<typeof ProfileInput>) {
  const runs = await listPastRuns(op, PAST_RUNS)
  const plan = adviseStrategy(completeProfile(input), runs, FACILITIES)
  const hasRows = plan.profile.real_pairs > 0
  const frame: z.input<typeof Frame> = {
    surface: 'build-strategy',
    journey: {
      stage: runs.length > 0 ? 'improve' : hasRows ? 'compile' : 'collect',
      finished_compiles: runs.length,
    },
    readiness: plan.sufficiency.train_ready ? 'ready' : 'needs_data',
    tenant: { id: op.tenantId },
    evidence: { basis: { ...plan.basis } },
    next_actions: [...plan.next_actions],
    meta: { spec: plan.spec, generated_at: op.now().toISOString() },
  }
  return { plan, frame }
}

async function advise(op: Operation, input: z.output<typeof ProfileInput>): Promise<z.input<typeof Advice>> {
  const { plan, frame } = await planFor(op, input)
  return {
    ...frame,
    data: {
      plan: {
        spec: plan.spec,
        profile: { ...plan.profile },
        sufficiency: { ...plan.sufficiency },
        recommendation: presentAction(plan.recommendation),
        ranked: plan.ranked.map(presentAction),
        next_actions: [...plan.next_actions],
        secret_values_included: plan.secret_values_included,
      },
    },
  }
}

const answers = { 200: envelope('Ranked actions with what they stand on', Advice) }

export const getStrategyRoute = defineRoute({
  method: 'get',
  path: '/v1/build/strategy',
  operationId: 'getStrategy',
  group: 'build',
  summary: 'Advice on what to do next, from facts in the query',
  description:
    'Computed from the facts and from the own past compiles; where these say nothing, so does the advice. Starts nothing.',
  auth: 'key',
  scope: 'compile:read',
  namespace: 'bounded',
  query: ProfileInput,
  answers,
}).handle(async ({ op, query }) => ({ status: 200, body: await advise(op, query) }))

export const postStrategyRoute = defineRoute({
  method: 'post',
  path: '/v1/build/strategy',
  operationId: 'adviseStrategy',
  group: 'build',
  summary: 'Advice on what to do next, from facts in the body',
  auth: 'key',
  scope: 'compile:read',
  namespace: 'bounded',
  stores: 'bounded',
  body: ProfileInput.extend({ profile: ProfileInput.optional() }),
  answers,
}).handle(async ({ op, body: { profile, ...facts } }) => ({ status: 200, body: await advise(op, profile ?? facts) }))

export const getStrategyCatalogRoute = defineRoute({
  method: 'get',
  path: '/v1/build/strategy/catalog',
  operationId: 'getStrategyCatalog',
  group: 'build',
  summary: 'The actions that advice may name',
  auth: 'key',
  scope: 'compile:read',
  namespace: 'bounded',
  answers: { 200: envelope('All actions, and where the tenant stands', CatalogDocument) },
}).handle(async ({ op }) => {
  const { frame } = await planFor(op, ProfileInput.parse({}))
  return { status: 200, body: { ...frame, data: { catalog: CATALOG } } }
})
