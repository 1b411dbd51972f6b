import { expect } from 'chai'
import fc from 'fast-check'
import { DomainError } from '../../../core/kernel/errors.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { parseModelConfig } from '../../../core/model/config/parse-config.ts'
import { countParameters, weightShapes } from '../../../core/model/config/weight-names.ts'
import { expectCode } from '../../support/wire/expect-code.ts'

/** As SmolLM2-135M states it. */
const SMOLLM2: JsonObject = {
  architectures: ['LlamaForCausalLM'],
  attention_bias: false,
  bos_token_id: 0,
  eos_token_id: 0,
  hidden_act: 'silu',
  hidden_size: 576,
  intermediate_size: 1536,
  is_llama_config: true,
  max_position_embeddings: 8192,
  mlp_bias: false,
  model_type: 'llama',
  num_attention_heads: 9,
  num_hidden_layers: 30,
  num_key_value_heads: 3,
  rms_norm_eps: 1e-5,
  rope_interleaved: false,
  rope_scaling: null,
  rope_theta: 100000,
  tie_word_embeddings: true,
  vocab_size: 49152,
}

/** As Qwen2.5-0.5B-Instruct states it. */
const QWEN25: JsonObject = {
  architectures: ['Qwen2ForCausalLM'],
  bos_token_id: 151643,
  eos_token_id: 151645,
  hidden_act: 'silu',
  hidden_size: 896,
  intermediate_size: 4864,
  max_position_embeddings: 32768,
  max_window_layers: 21,
  num_attention_heads: 14,
  num_hidden_layers: 24,
  num_key_value_heads: 2,
  rms_norm_eps: 1e-6,
  rope_theta: 1000000,
  sliding_window: 32768,
  tie_word_embeddings: true,
  use_sliding_window: false,
  vocab_size: 151936,
}

/** As Qwen3-0.6B states it. */
const QWEN3: JsonObject = {
  ...QWEN25,
  architectures: ['Qwen3ForCausalLM'],
  head_dim: 128,
  hidden_size: 1024,
  intermediate_size: 3072,
  max_position_embeddings: 40960,
  num_attention_heads: 16,
  num_hidden_layers: 28,
  num_key_value_heads: 8,
  sliding_window: null,
}

describe('model config', () => {
  it('reads the families, with the parameters that their makers count', () => {
    const smol = parseModelConfig(SMOLLM2)
    expect(smol).to.deep.include({ family: 'llama', headDim: 64, qkvBias: false, qkNorm: false, ropeTheta: 100_000 })
    expect(countParameters(smol)).to.equal(134_515_008)
    const qwen2 = parseModelConfig(QWEN25, { eos_token_id: [151645, 151643], pad_token_id: 151643 })
    expect(qwen2).to.deep.include({ family: 'qwen2', headDim: 64, qkvBias: true, outputBias: false })
    expect(qwen2).to.deep.include({ eosTokenIds: [151645, 151643], padTokenId: 151643, bosTokenId: 151643 })
    expect(countParameters(qwen2)).to.equal(494_032_768)
    const qwen3 = parseModelConfig(QWEN3)
    expect(qwen3).to.deep.include({ family: 'qwen3', headDim: 128, qkvBias: false, qkNorm: true })
    expect(countParameters(qwen3)).to.equal(596_049_920)
  })

  it('knows which weights a family has', () => {
    const qwen2 = weightShapes(parseModelConfig({ ...QWEN25, tie_word_embeddings: false }))
    expect(qwen2.get('model.layers.23.self_attn.k_proj.bias')).to.deep.equal([128])
    expect(qwen2.has('model.layers.0.self_attn.o_proj.bias')).to.equal(false)
    expect(qwen2.get('lm_head.weight')).to.deep.equal([151936, 896])
    const qwen3 = weightShapes(parseModelConfig(QWEN3))
    expect(qwen3.get('model.layers.0.self_attn.q_norm.weight')).to.deep.equal([128])
    expect(qwen3.get('model.layers.0.self_attn.o_proj.weight')).to.deep.equal([1024, 2048])
    expect(qwen3.has('lm_head.weight')).to.equal(false)
    const biased = weightShapes(parseModelConfig({ ...SMOLLM2, attention_bias: true, mlp_bias: true }))
    expect(biased.get('model.layers.0.self_attn.o_proj.bias')).to.deep.equal([576])
    expect(biased.get('model.layers.0.mlp.up_proj.bias')).to.deep.equal([1536])
  })

  it('reads rotary scaling in the spelling of transformers 4 and of 5', () => {
    const llama3 = {
      factor: 32,
      low_freq_factor: 1,
      high_freq_factor: 4,
      original_max_position_embeddings: 8192,
      rope_type: 'llama3',
    }
    const before = parseModelConfig({ ...SMOLLM2, rope_theta: 500000, rope_scaling: llama3 })
    const { rope_theta: _, ...rest } = SMOLLM2
    const after = parseModelConfig({ ...rest, rope_parameters: { ...llama3, rope_theta: 500000 } })
    expect(after).to.deep.equal(before)
    expect(after.ropeScaling).to.deep.equal({
      type: 'llama3',
      factor: 32,
      lowFreqFactor: 1,
      highFreqFactor: 4,
      originalContext: 8192,
    })
    const scaling = (rope: JsonObject) => parseModelConfig({ ...SMOLLM2, rope_scaling: rope }).ropeScaling
    expect(scaling({ type: 'linear', factor: 2 })).to.deep.equal({ type: 'linear', factor: 2 })
    expect(scaling({ type: 'dynamic', factor: 2 })).to.deep.equal({ type: 'none' })
    expect(parseModelConfig({ ...rest }).ropeTheta).to.equal(10_000)
  })

  it('refuses what would be computed wrongly, and lists what is supported', async () => {
    const cases: readonly JsonObject[] = [
      { ...SMOLLM2, architectures: ['MixtralForCausalLM'] },
      { ...SMOLLM2, architectures: ['toString'] },
      { ...SMOLLM2, architectures: [] },
      {},
      { ...SMOLLM2, hidden_act: 'gelu' },
      { ...SMOLLM2, rope_scaling: { rope_type: 'longrope', factor: 4 } },
      { ...SMOLLM2, partial_rotary_factor: 0.5 },
      { ...SMOLLM2, quantization_config: { bits: 4 } },
      { ...QWEN25, use_sliding_window: true, sliding_window: 4096 },
      { ...QWEN25, sliding_window: 4096, layer_types: ['full_attention', 'sliding_attention'] },
    ]
    for (const config of cases) await expectCode('unsupported_architecture', () => parseModelConfig(config))
    const error = await expectCode('unsupported_architecture', () => parseModelConfig({ architectures: ['GPT2'] }))
    expect(error.message).to.match(/GPT2 is not supported.*LlamaForCausalLM, Qwen2ForCausalLM, Qwen3ForCausalLM/)
  })

  it('takes a sliding window that no sequence leaves', () => {
    for (const unused of [
      { use_sliding_window: true, sliding_window: 32768 },
      { use_sliding_window: true, sliding_window: 4096, max_window_layers: 24 },
      { use_sliding_window: false, sliding_window: 4096 },
      { sliding_window: null, layer_types: ['full_attention'] },
    ]) {
      expect(parseModelConfig({ ...QWEN25, ...unused }).contextLength).to.equal(32_768)
    }
  })

  it('names the member that is wrong', async () => {
    const cases: readonly (readonly [string, JsonObject])[] = [
      ['hidden_size', { hidden_size: '576' }],
      ['hidden_size', { hidden_size: 0 }],
      ['vocab_size', { vocab_size: 1e12 }],
      ['num_key_value_heads', { num_key_value_heads: 4 }],
      ['head_dim', { num_attention_heads: 7, num_key_value_heads: 7 }],
      ['head_dim', { head_dim: 63 }],
      ['rms_norm_eps', { rms_norm_eps: -1 }],
      ['tie_word_embeddings', { tie_word_embeddings: 'yes' }],
      ['eos_token_id', { eos_token_id: 49152 }],
      ['factor', { rope_scaling: { rope_type: 'linear' } }],
      ['rope_scaling', { rope_scaling: 'linear' }],
    ]
    for (const [member, members] of cases) {
      const error = await expectCode('invalid_model', () => parseModelConfig({ ...SMOLLM2, ...members }))
      expect(error.message).to.include(member)
    }
  })

  it('survives any member', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.keys(QWEN25), 'rope_parameters', 'layer_types'),
        fc.jsonValue(),
        (name, value) => {
          try {
            parseModelConfig({ ...QWEN25, ...JSON.parse(JSON.stringify({ [name]: value })) })
          } catch (error) {
            if (!(error instanceof DomainError)) throw error
          }
        },
      ),
      { numRuns: 300 },
    )
  })
})
