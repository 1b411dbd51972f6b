import { env } from 'onnxruntime-node'
import type { BaseModel } from '../files/base-model.ts'
import { adapterHash } from '../files/lora-adapter.ts'
import type { FittedAdapter } from './fit/fit-types.ts'
import type { PromptFormat } from './prompt.ts'

/** Digits of losses and rates in the record: float32 holds no more. */
const DIGITS = 7

/**
 * Returns the `training.json` of a fit: its inputs, method and result. It holds everything that determines the adapter
 * except the rows themselves, of which it holds the hash.
 */
export function trainingRecord(
  fitted: FittedAdapter,
  given: {
    readonly base: Pick<BaseModel, 'name' | 'weightsHash'>
    readonly promptFormat: PromptFormat
    readonly threads: number
    /** Prompts that were cut from the left, by row. */
    readonly truncated: readonly { readonly id: string; readonly droppedTokens: number }[]
  },
) {
  const { hyperparameters, rows, history, steps, bestStep, stoppedEarly, usefulTokens, tokensPerSecond } = fitted
  return {
    format: 'svc-training/1',
    trainer: 'embedded',
    base: { name: given.base.name, weightsHash: given.base.weightsHash },
    promptFormat: given.promptFormat,
    objective: hyperparameters.objective.kind,
    hyperparameters,
    rows,
    truncated: given.truncated,
    steps,
    bestStep,
    stoppedEarly,
    history: {
      steps: history.steps.map(({ loss, learningRate, gradientNorm, ...counts }) => ({
        ...counts,
        loss: rounded(loss),
        learningRate: rounded(learningRate),
        gradientNorm: rounded(gradientNorm),
      })),
      validations: history.validations.map(({ step, loss, risk }) => ({
        step,
        loss: rounded(loss),
        risk: rounded(risk),
      })),
    },
    ...(fitted.onPolicyShare !== null && { onPolicyShare: rounded(fitted.onPolicyShare) }),
    usefulTokens,
    tokensPerSecond: rounded(tokensPerSecond),
    variant: fitted.variant,
    memory: fitted.memory,
    threads: given.threads,
    adapterHash: adapterHash(fitted.adapter),
    versions: { node: process.versions.node, onnxruntime: env.versions.node ?? env.versions.common },
  } as const
}

function rounded(value: number): number {
  return Number(value.toPrecision(DIGITS))
}
