import type { Trainer } from './trainers.ts'

/** Objectives of preference training. */
export const PREFERENCE_OBJECTIVES = ['dpo', 'simpo', 'orpo', 'kto'] as const
/** The objective of on-policy training: generalized knowledge distillation. */
const ON_POLICY = 'gkd'

const INSTALL_HINT = 'start a worker (svc up) for the embedded trainer, or workers/trainer for the one on a GPU'

/** Something that a doctor did not find. */
export interface Missing {
  readonly id: string
  readonly why: string
}

/** A doctor's finding. */
export interface Finding {
  readonly ready: boolean
  /** Kinds of the trainers that can do the work. */
  readonly able: readonly Trainer['kind'][]
  readonly objectives: readonly string[]
  readonly missing: readonly Missing[]
  readonly installHint: string | null
}

/**
 * Says whether on-policy distillation can be trained: a trainer that listens has to announce the objective `gkd`.
 * `trainers` is null when Temporal could not be asked.
 */
export function examineOnPolicy(trainers: readonly Trainer[] | null): Finding {
  return examine(trainers, [ON_POLICY])
}

/** Says which preference objectives can be trained now. `trainers` is null when Temporal could not be asked. */
export function examinePreference(trainers: readonly Trainer[] | null): Finding {
  return examine(trainers, PREFERENCE_OBJECTIVES)
}

function examine(trainers: readonly Trainer[] | null, wanted: readonly string[]): Finding {
  const listening = trainers ?? []
  const able = listening.filter((trainer) => wanted.some((name) => trainer.objectives.includes(name)))
  const objectives = wanted.filter((name) => able.some((trainer) => trainer.objectives.includes(name)))
  const ready = objectives.length > 0
  return {
    ready,
    able: [...new Set(able.map(({ kind }) => kind))].toSorted(),
    objectives,
    missing: trainers === null ? [ENGINE] : missingOf(listening, wanted, objectives),
    installHint: ready ? null : INSTALL_HINT,
  }
}

const ENGINE: Missing = { id: 'workflow_engine', why: 'Temporal does not answer, so no trainer can be asked' }

function missingOf(
  listening: readonly Trainer[],
  wanted: readonly string[],
  objectives: readonly string[],
): readonly Missing[] {
  const has = (kind: Trainer['kind']): boolean => listening.some((trainer) => trainer.kind === kind)
  return [
    ...wanted
      .filter((name) => !objectives.includes(name))
      .map((name) => ({ id: `objective_${name}`, why: `no trainer that listens announces the objective ${name}` })),
    ...(has('embedded') ? [] : [{ id: 'embedded_trainer', why: 'no worker listens on the queue fit' }]),
    ...(has('peft') ? [] : [{ id: 'peft_trainer', why: 'no worker listens on the queue lora-fit-gpu' }]),
    ...(listening.some(({ objectives: of }) => of.length === 0)
      ? [{ id: 'announcement', why: 'a trainer of an earlier version does not say what it supports' }]
      : []),
  ]
}
