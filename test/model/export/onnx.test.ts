import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { readBaseTexts } from '../../../core/model/export/base-texts.ts'
import { exportModel } from '../../../core/model/export/export-model.ts'
import { onnxModelFiles } from '../../../core/model/export/onnx/model-files.ts'
import { baseWeights, mergeAdapter } from '../../../core/model/export/weights.ts'
import type { ModelConfig } from '../../../core/model/config/model-config.ts'
import { anOrigin, joined, openGolden, unzip, wholeFile } from './given.ts'

type Tensors = Record<string, Tensor>

/** The cache before the first token. */
function emptyCache(config: ModelConfig): Tensors {
  const cache: Tensors = {}
  for (let layer = 0; layer < config.layers; layer++) {
    for (const kind of ['key', 'value']) {
      cache[`past_key_values.${layer}.${kind}`] = new Tensor('float32', new Float32Array(), [
        1,
        config.kvHeads,
        0,
        config.headDim,
      ])
    }
  }
  return cache
}

/** Runs tokens after those in the cache; answers the logits of each and the cache with them. */
async function step(
  session: InferenceSession,
  tokens: readonly number[],
  past: number,
  cache: Tensors,
): Promise<{ readonly logits: readonly (readonly number[])[]; readonly cache: Tensors }> {
  const integers = (values: readonly number[]) =>
    new Tensor('int64', BigInt64Array.from(values, BigInt), [1, values.length])
  const outputs = await session.run({
    ...cache,
    input_ids: integers(tokens),
    attention_mask: integers(Array.from({ length: past + tokens.length }, () => 1)),
    position_ids: integers(tokens.map((_, index) => past + index)),
  })
  const logits = outputs['logits']
  if (logits === undefined || !(logits.data instanceof Float32Array)) throw new Error('no logits')
  const width = logits.data.length / tokens.length
  const data = logits.data
  const next = Object.entries(outputs).filter(([name]) => name.startsWith('present.'))
  return {
    logits: tokens.map((_, index) => [...data.subarray(index * width, (index + 1) * width)]),
    cache: Object.fromEntries(next.map(([name, tensor]) => [name.replace('present', 'past_key_values'), tensor])),
  }
}

/** log p of each next token. */
function logProbs(logits: readonly (readonly number[])[], ids: readonly number[]): readonly number[] {
  return ids.slice(1).map((id, index) => {
    const row = logits[index] ?? []
    const largest = Math.max(...row)
    const total = row.reduce((sum, value) => sum + Math.exp(value - largest), 0)
    return (row[id] ?? 0) - largest - Math.log(total)
  })
}

function expectClose(actual: readonly number[], expected: readonly number[] | undefined, within = 1e-4): void {
  expect(actual).to.have.length(expected?.length ?? -1)
  for (const [index, value] of actual.entries()) expect(value).to.be.closeTo(expected?.[index] ?? Number.NaN, within)
}

describe('ONNX export', () => {
  for (const name of ['llama-tied', 'llama-untied', 'qwen2', 'qwen3']) {
    it(`computes for ${name} what transformers and PEFT compute, in one go and token by token`, async () => {
      const golden = await openGolden(name)
      const { config } = golden.base.model
      const texts = await readBaseTexts(golden.directory)
      const source = { origin: anOrigin(golden), base: golden.base, texts, adapter: golden.adapter }
      for (const [part, expected] of [
        ['base', golden.expected.logProbs],
        ['merged', golden.expected.adapterLogProbs],
      ] as const) {
        const members = await unzip(await wholeFile(exportModel(source, { target: 'onnx', quant: 'fp32', part })))
        expect([...members.keys()]).to.include.members([
          'model.onnx',
          'config.json',
          'tokenizer.json',
          'svc-export.json',
        ])
        const session = await InferenceSession.create(members.get('model.onnx') ?? Buffer.alloc(0))
        for (const [index, ids] of golden.expected.sequences.entries()) {
          const whole = await step(session, ids, 0, emptyCache(config))
          expectClose(logProbs(whole.logits, ids), expected[index])
        }
        const [ids = []] = golden.expected.sequences
        let cache = emptyCache(config)
        let last: readonly number[] = []
        for (const [past, id] of ids.entries()) {
          const one = await step(session, [id], past, cache)
          cache = one.cache
          last = one.logits[0] ?? []
        }
        if (part === 'base') expectClose(last, golden.expected.lastLogits)
        await session.release()
      }
    })
  }

  it('closes padding on the left off by the attention mask', async () => {
    const golden = await openGolden('qwen3')
    const { config } = golden.base.model
    const [file] = onnxModelFiles(baseWeights(golden.base.model))
    const session = await InferenceSession.create(joined(file?.pieces() ?? []))
    const [ids = []] = golden.expected.sequences
    const padded = [0, 0, ...ids]
    const integers = (values: readonly number[]) =>
      new Tensor('int64', BigInt64Array.from(values, BigInt), [1, values.length])
    const outputs = await session.run({
      ...emptyCache(config),
      input_ids: integers(padded),
      attention_mask: integers(padded.map((_, index) => (index < 2 ? 0 : 1))),
      position_ids: integers(padded.map((_, index) => Math.max(0, index - 2))),
    })
    const data = outputs['logits']?.data
    if (!(data instanceof Float32Array)) throw new Error('no logits')
    expectClose([...data.subarray(-config.vocabSize)], golden.expected.lastLogits)
    await session.release()
  })

  it('puts many weights into a file of their own, which the graph finds beside it', async () => {
    const golden = await openGolden('llama-tied')
    const weights = mergeAdapter(baseWeights(golden.base.model), golden.adapter)
    const files = onnxModelFiles(weights, 0)
    expect(files.map((file) => file.name)).to.deep.equal(['model.onnx', 'model.onnx_data'])
    const folder = await mkdtemp(join(tmpdir(), 'svc-onnx-'))
    try {
      for (const file of files) {
        const bytes = joined(file.pieces())
        expect(bytes.length).to.equal(file.sizeBytes)
        await writeFile(join(folder, file.name), bytes)
      }
      const session = await InferenceSession.create(join(folder, 'model.onnx'))
      const [ids = []] = golden.expected.sequences
      const { logits } = await step(session, ids, 0, emptyCache(golden.base.model.config))
      expectClose(logProbs(logits, ids), golden.expected.adapterLogProbs[0])
      await session.release()
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
