import type { ModelConfig } from '../../core/model/config/model-config.ts'

/** The configuration of a model small enough that a step takes a millisecond; fields may be replaced. */
export function tinyConfig(changes: Partial<ModelConfig> = {}): ModelConfig {
  return {
    family: 'llama',
    architecture: 'LlamaForCausalLM',
    vocabSize: 64,
    hiddenSize: 16,
    layers: 2,
    heads: 2,
    kvHeads: 1,
    headDim: 8,
    intermediateSize: 24,
    contextLength: 256,
    normEpsilon: 1e-5,
    ropeTheta: 10_000,
    ropeScaling: { type: 'none' },
    qkvBias: false,
    outputBias: false,
    mlpBias: false,
    qkNorm: false,
    tiedEmbeddings: true,
    bosTokenId: null,
    eosTokenIds: [0],
    padTokenId: null,
    ...changes,
  }
}
