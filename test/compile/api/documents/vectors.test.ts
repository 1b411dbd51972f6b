import { mkdtempSync } from 'node:fs'
import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { EmbeddingModel } from '../../../../core/model/embedding/embedding-model.ts'
import { DEFAULT_LIMITS, type Limits } from '../../../../core/limits.ts'
import { openRecall } from '../../../../db/compile/documents/recall/recall.ts'
import { goldenFolder } from '../../../model/files/base-folder.ts'
import { givenApiTenant, useApi, type Answer, type ApiTenant } from '../../../support/api.ts'
import { sendSql } from '../../../support/db/send-sql.ts'
import { setUpOperation } from '../../../support/people/given-members.ts'
import { eventually } from '../../../support/wire/eventually.ts'
import { recordHistory } from '../../../support/workflows/histories.ts'
import { useService } from '../../../support/workflows/service.ts'

const TEXTS = {
  'late.txt': 'A late delivery is refunded after five days.',
  'fees.txt': 'No fee is taken for the first return of a parcel.',
  'hours.txt': 'The shop opens at nine and closes at six.',
}

describe('vectors of documents', () => {
  const bases = mkdtempSync(join(tmpdir(), 'svc-embedding-bases-'))
  const service = useService({ baseFolders: [bases] })
  const api = useApi({
    stores: () => ({
      database: service.database,
      temporal: { address: service.temporalAddress, namespace: service.temporal.namespace },
    }),
    settings: { baseFolders: [bases] },
  })
  let tenant: ApiTenant
  const folder = join(bases, 'small-embedding')
  before(async () => {
    tenant = await givenApiTenant(api)
  })
  after(async () => await rm(bases, { recursive: true }))

  const recall = async (query: string, k = 3): Promise<Answer> =>
    await api.call('POST', '/v1/recall', { key: tenant.key, body: { namespace: 'support', query, k } })
  const upload = async (files: Readonly<Record<string, string>>): Promise<Answer> => {
    const form = new FormData()
    form.append('namespace', 'support')
    for (const [name, content] of Object.entries(files)) form.append('file', new Blob([content]), name)
    return await api.call('POST', '/v1/embed', { key: tenant.key, raw: form })
  }

  it('says that words alone are compared where no model is installed', async () => {
    const { body, text } = await upload(TEXTS)
    expect(body, text).to.include({
      state: 'succeeded',
      embedding_model: null,
      vectors: 'no model of embeddings is installed: words alone are compared',
    })
    const { retrieval } = (await recall('late delivery')).body
    expect(retrieval).to.include({
      method: 'lexical',
      vectors: null,
      note: 'no model of embeddings is installed: words alone were compared',
    })
  })

  it('gives unchanged files vectors once a model is there, and joins both rankings', async () => {
    await cp(goldenFolder('qwen3-embedding'), folder, { recursive: true })
    const { body, text } = await upload(TEXTS)
    expect(body, text).to.include({ indexed: 0, skipped: 3, vectors: null })
    expect(body.embedding_model).to.match(/^small-embedding@sha256:[0-9a-f]{64}$/)
    await recordHistory(service.temporal, 'index-embedded', body.index_id)

    const query = 'late delivery'
    const found = (await recall(query)).body
    expect(found.retrieval).to.deep.include({
      method: 'hybrid',
      fusion: 'reciprocal_rank',
      vectors: { model: body.embedding_model, search: 'brute_force', chunks: 3 },
      note: null,
    })
    const model = await EmbeddingModel.open(folder, 1)
    const vectors = await model.embed([`Find:${query}`, ...Object.values(TEXTS)])
    await model.close()
    const similarity = (at: number): number =>
      Array.from({ length: 32 }, (_, i) => (vectors[i] ?? 0) * (vectors[at * 32 + i] ?? 0)).reduce((a, b) => a + b)
    const expected = new Map(Object.keys(TEXTS).map((path, at) => [path, similarity(at + 1)]))
    const ranks = [...expected].toSorted(([, a], [, b]) => b - a).map(([path]) => path)
    expect(found.n).to.equal(3)
    for (const { path, score, lexical, vector } of found.chunks) {
      expect(vector.similarity).to.be.closeTo(expected.get(path) ?? 0, 1e-4)
      expect(vector.rank).to.equal(ranks.indexOf(path) + 1)
      expect(score).to.be.closeTo(1 / (60 + vector.rank) + (lexical === null ? 0 : 1 / (60 + lexical.rank)), 1e-12)
    }
    expect(found.chunks.filter(({ lexical }: { lexical: unknown }) => lexical !== null)).to.have.length(1)
  })

  it('searches a graph of more chunks than are compared one by one, and no vectors beyond their memory', async () => {
    const op = setUpOperation(service.database.db, tenant.id)
    const openWith = (limits: Partial<Limits>) =>
      openRecall({ ...service.deps, limits: { ...DEFAULT_LIMITS, ...limits } })
    const question = { namespace: 'support', query: 'late delivery', k: 3 }
    const graph = openWith({ recall_brute_force_chunks: 2 })
    await eventually(async () => {
      expect((await graph.find(op, question)).vectors).to.deep.include({ search: 'approximate', chunks: 3 })
    })
    await graph.close()
    const small = openWith({ recall_vector_bytes: 100 })
    const { vectors } = await small.find(op, question)
    expect(vectors.note).to.contain('take more memory than the server gives them')
    await small.close()
  })

  it('finds new documents, and no deleted ones', async () => {
    await upload({ 'gift.txt': 'Gift cards never expire.' })
    const all = (await recall('cards', 10)).body
    expect(all.retrieval.vectors.chunks).to.equal(4)
    const gift = all.chunks.find(({ path }: { path: string }) => path === 'gift.txt')
    await api.call('DELETE', `/v1/documents/${gift.document_id}`, { key: tenant.key })
    const rest = (await recall('cards', 10)).body
    expect(rest.chunks.map(({ path }: { path: string }) => path)).to.have.members(Object.keys(TEXTS))
  })

  it('embeds a whole namespace again when the model is another', async () => {
    const before = (await recall('late delivery')).body.retrieval.vectors.model
    const weights = join(folder, 'model.safetensors')
    const bytes = await readFile(weights)
    bytes.writeFloatLE(0.5, bytes.length - 4)
    await writeFile(weights, bytes)
    const between = (await recall('late delivery')).body.retrieval
    expect(between.method).to.equal('lexical')
    expect(between.note).to.contain('is not installed')
    const { body } = await upload({ 'late.txt': TEXTS['late.txt'] })
    expect(body).to.include({ skipped: 1 })
    const after = (await recall('late delivery')).body.retrieval.vectors
    expect(after).to.include({ model: body.embedding_model, chunks: 3 })
    expect(after.model).to.not.equal(before)
  })

  it('goes on behind the last stored vectors', async () => {
    const { db } = service.database
    const count = async (): Promise<number> =>
      Number((await sendSql<{ count: string }>(db, 'select count(*) from document_vectors', []))[0]?.count)
    await sendSql(
      db,
      `delete from document_vectors where document_id in (select id from documents where path = 'fees.txt')`,
      [],
    )
    await sendSql(db, `update documents set embedding_model = null where path = 'fees.txt'`, [])
    expect(await count()).to.equal(2)
    expect((await recall('fee')).body.retrieval.note).to.contain('some chunks have no vectors')
    await upload({ 'late.txt': TEXTS['late.txt'] })
    expect(await count()).to.equal(3)
    expect((await recall('fee')).body.retrieval.vectors.chunks).to.equal(3)
  })

  it('keeps the words where the model cannot be read', async () => {
    await writeFile(join(folder, 'model.safetensors'), 'no weights')
    const { body } = await upload({ 'new.txt': 'Parcels are insured.' })
    expect(body).to.include({ state: 'succeeded', indexed: 1 })
    expect(body.vectors).to.contain('invalid_model')
    const found = (await recall('insured')).body
    expect(found.retrieval.method).to.equal('lexical')
    expect(found.n).to.equal(1)
  })
})
