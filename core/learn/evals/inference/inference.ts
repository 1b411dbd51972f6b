import type { Json } from '../../../kernel/json/json.ts'

/** States of a measurement. */
export const INFERENCE_STATES = ['queued', 'running', 'succeeded', 'failed'] as const

/** The subject of the measurement: an artifact as `/v1/run` asks it, or a base of this server. */
export type InferenceTarget =
  | { readonly kind: 'artifact'; readonly artifactId: string; readonly cid: string }
  | { readonly kind: 'base'; readonly base: string }

/** Settings of the measurement. */
export interface InferenceRequest {
  readonly target: InferenceTarget
  /** Name of the model in the row. */
  readonly model: string
  readonly prompts: readonly Json[]
  /** Times that each prompt is asked at each concurrency. */
  readonly repeats: number
  /** Calls before any is measured, at each concurrency. */
  readonly warmUps: number
  readonly maxTokens: number
  /** Calls under way at once, in the order of the sweep. */
  readonly concurrency: readonly number[]
  /** The requested drafts: they are not supported here. */
  readonly speculative: string
}

/** Prompts of a measurement that names none. */
export const BUILT_IN_PROMPTS = [
  'Where is my parcel?',
  'Write one sentence about the sea.',
  'List three colours.',
  'Translate to French: good morning.',
  'What is 17 times 23?',
] as const

/** Why drafts take no part in a measurement. */
export const NO_DRAFTS = 'this runtime decodes without a draft model'

/** Returns the measured calls, and those before them. */
export function countCalls({ prompts, repeats, warmUps, concurrency }: InferenceRequest): {
  readonly measured: number
  readonly warmUp: number
} {
  return {
    measured: prompts.length * repeats * concurrency.length,
    warmUp: warmUps * concurrency.length,
  }
}

/** Returns the name of a target for people. */
export function nameOfTarget(target: InferenceTarget): string {
  return target.kind === 'artifact' ? target.artifactId : target.base
}
