import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import { MODEL_ERRORS } from '../../../core/model/errors.ts'
import type { Json, JsonObject } from '../../../core/kernel/json/json.ts'
import type { ModelConfig } from '../../../core/model/config/model-config.ts'
import { ADAPTER_FILES, readAdapter, writeAdapter } from '../../../core/model/files/adapter-files.ts'
import { readBaseConfig } from '../../../core/model/files/inspect-base.ts'
import { adapterHash, type LoraAdapter } from '../../../core/model/files/lora-adapter.ts'
import { writeSafetensors } from '../../../core/model/files/safetensors/write.ts'
import { expectCode } from '../../support/wire/expect-code.ts'
import { GOLDEN_BASES, goldenFolder, type GoldenBase } from './base-folder.ts'

type Files = ReadonlyMap<string, Uint8Array>

const PREFIX = 'base_model.model.model.layers.0.self_attn'

async function goldenAdapter(name: GoldenBase): Promise<Files> {
  const folder = join(goldenFolder(name), 'adapter')
  return new Map(
    await Promise.all(ADAPTER_FILES.map(async (file) => [file, await readFile(join(folder, file))] as const)),
  )
}

describe('adapter files', () => {
  let files: Files
  let config: ModelConfig
  let adapter: LoraAdapter

  before(async () => {
    files = await goldenAdapter('llama-tied')
    config = await readBaseConfig(goldenFolder('llama-tied'))
    adapter = readAdapter(files, config)
  })

  const refused = async (changed: Files) =>
    (await expectCode('invalid_adapter', () => readAdapter(changed, config))).message
  const withConfig = (members: JsonObject): Files => {
    const golden: JsonObject = JSON.parse(new TextDecoder().decode(files.get('adapter_config.json')))
    return new Map([...files, ['adapter_config.json', Buffer.from(JSON.stringify({ ...golden, ...members }))]])
  }
  const withWeights = (bytes: Uint8Array): Files => new Map([...files, ['adapter_model.safetensors', bytes]])

  for (const name of GOLDEN_BASES) {
    it(`gives PEFT's weights of ${name} back byte by byte`, async () => {
      const golden = await goldenAdapter(name)
      const read = readAdapter(golden, await readBaseConfig(goldenFolder(name)))
      expect(read.config).to.deep.include({ rank: 4, alpha: 8 })
      const written = writeAdapter(read, { baseName: name }).get('adapter_model.safetensors') ?? new Uint8Array()
      expect(Buffer.compare(written, golden.get('adapter_model.safetensors') ?? new Uint8Array())).to.equal(0)
    })
  }

  it('reads what it writes, with the same hash', () => {
    const again = readAdapter(writeAdapter(adapter, { baseName: 'golden' }), config)
    expect(again).to.deep.equal(adapter)
    expect(adapterHash(again)).to.equal(adapterHash(adapter))
    const louder: LoraAdapter = { ...adapter, config: { ...adapter.config, alpha: 9 } }
    expect(adapterHash(louder)).to.not.equal(adapterHash(adapter))
  })

  it('writes the members that PEFT wrote, with its values', () => {
    const text = (of: Files) => new TextDecoder().decode(of.get('adapter_config.json'))
    const golden: JsonObject = JSON.parse(text(files))
    const written: JsonObject = JSON.parse(text(writeAdapter(adapter, { baseName: 'golden' })))
    for (const [member, value] of Object.entries(written)) expect(value, member).to.deep.equal(golden[member])
    expect(Object.keys(written)).to.deep.equal(Object.keys(written).toSorted())
  })

  it('takes half precision and all-linear', () => {
    const tensors = [...adapter.tensors].flatMap(([name, { a, b }]) => [
      { name: `base_model.model.${name}.lora_A.weight`, dtype: 'BF16', shape: [4, a.length / 4], data: a } as const,
      { name: `base_model.model.${name}.lora_B.weight`, dtype: 'F16', shape: [b.length / 4, 4], data: b } as const,
    ])
    const changed = new Map(withConfig({ target_modules: 'all-linear' }))
    changed.set('adapter_model.safetensors', writeSafetensors(tensors))
    const read = readAdapter(changed, config)
    expect(read.config).to.deep.equal(adapter.config)
    expect([...read.tensors.keys()]).to.deep.equal([...adapter.tensors.keys()])
  })

  it('refuses by name what it would compute wrongly', async () => {
    const cases: readonly (readonly [string, Json])[] = [
      ['use_dora', true],
      ['use_rslora', true],
      ['bias', 'all'],
      ['lora_bias', true],
      ['fan_in_fan_out', true],
      ['init_lora_weights', 'pissa'],
      ['rank_pattern', { q_proj: 8 }],
      ['alpha_pattern', { q_proj: 8 }],
      ['layers_to_transform', [0]],
      ['modules_to_save', ['lm_head']],
      ['target_parameters', ['x']],
      ['peft_type', 'IA3'],
      ['task_type', 'SEQ_CLS'],
      ['r', 0],
      ['r', 1e9],
      ['r', null],
      ['lora_alpha', -1],
      ['target_modules', []],
    ]
    for (const [member, value] of cases) expect(await refused(withConfig({ [member]: value }))).to.include(member)
    expect(await refused(withConfig({ target_modules: ['q_proj', 'lm_head'] }))).to.include('"lm_head"')
  })

  it('names the tensor that is missing, unknown, of another shape or not finite', async () => {
    expect(await refused(withConfig({ r: 8 }))).to.match(/q_proj\.lora_A\.weight has the shape \[4, 32\]/)
    expect(await refused(withConfig({ target_modules: ['q_proj'] }))).to.match(/belongs to no target module/)
    const q = adapter.tensors.get('model.layers.0.self_attn.q_proj')
    const only = writeSafetensors([
      { name: `${PREFIX}.q_proj.lora_A.weight`, dtype: 'F32', shape: [4, 32], data: q?.a ?? new Float32Array() },
    ])
    expect(await refused(withWeights(only))).to.match(/no tensor .*q_proj\.lora_B/)
    const infinite = new Map([...adapter.tensors].map(([name, { a, b }]) => [name, { a: a.map(() => Infinity), b }]))
    const written = writeAdapter({ ...adapter, tensors: infinite }, { baseName: 'golden' })
    expect(await refused(written)).to.match(/not finite/)
    for (const file of ADAPTER_FILES) {
      expect(await refused(new Map([...files].filter(([name]) => name !== file)))).to.include(`${file} is missing`)
    }
  })

  it('survives any change of its files', () => {
    const change = fc.record({
      file: fc.constantFrom(...ADAPTER_FILES),
      at: fc.nat(),
      byte: fc.integer({ min: 0, max: 255 }),
    })
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
        const mutated = new Map([...files].map(([name, bytes]) => [name, Uint8Array.from(bytes)]))
        for (const { file, at, byte } of changes) {
          const bytes = mutated.get(file) ?? new Uint8Array()
          bytes[at % Math.min(bytes.length, 2000)] = byte
        }
        try {
          readAdapter(mutated, config)
        } catch (error) {
          if (!MODEL_ERRORS.invalid_adapter.matches(error)) throw error
        }
      }),
      { numRuns: 200 },
    )
  })
})
