import { cp, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { openEmbedder } from '../../../core/model/embedding/embedder.ts'
import { findEmbeddingFolder } from '../../../core/model/embedding/embedding-folder.ts'
import { EmbeddingModel } from '../../../core/model/embedding/embedding-model.ts'

const GOLDEN = join(import.meta.dirname, '../golden')
const FOLDER = join(GOLDEN, 'qwen3-embedding')

interface Expected {
  readonly rows: readonly { readonly text: string; readonly vector: readonly number[] }[]
}

describe('a model of embeddings', () => {
  it('gives the vectors that transformers gives', async () => {
    const { rows }: Expected = JSON.parse(await readFile(join(FOLDER, 'expected.json'), 'utf8'))
    const model = await EmbeddingModel.open(FOLDER, 1)
    const vectors = await model.embed(rows.map(({ text }) => text))
    await model.close()
    for (const [at, { text, vector }] of rows.entries()) {
      const own = vectors.subarray(at * model.dimensions, (at + 1) * model.dimensions)
      const worst = Math.max(...vector.map((value, i) => Math.abs(value - (own[i] ?? NaN))))
      expect(worst, text).to.be.below(1e-5)
    }
  })

  it('cuts a text that is longer than its context and keeps the token that ends it', async () => {
    const model = await EmbeddingModel.open(FOLDER, 1)
    const long = await model.embed([`${'ab '.repeat(600)}end`, `${'ab '.repeat(600)}other`])
    await model.close()
    expect([...long.subarray(0, 32)]).to.deep.equal([...long.subarray(32)])
  })

  it('is found by its pooling, and bases without one are none', async () => {
    const found = await findEmbeddingFolder([GOLDEN])
    expect(found).to.include({ name: 'qwen3-embedding', queryPrompt: 'Find:' })
    const folder = await mkdtemp(join(tmpdir(), 'svc-embedding-'))
    await cp(FOLDER, join(folder, 'model'), { recursive: true })
    await writeFile(join(folder, 'model/1_Pooling/config.json'), '{"pooling_mode_mean_tokens": true}')
    expect(await findEmbeddingFolder([folder])).to.equal(null)
    await writeFile(join(folder, 'model/modules.json'), '[{"type": "x.Pooling", "path": "../secret"}]')
    expect(await findEmbeddingFolder([folder])).to.equal(null)
    await rm(folder, { recursive: true })
  })

  it('puts its prompt before queries alone, and is read again when its files change', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-embedding-'))
    await cp(FOLDER, join(folder, 'model'), { recursive: true })
    const embedder = openEmbedder({ folders: [folder], threads: 1, idleCloseMs: 60_000 })
    const embed = async (as: 'query' | 'document', text: string) => await embedder.embed({ as, texts: [text] })
    const query = await embed('query', 'late parcel')
    expect(query?.model).to.match(/^model@sha256:[0-9a-f]{64}$/)
    expect(query?.vectors).to.deep.equal((await embed('document', 'Find:late parcel'))?.vectors)
    expect(query?.vectors).to.not.deep.equal((await embed('document', 'late parcel'))?.vectors)
    const weights = join(folder, 'model/model.safetensors')
    const bytes = await readFile(weights)
    bytes.writeFloatLE(0.5, bytes.length - 4)
    await writeFile(weights, bytes)
    await utimes(weights, new Date(), new Date(Date.now() + 60_000))
    expect((await embed('query', 'late parcel'))?.model).to.not.equal(query?.model)
    await embedder.close()
    await rm(folder, { recursive: true })
  })
})
