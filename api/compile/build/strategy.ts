import type { z } from 'zod'
import { listPastRuns } from '../../../db/compile/jobs/start/past-runs.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import {
  StrategyAnswer,
  AdviseStrategyBody,
  type Catalog,
  StrategyCatalogAnswer,
  type Frame,
  type RankedView,
} from '../../../core/compile/wire/build/strategy.ts'
import { adviseStrategy, type RankedAction } from '../../../core/compile/stages/advice/strategy/advise.ts'
import { ACTION_FAMILIES, ACTIONS } from '../../../core/compile/stages/advice/strategy/catalog.ts'
import { completeProfile, ProfileInput } from '../../../core/compile/stages/advice/strategy/profile.ts'
import { ARCHIVE_ERRORS } from '../submit/archive.ts'
import { defineRoute, type CompileServices } from '../services.ts'
import { requireArtifactsOfAdvice, requireNamedArtifacts } from './named-artifacts.ts'

/** Number of past compiles that advice reads. */
const PAST_RUNS = 500

const presentAction = (action: RankedAction): z.input<typeof RankedView> => ({
  id: action.id,
  family: action.family,
  title: action.title,
  when: action.when,
  proof: [...action.proof],
  figure: action.figure,
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

/** The caller of a route, as far as advice depends on it. */
interface Caller {
  readonly op: Operation
  readonly services: Pick<CompileServices, 'settings'>
}

/** The plan for a profile, with the frame that both documents carry. */
async function planFor({ op, services }: Caller, input: z.output<typeof ProfileInput>) {
  const runs = await listPastRuns(op, PAST_RUNS)
  const plan = adviseStrategy(completeProfile(input), runs, {
    hasProvider: services.settings.teacher !== undefined,
  })
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

async function advise(caller: Caller, input: z.output<typeof ProfileInput>): Promise<z.input<typeof StrategyAnswer>> {
  const { plan, frame } = await planFor(caller, input)
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

const answers = { 200: envelope('Ranked actions with what they stand on', StrategyAnswer) }

export const getStrategyRoute = defineRoute({
  method: 'get',
  path: '/v1/build/strategy',
  operationId: 'getStrategy',
  group: 'build',
  summary: 'Get advice on the next action, from facts in the query',
  description:
    'Computed from the facts and from past compiles of the tenant; without either there is no advice. Starts nothing.',
  auth: 'key',
  scope: 'compile:read',
  namespace: 'bounded',
  query: ProfileInput,
  answers,
  errors: ['not_found', ...ARCHIVE_ERRORS],
}).handle(async (call) => {
  await requireNamedArtifacts(call.op, call.query)
  return { status: 200, body: await advise(call, call.query) }
})

export const postStrategyRoute = defineRoute({
  method: 'post',
  path: '/v1/build/strategy',
  operationId: 'adviseStrategy',
  group: 'build',
  summary: 'Get advice on the next action, from facts in the body',
  auth: 'key',
  scope: 'compile:read',
  namespace: 'bounded',
  stores: 'bounded',
  body: AdviseStrategyBody,
  answers,
  errors: ['not_found', ...ARCHIVE_ERRORS],
}).handle(async (call) => {
  const { profile, ...facts } = call.body
  await requireArtifactsOfAdvice(call.op, call.body)
  return { status: 200, body: await advise(call, profile ?? facts) }
})

export const getStrategyCatalogRoute = defineRoute({
  method: 'get',
  path: '/v1/build/strategy/catalog',
  operationId: 'getStrategyCatalog',
  group: 'build',
  summary: 'List the actions that advice can name',
  auth: 'key',
  scope: 'compile:read',
  namespace: 'bounded',
  answers: { 200: envelope('All actions, and where the tenant stands', StrategyCatalogAnswer) },
}).handle(async (call) => {
  const { frame } = await planFor(call, ProfileInput.parse({}))
  return { status: 200, body: { ...frame, data: { catalog: CATALOG } } }
})
