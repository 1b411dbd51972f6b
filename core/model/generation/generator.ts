import { availableParallelism } from 'node:os'
import type { BaseModel } from '../files/base-model.ts'
import type { LoraAdapter } from '../files/lora-adapter.ts'
import type { EngineStats } from './engine/engine.ts'
import type { EngineSettings } from './engine/limits.ts'
import type { ContinuationScore } from './engine/score-tokens.ts'
import type { Generation, GenerationOptions } from './options.ts'

/** An adapter and its cache key; any hash of its content will do. */
export interface AdapterRef {
  readonly hash: string
  readonly adapter: LoraAdapter
}

/** A request for one answer. */
export interface GenerateRequest {
  /** The prompt as the tokenizer wrote it, special tokens included. */
  readonly promptIds: readonly number[]
  /** Absent: the base alone. */
  readonly adapter?: AdapterRef | undefined
  /** Omitted options are as in `GREEDY`. */
  readonly options?: Partial<GenerationOptions>
  readonly signal?: AbortSignal | undefined
}

/** A request for the log-probabilities of given tokens. */
export interface ScoreRequest {
  readonly ids: readonly number[]
  readonly adapter?: AdapterRef | undefined
  readonly signal?: AbortSignal | undefined
}

/** A request for the scores of continuations of one prompt. */
export interface ContinuationRequest {
  readonly promptIds: readonly number[]
  readonly continuations: readonly (readonly number[])[]
  readonly adapter?: AdapterRef | undefined
  readonly signal?: AbortSignal | undefined
}

/** Bounds of a generator. */
export interface GeneratorSettings extends EngineSettings {
  /** Memory for cached adapters. */
  readonly adapterCacheBytes: number
  /** True for work without a waiting caller: other threads of the machine overtake it. */
  readonly isBackground?: boolean
}

const MIB = 1024 * 1024
/** Weights of a base up to which a second thread costs more in waiting for one another than it computes. */
const ONE_THREAD_BYTES = 100 * MIB
const MAX_THREADS = 8

/** Settings that are chosen, and the cores that the process may use; those of the machine when absent. */
export type GeneratorChoices = Partial<GeneratorSettings> & { readonly cores?: number }

/** Returns the settings for a base; absent choices get the values of a server, such as 16 answers at once. */
export function completeSettings(
  { weights }: Pick<BaseModel, 'weights'>,
  { cores = availableParallelism(), ...settings }: GeneratorChoices,
): GeneratorSettings {
  let weightBytes = 0
  for (const { data } of weights.values()) weightBytes += data.byteLength
  return {
    threads: weightBytes <= ONE_THREAD_BYTES ? 1 : Math.min(MAX_THREADS, cores),
    maxBatch: 16,
    maxQueue: 256,
    cacheBytes: 512 * MIB,
    adapterCacheBytes: 256 * MIB,
    ...settings,
  }
}

/** Past work and current memory of a generator. */
export interface GeneratorStats extends EngineStats {
  readonly adaptersKept: number
  readonly adapterBytes: number
}

/** A base that generates answers. Concurrent requests share its work, whatever adapters they name. */
export interface Generator {
  /**
   * Writes one answer. Throws `validation_failed` for options, `invalid_constraint`, `context_exceeded` for a prompt
   * that leaves no room, `model_busy` when too many wait, or the reason of the signal.
   */
  generate(request: GenerateRequest): Promise<Generation>
  /** Natural logarithm of the probability of each token after those before it; null for the first. Throws as `generate`. */
  logProbs(request: ScoreRequest): Promise<readonly (number | null)[]>
  /**
   * Scores continuations of one prompt, which is read once for all of them. Throws as `generate`, and `validation_failed` for a
   * continuation without tokens.
   */
  scoreContinuations(request: ContinuationRequest): Promise<readonly ContinuationScore[]>
  stats(): Promise<GeneratorStats>
  /** True once it is closed, or has failed permanently. */
  readonly hasEnded: boolean
  /** Requests under way are rejected with `model_busy`. */
  close(): Promise<void>
}
