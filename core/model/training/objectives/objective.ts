import { z } from 'zod'

const positive = z.number().positive().max(1000)
const share = z.number().min(0).max(1)
const temperature = z.number().positive().max(100)

/**
 * Objective of a fit. `supervised` raises the probability of the answers. `distillation` does so with the answers of a
 * teacher, each weighted by the share of samples that agree on it; providers give no logits, so this is distillation of
 * sequences and not of token distributions. `dpo`, `simpo`, `orpo` and `kto` learn from preferences. `kd` and `gkd` lower
 * the divergence of each token's distribution from a teacher's (`negativeDivergence`): of `kd` rows bring the teacher's
 * distributions, and `temperature` divides the logits of both; of `gkd` a teacher model reads the answers, which are the
 * rows' own or, in a step with probability `lmbda`, the student's, drawn at `temperature` with at most `maxNewTokens`
 * tokens. As in trl's GKDTrainer, the divergence of `gkd` is taken at temperature 1. The share `warmup` of the steps comes
 * first and is supervised, on the rows' own answers: a student that was never fine-tuned has no answers worth a lesson.
 */
export const ObjectiveSettings = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('supervised') }).readonly(),
  z.object({ kind: z.literal('distillation') }).readonly(),
  z.object({ kind: z.literal('dpo'), beta: positive }).readonly(),
  z.object({ kind: z.literal('simpo'), beta: positive, gammaBetaRatio: z.number().min(0).max(100) }).readonly(),
  z.object({ kind: z.literal('orpo'), lambda: z.number().min(0).max(1000) }).readonly(),
  z
    .object({ kind: z.literal('kto'), beta: positive, desirableWeight: positive, undesirableWeight: positive })
    .readonly(),
  z.object({ kind: z.literal('kd'), beta: share, temperature }).readonly(),
  z
    .object({
      kind: z.literal('gkd'),
      beta: share,
      lmbda: share,
      temperature,
      maxNewTokens: z.int().min(1).max(32_768),
      warmup: share,
    })
    .readonly(),
])
export type ObjectiveSettings = z.infer<typeof ObjectiveSettings>

/** The objectives whose loss is a function of whole answers. */
export type PreferenceSettings = Extract<ObjectiveSettings, { kind: 'dpo' | 'simpo' | 'orpo' | 'kto' }>

/** The objectives whose loss is a divergence from the distributions of a teacher. */
export type DivergenceObjective = Extract<ObjectiveSettings, { kind: 'kd' | 'gkd' }>

/** Names of the objectives that learn from examples alone. */
export const EXAMPLE_OBJECTIVES = ['supervised', 'distillation', 'dpo', 'simpo', 'orpo', 'kto'] as const
export type ExampleObjective = (typeof EXAMPLE_OBJECTIVES)[number]

/** Names of all objectives. */
export const OBJECTIVES = [...EXAMPLE_OBJECTIVES, 'kd', 'gkd'] as const
export type ObjectiveName = (typeof OBJECTIVES)[number]

/** Returns the default settings of an objective. */
export function defaultObjective(name: ObjectiveName): ObjectiveSettings {
  switch (name) {
    case 'supervised':
    case 'distillation':
      return { kind: name }
    case 'dpo':
      return { kind: name, beta: 0.1 }
    case 'simpo':
      return { kind: name, beta: 2, gammaBetaRatio: 0.5 }
    case 'orpo':
      return { kind: name, lambda: 0.1 }
    case 'kto':
      return { kind: name, beta: 0.1, desirableWeight: 1, undesirableWeight: 1 }
    case 'kd':
      return { kind: name, beta: 0, temperature: 1 }
    case 'gkd':
      return { kind: name, beta: 0.5, lmbda: 0.5, temperature: 1, maxNewTokens: 128, warmup: 0 }
  }
}

/** True for objectives that compare the policy with the base without the adapter. */
export function needsReference(objective: ObjectiveSettings): boolean {
  return objective.kind === 'dpo' || objective.kind === 'kto'
}

/** True for objectives whose loss is a function of whole answers. */
export function isPreference(objective: ObjectiveSettings): objective is PreferenceSettings {
  const { kind } = objective
  return kind === 'dpo' || kind === 'simpo' || kind === 'orpo' || kind === 'kto'
}

/** True for objectives whose loss is a divergence from the distributions of a teacher. */
export function isDivergence(objective: ObjectiveSettings): objective is DivergenceObjective {
  return objective.kind === 'kd' || objective.kind === 'gkd'
}
