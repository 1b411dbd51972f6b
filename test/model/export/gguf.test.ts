import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { GGMLQuantizationType, gguf, type GGUFParseOutput } from '@huggingface/gguf'
import { expect } from 'chai'
import fc from 'fast-check'
import { parseModelConfig } from '../../../core/model/config/parse-config.ts'
import { readBaseTexts } from '../../../core/model/export/base-texts.ts'
import { ggufAdapter } from '../../../core/model/export/gguf/adapter.ts'
import type { GgmlType, GgufFile } from '../../../core/model/export/gguf/container.ts'
import { quantizeQ8 } from '../../../core/model/export/gguf/encode.ts'
import { ggufModel } from '../../../core/model/export/gguf/model.ts'
import { tokenizerMetadata } from '../../../core/model/export/gguf/tokenizer.ts'
import { baseWeights, mergeAdapter } from '../../../core/model/export/weights.ts'
import type { ModelConfig, ModelFamily } from '../../../core/model/config/model-config.ts'
import { aConfig, anAdapter, joined, someWeights, TOKENIZER } from './given.ts'

const NANO = fileURLToPath(new URL('../../../bases/nano', import.meta.url))
const TEMPLATE = '{% for m in messages %}{{ m.content }}{% endfor %}'

interface ReadGguf {
  readonly metadata: Record<string, unknown>
  readonly types: ReadonlyMap<string, GGMLQuantizationType>
  values(name: string): readonly number[]
}

/** Reads a file with the published parser, and tensors by the offsets it finds. */
async function read(file: GgufFile): Promise<ReadGguf> {
  const bytes = joined(file.pieces())
  expect(bytes.length).to.equal(file.sizeBytes)
  const folder = await mkdtemp(join(tmpdir(), 'svc-gguf-'))
  try {
    const path = join(folder, 'model.gguf')
    await writeFile(path, bytes)
    const parsed: GGUFParseOutput = await gguf(path, { allowLocalFile: true })
    const infos = new Map(parsed.tensorInfos.map((info) => [info.name, info]))
    expect(Number(parsed.tensorDataOffset) % 32).to.equal(0)
    return {
      metadata: { ...parsed.metadata },
      types: new Map(parsed.tensorInfos.map((info) => [info.name, info.dtype])),
      values(name) {
        const info = infos.get(name)
        if (info === undefined) throw new Error(`no tensor ${name}`)
        expect(Number(info.offset) % 32).to.equal(0)
        const count = info.shape.reduce((product, extent) => product * Number(extent), 1)
        return decode(bytes, Number(parsed.tensorDataOffset) + Number(info.offset), count, info.dtype)
      },
    }
  } finally {
    await rm(folder, { recursive: true })
  }
}

function decode(bytes: Buffer, at: number, count: number, type: GGMLQuantizationType): readonly number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at)
  return Array.from({ length: count }, (_, index) => {
    if (type === GGMLQuantizationType.F32) return view.getFloat32(index * 4, true)
    if (type === GGMLQuantizationType.F16) return half(view, index * 2)
    const block = Math.floor(index / 32) * 34
    return half(view, block) * view.getInt8(block + 2 + (index % 32))
  })
}

/** IEEE 754 binary16. */
function half(view: DataView, at: number): number {
  const bits = view.getUint16(at, true)
  const exponent = (bits >> 10) & 31
  const fraction = bits & 1023
  const size = exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15)
  return bits >> 15 ? -size : size
}

function aModel(config: ModelConfig, type: GgmlType): GgufFile {
  return ggufModel({
    name: 'tiny',
    weights: baseWeights({ config, weights: someWeights(config) }),
    tokenizer: tokenizerMetadata({
      tokenizer: TOKENIZER,
      config,
      chatTemplate: TEMPLATE,
      addsBos: false,
      addsEos: false,
    }),
    type,
  })
}

/** Rows of a head as llama.cpp wants them: 0, half, 1, half + 1, … */
function interleaved(data: ArrayLike<number>, width: number, headDim: number): number[] {
  const rows = data.length / width
  return Array.from({ length: rows }, (_, row) => {
    const within = row % headDim
    const from = row - within + (within % 2) * (headDim / 2) + Math.floor(within / 2)
    return Array.from({ length: width }, (_unused, column) => data[from * width + column] ?? Number.NaN)
  }).flat()
}

describe('GGUF export', () => {
  it('names the sizes of a model as llama.cpp reads them', async () => {
    const { metadata } = await read(aModel(aConfig('llama', { ropeTheta: 500_000 }), 'F16'))
    expect(metadata).to.include({
      version: 3,
      'general.architecture': 'llama',
      'general.type': 'model',
      'general.name': 'tiny',
      'general.file_type': 1,
      'llama.block_count': 2,
      'llama.embedding_length': 64,
      'llama.feed_forward_length': 96,
      'llama.attention.head_count': 4,
      'llama.attention.head_count_kv': 2,
      'llama.rope.dimension_count': 16,
      'llama.rope.freq_base': 500_000,
      'llama.context_length': 128,
      'llama.vocab_size': 264,
    })
    expect(metadata['llama.attention.layer_norm_rms_epsilon']).to.be.closeTo(1e-5, 1e-11)
  })

  it('writes the tokenizer with its kinds of tokens, and pads what the embedding has beyond it', async () => {
    const { metadata } = await read(aModel(aConfig('qwen2'), 'F32'))
    const tokens = metadata['tokenizer.ggml.tokens']
    const types = metadata['tokenizer.ggml.token_type']
    if (!Array.isArray(tokens) || !Array.isArray(types)) throw new Error('no lists')
    expect(tokens).to.have.length(264)
    expect([tokens[0], tokens[257], tokens[258], tokens[259], tokens[263]]).to.deep.equal([
      '<|end|>',
      'ab',
      'abc',
      '<mark>',
      '[PAD263]',
    ])
    expect([types[0], types[257], types[259], types[263]]).to.deep.equal([3, 1, 4, 5])
    expect(metadata).to.include({
      'tokenizer.ggml.model': 'gpt2',
      'tokenizer.ggml.pre': 'gpt-2',
      'tokenizer.ggml.eos_token_id': 0,
      'tokenizer.ggml.add_bos_token': false,
      'tokenizer.chat_template': TEMPLATE,
    })
    expect(metadata['tokenizer.ggml.merges']).to.deep.equal(['a b', 'ab c'])
  })

  for (const family of ['llama', 'qwen2', 'qwen3'] as const satisfies readonly ModelFamily[]) {
    it(`holds every weight of ${family}, the rows of q and k reordered for llama alone`, async () => {
      const config = aConfig(family, { tiedEmbeddings: family !== 'qwen3' })
      const weights = someWeights(config)
      const file = await read(aModel(config, 'F32'))
      expect(file.types.size).to.equal(weights.size)
      expect(file.types.has('output.weight')).to.equal(!config.tiedEmbeddings)
      const plain = (name: string) => [...(weights.get(name)?.data ?? [])]
      const q = plain('model.layers.1.self_attn.q_proj.weight')
      const k = plain('model.layers.1.self_attn.k_proj.weight')
      const isLlama = family === 'llama'
      expect(file.values('blk.1.attn_q.weight')).to.deep.equal(isLlama ? interleaved(q, 64, 16) : q)
      expect(file.values('blk.1.attn_k.weight')).to.deep.equal(isLlama ? interleaved(k, 64, 16) : k)
      expect(file.values('blk.1.attn_v.weight')).to.deep.equal(plain('model.layers.1.self_attn.v_proj.weight'))
      expect(file.values('blk.0.ffn_down.weight')).to.deep.equal(plain('model.layers.0.mlp.down_proj.weight'))
      expect(file.values('token_embd.weight')).to.deep.equal(plain('model.embed_tokens.weight'))
      expect(file.values('output_norm.weight')).to.deep.equal(plain('model.norm.weight'))
      if (family === 'qwen2') {
        expect(file.values('blk.0.attn_q.bias')).to.deep.equal(plain('model.layers.0.self_attn.q_proj.bias'))
      }
      if (family === 'qwen3') {
        expect(file.values('blk.0.attn_k_norm.weight')).to.deep.equal(plain('model.layers.0.self_attn.k_norm.weight'))
      }
    })
  }

  it('reorders the bias of q and k with their rows', async () => {
    const config = aConfig('llama', { qkvBias: true })
    const bias = someWeights(config).get('model.layers.0.self_attn.k_proj.bias')?.data ?? []
    const file = await read(aModel(config, 'F32'))
    expect(file.values('blk.0.attn_k.bias')).to.deep.equal(interleaved(bias, 1, 16))
  })

  it('stores matrices in Q8_0 to half a step of their block, norms in float32', async () => {
    const config = aConfig('qwen2')
    const file = await read(aModel(config, 'Q8_0'))
    expect(file.types.get('blk.0.attn_norm.weight')).to.equal(GGMLQuantizationType.F32)
    expect(file.types.get('blk.0.ffn_up.weight')).to.equal(GGMLQuantizationType.Q8_0)
    const original = someWeights(config).get('model.layers.0.mlp.up_proj.weight')?.data ?? new Float32Array()
    const stored = file.values('blk.0.ffn_up.weight')
    for (let block = 0; block < original.length; block += 32) {
      const largest = Math.max(...original.subarray(block, block + 32).map(Math.abs))
      for (let index = block; index < block + 32; index++) {
        expect(Math.abs((stored[index] ?? 0) - (original[index] ?? 0))).to.be.at.most((largest / 127) * 0.56)
      }
    }
  })

  it('stores a matrix whose rows are no whole blocks in half precision', async () => {
    const config = aConfig('qwen2', { intermediateSize: 80 })
    const file = await read(aModel(config, 'Q8_0'))
    expect(file.types.get('blk.0.ffn_down.weight')).to.equal(GGMLQuantizationType.F16)
    expect(file.types.get('blk.0.ffn_up.weight')).to.equal(GGMLQuantizationType.Q8_0)
  })

  it('quantises any block to within half a step, and a block of zeros to zeros', () => {
    const block = fc.float32Array({ minLength: 32, maxLength: 32, min: -1e4, max: 1e4, noNaN: true })
    fc.assert(
      fc.property(block, (data) => {
        const bytes = Buffer.from(quantizeQ8(data))
        const values = decode(bytes, 0, 32, GGMLQuantizationType.Q8_0)
        const largest = Math.max(...data.map(Math.abs))
        // Half a step, and the rounding of the scale to half precision times the largest count.
        const allowed = largest / 254 + largest * 2 ** -11 + 127 * 2 ** -25
        for (const [index, value] of values.entries()) {
          expect(Math.abs(value - (data[index] ?? 0))).to.be.at.most(allowed * 1.0001)
        }
      }),
    )
    expect(new Set(quantizeQ8(new Float32Array(32)))).to.deep.equal(new Set([0]))
  })

  it('writes the frequency factors of Llama 3.1, and the factor of linear scaling', async () => {
    const scaling = { type: 'llama3', factor: 8, lowFreqFactor: 1, highFreqFactor: 4, originalContext: 64 } as const
    const scaled = await read(aModel(aConfig('llama', { ropeScaling: scaling }), 'F32'))
    const factors = scaled.values('rope_freqs.weight')
    expect(factors).to.have.length(8)
    expect(factors[0]).to.equal(1)
    expect(factors.at(-1)).to.equal(8)
    expect([...factors].toSorted((one, other) => one - other)).to.deep.equal(factors)
    const linear = await read(aModel(aConfig('llama', { ropeScaling: { type: 'linear', factor: 4 } }), 'F32'))
    expect(linear.metadata).to.include({ 'llama.rope.scaling.type': 'linear', 'llama.rope.scaling.factor': 4 })
  })

  it('merges an adapter: W + alpha / rank B A', async () => {
    const config = aConfig('qwen2')
    const adapter = anAdapter(config)
    const base = baseWeights({ config, weights: someWeights(config) })
    const name = 'model.layers.1.mlp.gate_proj'
    const merged = mergeAdapter(base, adapter).read(`${name}.weight`)
    const pair = adapter.tensors.get(name)
    const [row, column] = [17, 41]
    let sum = base.read(`${name}.weight`)[row * 64 + column] ?? 0
    for (let k = 0; k < 4; k++) sum += 2 * (pair?.b[row * 4 + k] ?? 0) * (pair?.a[k * 64 + column] ?? 0)
    expect(merged[row * 64 + column]).to.equal(Math.fround(sum))
    expect(mergeAdapter(base, adapter).read('model.norm.weight')).to.equal(base.read('model.norm.weight'))
  })

  it('writes an adapter that sits on the names and rows of its base', async () => {
    const config = aConfig('llama')
    const adapter = anAdapter(config)
    const file = await read(ggufAdapter({ name: 'tiny-adapter', config, adapter, type: 'F32', origin: [] }))
    expect(file.metadata).to.include({
      'general.architecture': 'llama',
      'general.type': 'adapter',
      'adapter.type': 'lora',
      'adapter.lora.alpha': 8,
    })
    expect(file.types.size).to.equal(2 * 7 * 2)
    const pair = adapter.tensors.get('model.layers.0.self_attn.q_proj')
    expect(file.values('blk.0.attn_q.weight.lora_a')).to.deep.equal([...(pair?.a ?? [])])
    expect(file.values('blk.0.attn_q.weight.lora_b')).to.deep.equal(interleaved(pair?.b ?? [], 4, 16))
    const down = adapter.tensors.get('model.layers.0.mlp.down_proj')
    expect(file.values('blk.0.ffn_down.weight.lora_b')).to.deep.equal([...(down?.b ?? [])])
  })

  it('has a way of cutting texts for the base that comes with the project', async () => {
    const { tokenizer, config } = await readBaseTexts(NANO)
    const keys = tokenizerMetadata({
      tokenizer,
      config: parseModelConfig(config),
      chatTemplate: null,
      addsBos: false,
      addsEos: false,
    })
    expect(keys).to.deep.include(['tokenizer.ggml.pre', { type: 'string', value: 'smollm' }])
  })

  it('refuses tokenizers that llama.cpp would cut texts differently with', () => {
    const input = { config: aConfig('llama'), chatTemplate: null, addsBos: false, addsEos: false }
    const odd = { ...TOKENIZER, pre_tokenizer: { type: 'Whitespace' } }
    for (const tokenizer of [odd, { ...TOKENIZER, model: { type: 'Unigram', vocab: [] } }]) {
      expect(() => tokenizerMetadata({ ...input, tokenizer }))
        .to.throw()
        .with.property('code', 'export_not_applicable')
    }
    const digits = {
      ...TOKENIZER,
      pre_tokenizer: {
        type: 'Sequence',
        pretokenizers: [{ type: 'Digits', individual_digits: true }, TOKENIZER['pre_tokenizer'] ?? null],
      },
    }
    expect(tokenizerMetadata({ ...input, tokenizer: digits })).to.deep.include([
      'tokenizer.ggml.pre',
      { type: 'string', value: 'smollm' },
    ])
  })
})
