import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { ADAPTER_FILES, readAdapter } from '../../../../core/model/files/adapter-files.ts'
import { openBaseModel } from '../../../../core/model/files/base-model.ts'
import { logSumExp } from '../../../../core/model/generation/sampling.ts'
import { prepareAdapter, type PreparedAdapter } from '../../../../core/model/llama/inference/adapter-rows.ts'
import { CachedModel } from '../../../../core/model/llama/inference/cached-model.ts'
import { tinyAdapter, tinyBase } from '../../generation/tiny-base.ts'

const GOLDEN = new URL('../../golden/', import.meta.url)

interface Expected {
  readonly sequences: readonly (readonly number[])[]
  readonly logProbs: readonly (readonly number[])[]
  readonly adapterLogProbs: readonly (readonly number[])[]
}

/** Log-probabilities of a sequence that is read in pieces. */
async function readInPieces(
  model: CachedModel,
  ids: readonly number[],
  adapter: PreparedAdapter | null,
  piece: number,
): Promise<readonly number[]> {
  const found: number[] = []
  model.cache.addRow()
  for (let start = 0; start < ids.length; start += piece) {
    const part = ids.slice(start, start + piece)
    const logits = await model.read(0, [{ ids: part, adapter, logitsAt: [...part.keys()] }])
    for (const [index, values] of logits.entries()) {
      const next = ids[start + index + 1]
      if (next !== undefined) found.push((values[next] ?? Number.NaN) - logSumExp(values))
    }
  }
  model.cache.removeRow(0)
  return found
}

describe('CachedModel', () => {
  for (const name of ['llama-tied', 'llama-untied', 'qwen2', 'qwen3']) {
    it(`gives the log-probabilities of transformers and PEFT for ${name}, however the tokens are read`, async () => {
      const folder = new URL(`${name}/`, GOLDEN)
      const { model: base } = await openBaseModel(folder.pathname)
      const expected: Expected = JSON.parse(await readFile(new URL('expected.json', folder), 'utf8'))
      const files = new Map<string, Uint8Array>()
      for (const file of ADAPTER_FILES) files.set(file, await readFile(join(folder.pathname, 'adapter', file)))
      const adapter = prepareAdapter(base.config, readAdapter(files, base.config))
      const model = new CachedModel(base, 1)
      for (const [index, ids] of expected.sequences.entries()) {
        for (const piece of [ids.length, 3, 1]) {
          expectClose(await readInPieces(model, ids, null, piece), expected.logProbs[index])
          expectClose(await readInPieces(model, ids, adapter, piece), expected.adapterLogProbs[index])
        }
      }
      await model.close()
    })
  }

  it('computes each row as if it were alone, with ranks and lengths of its own', async () => {
    const base = tinyBase({ kvHeads: 2, heads: 4 })
    const model = new CachedModel(base, 1)
    const adapters = [
      null,
      prepareAdapter(base.config, tinyAdapter(base.config, 1, 2)),
      prepareAdapter(base.config, tinyAdapter(base.config, 2, 16)),
    ]
    const prompts = [[5, 6, 7, 8, 9], [10], [11, 12, 13]]
    const steps = [20, 21]
    const alone: Float32Array[] = []
    for (const [index, ids] of prompts.entries()) {
      model.cache.addRow()
      const adapter = adapters[index] ?? null
      alone.push(...(await model.read(0, [{ ids: [...ids, ...steps], adapter, logitsAt: [ids.length + 1] }])))
      model.cache.removeRow(0)
    }
    for (const _ of prompts) model.cache.addRow()
    const rows = (idsOf: (index: number) => readonly number[]) =>
      prompts.map((_, index) => ({
        ids: idsOf(index),
        adapter: adapters[index] ?? null,
        logitsAt: [idsOf(index).length - 1],
      }))
    await model.read(
      0,
      rows((index) => prompts[index] ?? []),
    )
    await model.read(
      0,
      rows(() => steps.slice(0, 1)),
    )
    const together = await model.read(
      0,
      rows(() => steps.slice(1)),
    )
    for (const [index, logits] of together.entries()) expectClose(logits, alone[index])
    await model.close()
  })

  it('keeps the rows that stay when one leaves', async () => {
    const base = tinyBase()
    const model = new CachedModel(base, 1)
    const read = async (row: number, ids: readonly number[]): Promise<Float32Array | undefined> =>
      (await model.read(row, [{ ids, adapter: null, logitsAt: [ids.length - 1] }]))[0]
    model.cache.addRow()
    const expected = await read(0, [9, 8, 7, 6])
    model.cache.removeRow(0)
    for (const ids of [[3], [4, 5], [9, 8, 7]]) {
      model.cache.addRow()
      await read(model.cache.lengths.length - 1, ids)
    }
    model.cache.removeRow(0)
    expect(model.cache.lengths).to.deep.equal([3, 2])
    expectClose((await read(0, [6])) ?? [], expected)
    await model.close()
  })
})

function expectClose(found: ArrayLike<number>, expected: ArrayLike<number> | undefined): void {
  expect(found.length).to.equal(expected?.length)
  for (let index = 0; index < found.length; index++) expect(found[index]).to.be.closeTo(expected?.[index] ?? 0, 1e-4)
}
