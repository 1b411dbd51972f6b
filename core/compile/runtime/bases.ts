import { MODEL_ERRORS } from '../../model/errors.ts'
import { COMPILE_ERRORS } from '../errors.ts'
import { checkedBases, type CheckedBases } from './check-weights.ts'
import { weightShapes } from '../../model/config/weight-names.ts'
import { openBaseModel } from '../../model/files/base-model.ts'
import { findBase } from '../../model/files/find-base.ts'
import { readBaseConfig } from '../../model/files/inspect-base.ts'
import { countElements } from '../../model/files/tensors.ts'
import type { GeneratorChoices, GeneratorStats } from '../../model/generation/generator.ts'
import { openGenerators } from '../../model/generation/generators.ts'
import type { ModelConfig } from '../../model/config/model-config.ts'
import { cacheBytesPerToken } from '../../model/llama/inference/kv-cache.ts'

/** The bases that a process runs adapters on: each is opened once, and closed when it has been idle. */
export interface BaseProvider extends CheckedBases {
  /** Of the open bases, by name. */
  stats(): Promise<ReadonlyMap<string, GeneratorStats>>
  /** Calls in progress are rejected with `model_busy`. */
  close(): Promise<void>
}

/** Folders of the bases and their memory limits. */
export interface BasesOptions {
  /** Folders whose sub-folders are bases; the first that has a name wins. */
  readonly folders: readonly string[]
  /** Memory that the open bases may take together. */
  readonly memoryBytes: number
  readonly idleCloseMs: number
  readonly generator?: Pick<GeneratorChoices, 'maxBatch' | 'maxQueue' | 'cores'>
}

const MIB = 1024 * 1024
const ADAPTER_CACHE_BYTES = 256 * MIB
const CACHE_BYTES = 512 * MIB
const MAX_BATCH = 16
/** Weights up to this size are laid out again by the runtime, which then holds them three times in all. */
const LAID_OUT_BYTES = 400 * MIB
/** Thread, runtime and activations. */
const OVERHEAD_BYTES = 96 * MIB

/** Creates the provider; a base is read when it is first needed. */
export function openBases({ folders, memoryBytes, idleCloseMs, generator }: BasesOptions): BaseProvider {
  const find = async (name: string): Promise<string> => {
    try {
      return await findBase(name, folders)
    } catch (cause) {
      if (!MODEL_ERRORS.unknown_base_model.matches(cause)) throw cause
      throw COMPILE_ERRORS.base_not_installed(`the base ${name} is not installed here`, {
        details: { base: name, ...cause.details },
        cause,
      })
    }
  }
  const maxBatch = generator?.maxBatch ?? MAX_BATCH
  const generators = openGenerators({
    open: async (name) => await openBaseModel(await find(name)),
    idleCloseMs,
    generator: { cacheBytes: CACHE_BYTES, adapterCacheBytes: ADAPTER_CACHE_BYTES, maxBatch, ...generator },
    memory: {
      budgetBytes: memoryBytes,
      measure: async (name) => runningBytes(await readBaseConfig(await find(name)), maxBatch),
    },
  })
  return {
    ...checkedBases(generators),
    stats: async () => await generators.stats(),
    close: async () => await generators.close(),
  }
}

/**
 * Memory that a base takes while it runs adapters, bytes, from above: weights in float32, the cache of a full batch,
 * kept adapters.
 */
function runningBytes(config: ModelConfig, maxBatch: number): number {
  let weights = 0
  for (const shape of weightShapes(config).values()) weights += countElements(shape) * Float32Array.BYTES_PER_ELEMENT
  const copies = weights <= LAID_OUT_BYTES ? 3 : 1
  const cache = Math.min(CACHE_BYTES, maxBatch * config.contextLength * cacheBytesPerToken(config))
  return weights * copies + cache + Math.min(ADAPTER_CACHE_BYTES, weights) + OVERHEAD_BYTES
}
