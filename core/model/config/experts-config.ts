import { MODEL_ERRORS } from '../errors.ts'
import type { ConfigFields } from './config-fields.ts'
import type { ExpertsConfig, ModelConfig } from './model-config.ts'

const SIZE = { min: 1, max: 2 ** 20 }
const COUNT = { min: 1, max: 4096 }

/**
 * Reads the experts of a Qwen3-MoE base: in each layer but those of `mlp_only_layers` and those that
 * `decoder_sparse_step` passes over. transformers 5 writes `num_local_experts` for `num_experts`. Throws `invalid_model`.
 */
export function readExperts(fields: ConfigFields, layers: number): ExpertsConfig {
  const name = fields.value('num_experts') === undefined ? 'num_local_experts' : 'num_experts'
  const count = fields.integer(name, COUNT)
  const perToken = fields.integer('num_experts_per_tok', { min: 1, max: count })
  const step = fields.integer('decoder_sparse_step', SIZE, 1)
  const dense = fields.list('mlp_only_layers') ?? []
  return {
    count,
    perToken,
    intermediateSize: fields.integer('moe_intermediate_size', SIZE),
    normalizesShares: fields.flag('norm_topk_prob', false),
    layers: Array.from({ length: layers }, (_, layer) => layer).filter(
      (layer) => !dense.includes(layer) && (layer + 1) % step === 0,
    ),
  }
}

/** Throws `unsupported_architecture` for a mixture of experts, where only dense bases can be computed. */
export function refuseExperts({ experts, architecture }: ModelConfig, what: string): void {
  if (experts === undefined) return
  throw MODEL_ERRORS.unsupported_architecture(
    `${what} of a mixture of experts (${architecture}) is not supported here`,
    {
      details: { architecture },
    },
  )
}
