import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { hashJson } from '../../../../core/kernel/json/json.ts'
import { givenApiTenant, useApi, type Answer, type ApiTenant } from '../../../support/api.ts'
import { startProvider, type ProviderServer } from '../../../support/providers/server.ts'
import { runCli } from '../../../support/cli/run-cli.ts'
import { useService } from '../../../support/workflows/service.ts'
import { eventually } from '../../../support/wire/eventually.ts'

const PROVIDERS = { openai: 'chat-completions', anthropic: 'messages' } as const
const NOTE = 'Parcels to islands take eleven days.'

describe('documents and the models of providers', () => {
  const servers = new Map<string, ProviderServer>()
  const refusals: number[] = []
  before(async () => {
    for (const [id, dialect] of Object.entries(PROVIDERS)) {
      servers.set(
        id,
        await startProvider(dialect, () => ({ texts: ['11'], usage: { input: 10, output: 1 } }), refusals),
      )
    }
  })
  const service = useService()
  const api = useApi({
    stores: () => ({
      database: service.database,
      temporal: { address: service.temporalAddress, namespace: service.temporal.namespace },
    }),
    settings: {
      get upstreams() {
        return Object.fromEntries(
          [...servers].map(([id, { baseUrl, apiKey }]) => [id, { baseUrl: baseUrl.replace(/\/v1$/, ''), apiKey }]),
        )
      },
    },
  })
  const hasty = useApi({
    stores: () => ({
      database: service.database,
      temporal: { address: service.temporalAddress, namespace: service.temporal.namespace },
    }),
    limits: { sync_index_wait_s: 0.001 },
  })
  let tenant: ApiTenant
  before(async () => {
    tenant = await givenApiTenant(api)
  })
  after(async () => {
    for (const server of servers.values()) await server.close()
  })

  const post = async (path: string, body: object, key = tenant.key): Promise<Answer> =>
    await api.call('POST', path, { key, body })
  const upload = async (
    fields: Readonly<Record<string, string>>,
    files: Readonly<Record<string, string>>,
    by: Pick<typeof api, 'call'> = api,
  ) => {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.append(name, value)
    for (const [name, content] of Object.entries(files)) form.append('file', new Blob([content]), name)
    return await by.call('POST', '/v1/embed', { key: tenant.key, raw: form })
  }
  const bodiesOf = (id: string): readonly string[] => servers.get(id)?.bodies ?? []
  const keyWith = async (...scopes: readonly string[]): Promise<string> =>
    (await post('/v1/account/scoped-keys', { label: scopes.join(), scopes })).body.api_key

  const verifyAnswerFile = async (answer: unknown) => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-grounded-'))
    try {
      await writeFile(join(folder, 'answer.json'), JSON.stringify(answer))
      const keys = (await api.call('GET', '/.well-known/jwks.json')).body
      await writeFile(join(folder, 'jwks.json'), JSON.stringify(keys))
      return await runCli(['verify', 'answer.json', '--jwks', 'jwks.json'], { folder, profileDir: folder })
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }

  it('takes vectors of a provider through the gateway, and embeds the query there too', async () => {
    const { body, text } = await upload(
      { namespace: 'parcels', embedding_model: 'text-embedding-3-small' },
      { 'islands.txt': NOTE, 'fees.txt': 'Returns are free.' },
    )
    expect(body, text).to.include({ embedding_model: 'openai:text-embedding-3-small', vectors: null, indexed: 2 })
    const found = await post('/v1/recall', { namespace: 'parcels', query: 'island parcel', k: 5 })
    expect(found.body.retrieval).to.deep.include({
      method: 'hybrid',
      vectors: { model: 'openai:text-embedding-3-small', search: 'brute_force', chunks: 2 },
    })
    const [best] = found.body.chunks
    expect(best).to.include({ path: 'islands.txt' })
    expect(best.vector.similarity).to.be.closeTo(1, 1e-6)
    const sent = bodiesOf('openai').map((raw) => JSON.parse(raw))
    expect(sent.map(({ input }) => input.length)).to.deep.equal([2, 1])
    // Each is a call of the gateway; the texts are those of documents, so no capture keeps them a second time.
    await eventually(async () => {
      const { body: list } = await api.call('GET', '/v1/captures/list', { key: tenant.key })
      const kept = list.captures.map(({ kind, prompt_preview }: Record<string, unknown>) => [kind, prompt_preview])
      expect(kept).to.deep.equal([
        ['embeddings', null],
        ['embeddings', null],
      ])
    })
  })

  it('says that vectors are missing until the provider gave them, and goes on with a repeated call', async () => {
    const files = { 'hours.txt': 'The shop opens at nine.' }
    const fields = { namespace: 'hours', embedding_model: 'text-embedding-3-small' }
    refusals.push(400)
    const { body, text } = await upload(fields, files)
    expect(body, text).to.include({ state: 'succeeded', embedding_model: null, chunks_without_vectors: 1 })
    expect(body.vectors).to.include('send the call again')
    const poll = await api.call('GET', body.poll, { key: tenant.key })
    expect(poll.body).to.include({ embedding_model: null, chunks_without_vectors: 1, vectors: body.vectors })
    const begun = await upload(fields, { 'late.txt': 'It closes at six.' }, hasty)
    expect(begun.status, begun.text).to.equal(202)
    expect(begun.body.vectors).to.include('not given all vectors yet')
    expect((await upload(fields, files)).body).to.include({
      embedding_model: 'openai:text-embedding-3-small',
      vectors: null,
      chunks_without_vectors: null,
    })
  })

  it('is embedded to its end by the CLI', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-embedded-'))
    await writeFile(join(folder, 'gift.txt'), 'Gift cards never expire.')
    refusals.push(400)
    const run = await runCli(['embed', 'gift.txt', '-n', 'gifts', '--model', 'text-embedding-3-small'], {
      folder,
      profileDir: folder,
      env: { SVC_URL: api.url, SVC_API_KEY: tenant.key },
    })
    expect(run.stdout, run.stderr).to.include('1 indexed, 0 unchanged, 0 not read\nvectors: openai:text-embedding')
    await rm(folder, { recursive: true })
  })

  it('asks no provider for a key that may not call models', async () => {
    const key = await keyWith('documents:read', 'documents:write')
    const calls = bodiesOf('openai').length
    const refused = await post(
      '/v1/embed',
      { namespace: 'parcels', paths: ['/a'], embedding_model: 'text-embedding-3-small' },
      key,
    )
    expect([refused.status, refused.body.code]).to.deep.equal([403, 'insufficient_scope'])
    const found = await post('/v1/recall', { namespace: 'parcels', query: 'island' }, key)
    expect(found.body.retrieval).to.include({ method: 'lexical' })
    expect(found.body.n).to.equal(1)
    expect(bodiesOf('openai').length).to.equal(calls)
    const unknown = await upload({ namespace: 'parcels', embedding_model: 'no-such' }, { 'a.txt': 'a' })
    expect([unknown.status, unknown.body.code]).to.deep.equal([400, 'unknown_model'])
  })

  it('grounds a verified answer in the documents of its namespace', async () => {
    await upload({ namespace: 'facts' }, { 'islands.txt': NOTE })
    const ask = async (more: object, key = tenant.key) =>
      await post(
        '/v1/wrap/verified',
        {
          model: 'claude-haiku-4-5',
          system: 'Be brief.',
          messages: [{ role: 'user', content: 'How many days do parcels to islands take?' }],
          verified: { k: 1, test_cases: [{ input: 'islands', expected: 11 }] },
          ...more,
        },
        key,
      )
    const grounded = await ask({ corpus_namespace: 'facts' })
    expect(grounded.body._svc, grounded.text).to.include({ verified: true, recall_chunks: 1 })
    const recalled = await post('/v1/recall', { namespace: 'facts', query: 'days parcels islands' })
    const passages = recalled.body.chunks.map(({ path, snippet }: { path: string; snippet: string }) =>
      hashJson({ path, text: snippet }),
    )
    expect(grounded.body._svc.receipt.passages_hashes).to.deep.equal(passages)
    const checked = await verifyAnswerFile(grounded.body)
    expect([checked.code, checked.stdout], checked.stderr).to.satisfy(
      ([code, text]: [number, string]) => code === 0 && text.includes(`passage 1 ${passages[0]}`),
    )
    const forged = structuredClone(grounded.body)
    forged._svc.receipt.passages_hashes = []
    expect((await verifyAnswerFile(forged)).code).to.equal(1)
    const retold = structuredClone(grounded.body)
    retold.content[0].text = '12'
    const refused = await verifyAnswerFile(retold)
    expect([refused.code, refused.stdout], refused.stderr).to.satisfy(
      ([code, text]: [number, string]) => code === 1 && text.includes('the receipt binds another content'),
    )
    const last = bodiesOf('anthropic').at(-1) ?? ''
    expect(last).to.include(NOTE).and.include('Be brief.')
    const free = await ask({})
    expect(free.body._svc).to.include({ recall_chunks: 0 })
    expect(free.body._svc.receipt.passages_hashes).to.deep.equal([])
    const blind = await ask({ corpus_namespace: 'facts' }, await keyWith('gateway:call'))
    expect(blind.body._svc, blind.text).to.include({ recall_chunks: 0 })
    expect(bodiesOf('anthropic').at(-1)).to.not.include(NOTE)
  })
})
