import type { z } from 'zod'
import {
  DISTILL_TASKS,
  PRIVACY_MODES,
  STRATEGIES,
  STRATEGY_SPEC,
  type DistillStrategy,
} from '../../../core/learn/plans/strategy/catalog.ts'
import { planDistillation, type RankedStrategy } from '../../../core/learn/plans/strategy/plan.ts'
import { completeFacts, StrategyFacts } from '../../../core/learn/plans/strategy/profile.ts'
import {
  DistillCatalogAnswer,
  DistillStrategyAnswer,
  DistillStrategyBody,
} from '../../../core/learn/wire/distill/strategy.ts'
import { listHeldProviders } from '../../../db/gateway/provider-keys/list-held-providers.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import type { Principal } from '../../../db/kernel/tenant/principal.ts'
import { requireArtifactsOfAdvice, requireNamedArtifacts } from '../../compile/build/named-artifacts.ts'
import { ARCHIVE_ERRORS } from '../../compile/submit/archive.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { framed, type NextAction } from '../plan-frame.ts'
import { defineRoute, type LearnServices } from '../services.ts'

const answers = { 200: envelope('Ranked strategies, each with what stands against it', DistillStrategyAnswer) }

interface Caller {
  readonly op: Operation
  readonly principal: Pick<Principal, 'memberId' | 'teamId'>
  readonly services: Pick<LearnServices, 'settings'>
}

async function advise({ op, principal, services }: Caller, facts: z.output<typeof StrategyFacts>) {
  const held = await listHeldProviders(op, principal)
  const { teacher } = services.settings
  const configured = [...(teacher === undefined ? [] : [teacher.model]), ...held]
  const plan = planDistillation(completeFacts(facts, [...new Set(configured)].toSorted()))
  const { recommendation } = plan
  const { hasOpenTeacher, hasTextTeacher, ...profile } = plan.profile
  const actions = plan.ranked.filter(({ feasible }) => feasible).map(actionOf)
  const isData = recommendation.family === 'data'
  return framed(
    op,
    {
      surface: 'distill-strategy' as const,
      spec: plan.spec,
      stage: isData ? 'collect' : 'train',
      status: isData ? 'needs_data' : 'ready',
      requirements: isData ? (plan.ranked.find(({ family }) => family !== 'data')?.blockers ?? []) : [],
      actions,
    },
    {
      plan: {
        spec: plan.spec,
        profile: { ...profile, has_open_teacher: hasOpenTeacher, has_text_teacher: hasTextTeacher },
        recommendation: presentRanked(recommendation),
        ranked: plan.ranked.map(presentRanked),
        next_actions: actions.map(({ value }) => value),
        secret_values_included: false as const,
      },
    },
  )
}

function actionOf({ family, label, command }: RankedStrategy): NextAction {
  return { kind: family === 'data' ? 'collect' : 'command', label, value: command ?? '' }
}

function presentStrategy(strategy: DistillStrategy) {
  return {
    id: strategy.id,
    label: strategy.label,
    family: strategy.family,
    execution_status: strategy.command === null ? ('not_available' as const) : ('available' as const),
    teacher_required: strategy.needsTeacher,
    requires_teacher_logits: strategy.needsLogits,
    privacy_modes: [...strategy.privacy],
    best_for: [...strategy.bestFor],
    references: [...strategy.references],
  }
}

function presentRanked(strategy: RankedStrategy) {
  return {
    ...presentStrategy(strategy),
    score: strategy.score,
    feasible: strategy.feasible,
    blockers: [...strategy.blockers],
    command: strategy.feasible ? strategy.command : null,
  }
}

export const getDistillStrategyRoute = defineRoute({
  method: 'get',
  path: '/v1/distill/strategy',
  operationId: 'getDistillStrategy',
  group: 'distill',
  summary: 'Get advice on how to distil, from facts in the query',
  description:
    'Ranks the strategies for a task. One that this service does not run is `not_available` and is never recommended. Under `airgap` a teacher has to be local. Starts nothing.',
  auth: 'key',
  scope: 'distill:read',
  namespace: 'bounded',
  query: StrategyFacts,
  answers,
  errors: ['not_found', ...ARCHIVE_ERRORS],
}).handle(async (call) => {
  await requireNamedArtifacts(call.op, call.query)
  return { status: 200, body: await advise(call, call.query) }
})

export const postDistillStrategyRoute = defineRoute({
  method: 'post',
  path: '/v1/distill/strategy',
  operationId: 'adviseDistillStrategy',
  group: 'distill',
  summary: 'Get advice on how to distil, from facts in the body',
  auth: 'key',
  scope: 'distill:read',
  namespace: 'bounded',
  stores: 'bounded',
  body: DistillStrategyBody,
  answers,
  errors: ['not_found', ...ARCHIVE_ERRORS],
}).handle(async (call) => {
  const { profile, ...facts } = call.body
  await requireArtifactsOfAdvice(call.op, call.body)
  return { status: 200, body: await advise(call, profile ?? facts) }
})

export const getDistillCatalogRoute = defineRoute({
  method: 'get',
  path: '/v1/distill/strategy/catalog',
  operationId: 'getDistillCatalog',
  group: 'distill',
  summary: 'List the strategies of distillation',
  auth: 'key',
  scope: 'distill:read',
  namespace: 'none: it is the same in every namespace',
  answers: { 200: envelope('All strategies with their needs', DistillCatalogAnswer) },
}).handle(async ({ op }) => ({
  status: 200,
  body: framed(
    op,
    { surface: 'distill-strategy-catalog' as const, spec: STRATEGY_SPEC, stage: 'plan', status: 'ready' },
    {
      catalog: {
        spec: STRATEGY_SPEC,
        tasks: [...DISTILL_TASKS],
        privacy_modes: [...PRIVACY_MODES],
        strategies: STRATEGIES.map((strategy) => ({
          ...presentStrategy(strategy),
          min_real: strategy.minReal,
          min_holdout: strategy.minHoldout,
          min_preference: strategy.minPreference,
        })),
      },
    },
  ),
}))
