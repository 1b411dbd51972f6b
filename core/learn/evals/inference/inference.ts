import type { Json } from '../../../kernel/json/json.ts'

/** States of a measurement. */
export const INFERENCE_STATES = ['queued', 'running', 'succeeded', 'failed'] as const

/** What is measured: an artifact as `/v1/run` asks it, or a base of this server. */
export type InferenceTarget =
  | { readonly kind: 'artifact'; readonly artifactId: string; readonly cid: string }
  | { readonly kind: 'base'; readonly base: string }

/** How it is measured. */
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
  readonly speculative: string
}
