import type { ModelConfig } from '../../config/model-config.ts'
import { KERNEL_ERRORS } from '../../../kernel/errors.ts'

const WHOLE: Readonly<Record<string, string>> = {
  'model.embed_tokens.weight': 'token_embd.weight',
  'model.norm.weight': 'output_norm.weight',
  'lm_head.weight': 'output.weight',
}

const IN_LAYER: Readonly<Record<string, string>> = {
  input_layernorm: 'attn_norm',
  'self_attn.q_proj': 'attn_q',
  'self_attn.k_proj': 'attn_k',
  'self_attn.v_proj': 'attn_v',
  'self_attn.o_proj': 'attn_output',
  'self_attn.q_norm': 'attn_q_norm',
  'self_attn.k_norm': 'attn_k_norm',
  post_attention_layernorm: 'ffn_norm',
  'mlp.gate_proj': 'ffn_gate',
  'mlp.up_proj': 'ffn_up',
  'mlp.down_proj': 'ffn_down',
}

/** The name that llama.cpp gives a weight: `model.layers.3.self_attn.q_proj.weight` is `blk.3.attn_q.weight`. */
export function ggufName(name: string): string {
  const whole = WHOLE[name]
  if (whole !== undefined) return whole
  const [, layer = '', part = '', kind = ''] = /^model\.layers\.(\d+)\.(.+)\.(weight|bias)$/.exec(name) ?? []
  const short = IN_LAYER[part]
  if (short === undefined) throw KERNEL_ERRORS.internal(`the weight ${name} has no name in GGUF`)
  return `blk.${layer}.${short}.${kind}`
}

/**
 * The number of heads along the rows of a weight (or of B of an adapter) that llama.cpp's converter reorders, else
 * null. For the `llama` architecture it rotates neighbouring pairs where Hugging Face rotates halves, so the rows of
 * each head of q and k are interleaved; `qwen2` and `qwen3` keep halves.
 */
export function interleavedHeads(config: ModelConfig, name: string): number | null {
  if (config.family !== 'llama') return null
  if (/\.self_attn\.q_proj(\.|$)/.test(name)) return config.heads
  if (/\.self_attn\.k_proj(\.|$)/.test(name)) return config.kvHeads
  return null
}

/**
 * Rows `[heads, 2, half]` as `[heads, half, 2]`: `LlamaModel.permute` of llama.cpp's convert_hf_to_gguf.py. A bias has
 * rows of one element.
 */
export function interleaveHeads(data: Float32Array, rows: number, heads: number): Float32Array {
  const width = data.length / rows
  const half = rows / heads / 2
  const interleaved = new Float32Array(data.length)
  for (let head = 0; head < heads; head++) {
    for (let side = 0; side < 2; side++) {
      for (let index = 0; index < half; index++) {
        const from = ((head * 2 + side) * half + index) * width
        const to = ((head * half + index) * 2 + side) * width
        interleaved.set(data.subarray(from, from + width), to)
      }
    }
  }
  return interleaved
}
