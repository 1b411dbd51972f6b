import { rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { weightShapes } from '../../../core/model/config/weight-names.ts'
import { hashBase, openBaseModel } from '../../../core/model/files/base-model.ts'
import { inspectBase } from '../../../core/model/files/inspect-base.ts'
import { writeSafetensors, type TensorToWrite } from '../../../core/model/files/safetensors/write.ts'
import { expectCode } from '../../support/wire/expect-code.ts'
import { copyBase, GOLDEN_BASES, goldenFolder, type BaseCopy } from './base-folder.ts'

const WEIGHTS = 'model.safetensors'
const INDEX = 'model.safetensors.index.json'

async function goldenTensors(): Promise<readonly TensorToWrite[]> {
  const { model } = await openBaseModel(goldenFolder('llama-tied'))
  return [...model.weights].map(([name, { shape, data }]) => ({ name, dtype: 'F32', shape, data }))
}

describe('base model', () => {
  let base: BaseCopy

  beforeEach(async () => {
    base = await copyBase('llama-tied')
  })
  afterEach(async () => {
    await base.remove()
  })

  const refused = async () => (await expectCode('invalid_model', async () => await openBaseModel(base.folder))).message
  const write = async (tensors: readonly TensorToWrite[], file = WEIGHTS) => {
    await writeFile(join(base.folder, file), writeSafetensors(tensors))
  }

  for (const name of GOLDEN_BASES) {
    it(`opens ${name} as transformers wrote it`, async () => {
      const { model, tokenizer, chatTemplate } = await openBaseModel(goldenFolder(name))
      expect(model.name).to.equal(name)
      expect([...model.weights.keys()]).to.have.members([...weightShapes(model.config).keys()])
      expect(tokenizer.vocabSize).to.be.at.most(model.config.vocabSize)
      expect(chatTemplate).to.not.equal(null)
      expect(await hashBase(goldenFolder(name), await inspectBase(goldenFolder(name)))).to.equal(model.weightsHash)
    })
  }

  it('gives one hash to the same tensors in one file or several, and another to other bytes', async () => {
    const { model } = await openBaseModel(base.folder)
    const tensors = await goldenTensors()
    const shards = { 'one.safetensors': tensors.slice(0, 5), 'two.safetensors': tensors.slice(5) }
    const places: Record<string, string> = {}
    await rm(join(base.folder, WEIGHTS))
    for (const [file, part] of Object.entries(shards)) {
      await write(part, file)
      for (const { name } of part) places[name] = file
    }
    await writeFile(join(base.folder, INDEX), JSON.stringify({ weight_map: places }))
    expect((await openBaseModel(base.folder)).model.weightsHash).to.equal(model.weightsHash)
    await write(tensors.slice(4), 'two.safetensors')
    expect(await refused()).to.match(/twice/)
    await rm(join(base.folder, 'two.safetensors'))
    expect(await refused()).to.match(/two\.safetensors cannot be opened/)

    await write(tensors.map((tensor) => ({ ...tensor, dtype: 'BF16' })))
    expect((await openBaseModel(base.folder)).model.weightsHash).to.not.equal(model.weightsHash)
  })

  it('keeps to its folder', async () => {
    await rm(join(base.folder, WEIGHTS))
    for (const file of ['../model.safetensors', '/etc/passwd', '..', 'a/b.safetensors', 7]) {
      await writeFile(join(base.folder, INDEX), JSON.stringify({ weight_map: { 'model.norm.weight': file } }))
      expect(await refused()).to.match(/none of this folder/)
    }
  })

  it('names the tensor that is missing or has another shape', async () => {
    const tensors = await goldenTensors()
    await write(tensors.filter(({ name }) => name !== 'model.layers.1.mlp.up_proj.weight'))
    expect(await refused()).to.include('no tensor model.layers.1.mlp.up_proj.weight')
    await write(tensors.map((tensor) => (tensor.name === 'model.norm.weight' ? { ...tensor, shape: [16, 2] } : tensor)))
    expect(await refused())
      .to.include('model.norm.weight has the shape [16, 2]')
      .and.include('[32]')
  })

  it('leaves tensors out that nothing computes with, and says so', async () => {
    const extra: TensorToWrite = { name: 'lm_head.weight', dtype: 'F32', shape: [1], data: Float32Array.of(1) }
    await write([...(await goldenTensors()), extra])
    expect((await inspectBase(base.folder)).extraTensors).to.deep.equal(['lm_head.weight'])
    expect((await openBaseModel(base.folder)).model.weights.has('lm_head.weight')).to.equal(false)
  })

  it('refuses files that are cut off, missing or no JSON', async () => {
    await truncate(join(base.folder, WEIGHTS), 50_000)
    expect(await refused()).to.match(/beyond the file/)
    await rm(join(base.folder, WEIGHTS))
    expect(await refused()).to.match(/neither model\.safetensors nor/)
    await writeFile(join(base.folder, 'config.json'), '{"architectures": [')
    expect(await refused()).to.match(/config\.json: is not valid JSON/)
  })

  it('refuses a tokenizer that does not match the embedding', async () => {
    await base.change('tokenizer.json', {
      added_tokens: [{ id: 128, content: '<|more|>', special: true, normalized: false }],
    })
    expect(await refused()).to.match(/does not match the weights: its ids go up to 128, and the embedding has 128 rows/)
    await rm(join(base.folder, 'tokenizer.json'))
    expect(await refused()).to.match(/tokenizer\.json is missing/)
  })

  it('takes chat templates from a file, a text or a list', async () => {
    const render = async () => {
      const { chatTemplate } = await openBaseModel(base.folder)
      return chatTemplate?.render([{ role: 'user', content: 'x' }]) ?? null
    }
    await base.change('tokenizer_config.json', { chat_template: null })
    expect(await render()).to.equal(null)
    await base.change('tokenizer_config.json', {
      chat_template: [
        { name: 'tool_use', template: 'tools' },
        { name: 'default', template: '{{ eos_token }}{{ messages[0].content }}' },
      ],
    })
    expect(await render()).to.equal('<|end|>x')
    await writeFile(join(base.folder, 'chat_template.jinja'), 'file:{{ messages[0].role }}')
    expect(await render()).to.equal('file:user')
  })

  it('stops when it is aborted', async () => {
    const reason = new Error('enough')
    const caught: unknown = await openBaseModel(base.folder, { signal: AbortSignal.abort(reason) }).catch(
      (error: unknown) => error,
    )
    expect(caught).to.equal(reason)
  })
})
