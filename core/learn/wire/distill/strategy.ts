import { z } from 'zod'
import { DISTILL_TASKS, PRIVACY_MODES, STRATEGY_FAMILIES, STRATEGY_SPEC } from '../../plans/strategy/catalog.ts'
import { StrategyFacts } from '../../plans/strategy/profile.ts'
import { planFrame } from '../plan-frame.ts'

const StrategyView = z.object({
  id: z.string(),
  label: z.string(),
  family: z.enum(STRATEGY_FAMILIES),
  execution_status: z.enum(['available', 'not_available']).meta({
    description: '`not_available`: this service does not run it, and never recommends it',
  }),
  teacher_required: z.boolean(),
  requires_teacher_logits: z.boolean(),
  privacy_modes: z.array(z.enum(PRIVACY_MODES)),
  best_for: z.array(z.string()),
  references: z.array(z.string()),
})

const RankedStrategyView = StrategyView.extend({
  score: z.number(),
  feasible: z.boolean(),
  blockers: z.array(z.string()),
  command: z.string().nullable().meta({ description: 'Of a feasible strategy' }),
}).meta({ id: 'RankedDistillStrategy' })

/** Answer of `GET` and `POST /v1/distill/strategy`. */
export const DistillStrategyAnswer = planFrame(
  'distill-strategy',
  z.object({
    plan: z.object({
      spec: z.literal(STRATEGY_SPEC),
      profile: z.record(z.string(), z.unknown()),
      recommendation: RankedStrategyView,
      ranked: z.array(RankedStrategyView),
      next_actions: z.array(z.string()),
      secret_values_included: z.literal(false),
    }),
  }),
).meta({ id: 'DistillStrategy' })

/** Answer of `GET /v1/distill/strategy/catalog`. */
export const DistillCatalogAnswer = planFrame(
  'distill-strategy-catalog',
  z.object({
    catalog: z.object({
      spec: z.literal(STRATEGY_SPEC),
      tasks: z.array(z.enum(DISTILL_TASKS)),
      privacy_modes: z.array(z.enum(PRIVACY_MODES)),
      strategies: z.array(
        StrategyView.extend({ min_real: z.int(), min_holdout: z.int(), min_preference: z.int() }).meta({
          id: 'DistillStrategyEntry',
        }),
      ),
    }),
  }),
).meta({ id: 'DistillStrategyCatalog' })

/** Body of `POST /v1/distill/strategy`: the facts, or the same under `profile`. */
export const DistillStrategyBody = StrategyFacts.extend({ profile: StrategyFacts.optional() }).meta({
  id: 'DistillStrategyFacts',
  example: { task: 'classification', privacy: 'standard', real_pairs: 200, holdout_pairs: 40 },
})
