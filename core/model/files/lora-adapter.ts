import { createHash } from 'node:crypto'
import { hashJson, type Sha256 } from '../../kernel/json/json.ts'
import {
  ATTENTION_PROJECTIONS,
  MLP_PROJECTIONS,
  projectionName,
  projectionsOf,
  type Projection,
} from '../config/weight-names.ts'
import type { ModelConfig } from '../config/model-config.ts'

/** The linear layers that an adapter can sit on, by PEFT's names. */
export const TARGET_MODULES = [...ATTENTION_PROJECTIONS, ...MLP_PROJECTIONS] as const

export type TargetModule = Projection

/** The shape of a low-rank adapter (LoRA, arXiv:2106.09685): W + alpha / rank · B A. */
export interface LoraConfig {
  readonly rank: number
  readonly alpha: number
  /** In the order of `TARGET_MODULES`, each once. */
  readonly targetModules: readonly TargetModule[]
}

/** The two factors of one linear layer: `a` is `[rank, in]`, `b` is `[out, rank]`, both row-major. */
export interface LoraFactors {
  readonly a: Float32Array
  readonly b: Float32Array
}

export interface LoraAdapter {
  readonly config: LoraConfig
  /** By the name of the linear layer: `model.layers.0.self_attn.q_proj`. Every layer has every target module. */
  readonly tensors: ReadonlyMap<string, LoraFactors>
}

/** The linear layers that an adapter covers, layer by layer in the order of `TARGET_MODULES`. */
export function adaptedProjections(
  config: ModelConfig,
  targetModules: readonly TargetModule[],
): readonly { readonly name: string; readonly projection: TargetModule }[] {
  return Array.from({ length: config.layers }, (_, layer) =>
    projectionsOf(config, layer)
      .filter((projection) => targetModules.includes(projection))
      .map((projection) => ({
        name: projectionName(layer, projection),
        projection,
      })),
  ).flat()
}

/**
 * Returns the hash of an adapter's function: SHA-256 over the canonical JSON of its rank, its alpha and `[[name, sha256
 * of A's float32 bytes, sha256 of B's], …]` sorted by name. Files that differ only in layout have the same hash.
 */
export function adapterHash({ config, tensors }: LoraAdapter): Sha256 {
  const names = [...tensors.keys()].toSorted()
  return hashJson({
    rank: config.rank,
    alpha: config.alpha,
    tensors: names.map((name) => {
      const factors = tensors.get(name)
      return [name, digest(factors?.a), digest(factors?.b)]
    }),
  })
}

function digest(data: Float32Array | undefined): string {
  const { buffer, byteOffset, byteLength } = data ?? new Float32Array()
  return createHash('sha256')
    .update(new Uint8Array(buffer, byteOffset, byteLength))
    .digest('hex')
}
