import { z } from 'zod'
import { Figure } from '../../../kernel/wire/figure.ts'
import { ACTION_FAMILIES } from '../../stages/advice/strategy/catalog.ts'
import { ProfileInput } from '../../stages/advice/strategy/profile.ts'

const ActionView = z.object({
  id: z.string(),
  family: z.enum(ACTION_FAMILIES),
  title: z.string(),
  when: z.string(),
  proof: z.array(z.string()),
})

/** An action with what compiles of the tenant measured of it: the K-score to expect, or the gain for each doubling of the rows. */
export const RankedView = ActionView.extend({ figure: Figure, feasible: z.boolean(), reasons: z.array(z.string()) })

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
  .meta({ description: "Basis of the advice: the tenant's own compiles, or none yet" })

/** All actions that advice may name. */
export const Catalog = z.object({ families: z.array(z.string()), actions: z.array(ActionView) })

/** Common frame of both documents. */
export const Frame = z.object({
  surface: z.literal('build-strategy'),
  journey: z
    .object({ stage: z.enum(['collect', 'compile', 'improve']), finished_compiles: z.int() })
    .meta({ description: 'State of the tenant: without rows, before its first compile, or after it' }),
  readiness: z.enum(['ready', 'needs_data']),
  tenant: z.object({ id: z.string() }),
  evidence: z.object({ basis: BasisView }),
  next_actions: z.array(z.string()),
  meta: z.object({ spec: z.string(), generated_at: z.iso.datetime() }),
})

/** Answer of `GET` and `POST /v1/build/strategy`. */
export const StrategyAnswer = Frame.extend({
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

/** Answer of `GET /v1/build/strategy/catalog`. */
export const StrategyCatalogAnswer = Frame.extend({ data: z.object({ catalog: Catalog }) }).meta({
  id: 'BuildStrategyCatalog',
})

/** Body of `POST /v1/build/strategy`. */
export const AdviseStrategyBody = ProfileInput.extend({ profile: ProfileInput.optional() })
