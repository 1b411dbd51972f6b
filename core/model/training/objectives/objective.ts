import { z } from 'zod'

const positive = z.number().positive().max(1000)

/**
 * Objective of a fit. `supervised` raises the probability of the answers. `distillation` does so with the answers of a
 * teacher, each weighted by the share of samples that agree on it; providers give no logits, so this is distillation of
 * sequences and not of token distributions. The others learn from preferences.
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
])
export type ObjectiveSettings = z.infer<typeof ObjectiveSettings>

/** The objectives whose loss is a function of whole answers. */
export type PreferenceSettings = Exclude<ObjectiveSettings, { kind: 'supervised' | 'distillation' }>

/** Names of the objectives. */
export const OBJECTIVES = ['supervised', 'distillation', 'dpo', 'simpo', 'orpo', 'kto'] as const
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
  }
}

/** True for objectives that compare the policy with the base without the adapter. */
export function needsReference(objective: ObjectiveSettings): boolean {
  return objective.kind === 'dpo' || objective.kind === 'kto'
}

/** True for objectives whose loss is a function of whole answers. */
export function isPreference(objective: ObjectiveSettings): objective is PreferenceSettings {
  return objective.kind !== 'supervised' && objective.kind !== 'distillation'
}
