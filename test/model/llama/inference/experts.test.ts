import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { ADAPTER_FILES, readAdapter } from '../../../../core/model/files/adapter-files.ts'
import { openBaseModel } from '../../../../core/model/files/base-model.ts'
import type { BaseModel } from '../../../../core/model/files/base-model.ts'
import { openOfflineGenerator } from '../../../../core/model/generation/offline-generator.ts'
import { logSumExp } from '../../../../core/model/generation/sampling.ts'
import { CachedModel } from '../../../../core/model/llama/inference/cached-model.ts'
import type { RowExperts } from '../../../../core/model/llama/inference/row-tokens.ts'
import { createTrainingEngine } from '../../../../core/model/llama/engine/training-engine.ts'

const folder = join(import.meta.dirname, '../../golden/qwen3-moe')

interface Values {
  readonly logProbs: readonly (readonly number[])[]
  /** By sequence, layer and token. */
  readonly routerLogits: readonly (readonly (readonly (readonly number[])[])[])[]
}

interface Expected extends Values {
  readonly sequences: readonly (readonly number[])[]
  readonly plain: Values
}

const worst = (actual: readonly number[], expected: readonly number[]): number =>
  expected.reduce((most, value, index) => Math.max(most, Math.abs(value - (actual[index] ?? Number.NaN))), 0)

describe('a mixture of experts', () => {
  let base: Awaited<ReturnType<typeof openBaseModel>>
  let expected: Expected
  before(async () => {
    base = await openBaseModel(folder)
    expected = JSON.parse(await readFile(join(folder, 'expected.json'), 'utf8'))
  })

  /** Reads all sequences as one batch of rows of different lengths. */
  async function readAll(model: Pick<BaseModel, 'config' | 'weights'>, sequences: readonly (readonly number[])[]) {
    const cached = new CachedModel(model, 1)
    const routed = sequences.map(() => new Map<number, number[]>())
    try {
      for (const _ of sequences) cached.cache.addRow()
      const logits = await cached.read(
        0,
        sequences.map((ids, row) => {
          const experts: RowExperts = {
            masked: new Map(),
            onRouted: (layer, values) => routed[row]?.set(layer, [...values]),
          }
          return { ids, adapter: null, logitsAt: [...ids.keys()], experts }
        }),
      )
      let at = 0
      const logProbs = sequences.map((ids) => {
        const own = logits.slice(at, at + ids.length)
        at += ids.length
        return ids.slice(1).map((id, index) => {
          const values = own[index] ?? new Float32Array()
          return (values[id] ?? Number.NaN) - logSumExp(values)
        })
      })
      return { logProbs, routed }
    } finally {
      await cached.close()
    }
  }

  it('routes as transformers does, token by token, and gives the same tokens the same probabilities', async () => {
    const { experts } = base.model.config
    expect(experts).to.deep.include({ count: 6, perToken: 2, normalizesShares: true, layers: [0, 1] })
    if (experts === undefined) throw new Error('the base has no experts')
    const plain = { ...base.model.config, experts: { ...experts, normalizesShares: false } }
    const cases = [
      { config: base.model.config, values: expected },
      { config: plain, values: expected.plain },
    ]
    for (const { config, values } of cases) {
      const found = await readAll({ config, weights: base.model.weights }, expected.sequences)
      for (const [row, layers] of values.routerLogits.entries()) {
        for (const [layer, tokens] of layers.entries()) {
          expect(worst(found.routed[row]?.get(layer) ?? [], tokens.flat()), `row ${row} layer ${layer}`).to.be.below(
            1e-4,
          )
        }
        expect(worst(found.logProbs[row] ?? [], values.logProbs[row] ?? [])).to.be.below(1e-4)
      }
    }
  })

  it('counts the experts of each token of an answer, and never asks a masked one', async () => {
    const files = await Promise.all(
      ADAPTER_FILES.map(async (name) => [name, await readFile(join(folder, 'adapter', name))] as const),
    )
    const adapter = { hash: 'tiny', adapter: readAdapter(new Map(files), base.model.config) }
    const generator = openOfflineGenerator(base.model, base.tokenizer, { threads: 1 })
    try {
      const ask = async (masked: readonly number[]) =>
        await generator.generate({
          promptIds: expected.sequences[1] ?? [],
          adapter,
          options: { maxNewTokens: 4, experts: { masked: [0, 1].map((layer) => ({ layer, experts: masked })) } },
        })
      const whole = await ask([])
      const sums = whole.experts?.map(({ counts }) => counts.reduce((sum, count) => sum + (count ?? 0), 0))
      // The last token of an answer is not read: nothing comes after it.
      expect(sums).to.deep.equal([0, 1].map(() => (whole.promptTokens + whole.ids.length - 1) * 2))
      const pruned = await ask([0, 3])
      for (const { counts } of pruned.experts ?? []) expect([counts[0] ?? 0, counts[3] ?? 0]).to.deep.equal([0, 0])
      const unasked = await generator.generate({ promptIds: [5, 6], options: { maxNewTokens: 1 } })
      expect(unasked.experts).to.equal(undefined)
    } finally {
      await generator.close()
    }
  })

  it('is not trained here, and says so', () => {
    const { config, weights } = base.model
    const train = () => createTrainingEngine({ config, weights, trainable: { mode: 'full' }, threads: 1 })
    expect(train).to.throw('a mixture of experts').with.property('code', 'unsupported_architecture')
  })
})
