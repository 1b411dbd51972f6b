import { KERNEL_ERRORS } from '../../../kernel/errors.ts'
import { MODEL_ERRORS } from '../../errors.ts'
import type { ModelConfig } from '../../config/model-config.ts'
import { cacheBytesPerToken } from '../../llama/inference/kv-cache.ts'
import type { EncodedConstraint } from '../constraints/compile-constraint.ts'
import type { GenerationOptions } from '../options.ts'

/** Bounds of an engine. */
export interface EngineSettings {
  /** Threads that one operator may use. */
  readonly threads: number
  /** Answers that are written at the same time. */
  readonly maxBatch: number
  /** Requests that may wait beyond those. */
  readonly maxQueue: number
  /** Memory of the keys and values of all answers that are being written. */
  readonly cacheBytes: number
}

/** Tokens of one row that context and memory leave room for. */
function room(config: ModelConfig, cacheBytes: number): number {
  return Math.min(config.contextLength, Math.floor(cacheBytes / cacheBytesPerToken(config)))
}

/**
 * Checks the tokens of a request. Throws `validation_failed` for none or for ids that the base does not have,
 * `context_exceeded` when they and `further` tokens do not fit.
 */
export function checkTokens(
  config: ModelConfig,
  { cacheBytes }: EngineSettings,
  ids: readonly number[],
  further: number,
): void {
  if (ids.length === 0) throw KERNEL_ERRORS.validation_failed('the prompt has no tokens')
  if (!ids.every((id) => Number.isInteger(id) && id >= 0 && id < config.vocabSize)) {
    throw KERNEL_ERRORS.validation_failed(`token ids have to be integers from 0 to ${config.vocabSize - 1}`)
  }
  const limit = room(config, cacheBytes)
  if (ids.length + further <= limit) return
  const reason = limit < config.contextLength ? 'that the memory of the cache has room for' : "of the base's context"
  throw MODEL_ERRORS.context_exceeded(
    `${ids.length} tokens and ${further} to come are more than the ${limit} ${reason}`,
    { details: { tokens: ids.length, limit } },
  )
}

/**
 * Returns the maximum number of tokens of an answer: the requested number, as far as the context allows; labels need
 * the length of the longest one. Throws as `checkTokens` when there is no room for one.
 */
export function answerTokens(
  config: ModelConfig,
  settings: EngineSettings,
  promptIds: readonly number[],
  { maxNewTokens }: GenerationOptions,
  constraint: EncodedConstraint | null,
): number {
  const longestLabel =
    constraint?.type === 'labels' ? Math.max(...constraint.sequences.map(({ length }) => length)) : null
  checkTokens(config, settings, promptIds, longestLabel ?? 1)
  return longestLabel ?? Math.min(maxNewTokens, room(config, settings.cacheBytes) - promptIds.length)
}
