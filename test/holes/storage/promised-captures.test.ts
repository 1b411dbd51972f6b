import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { startProvider, type ProviderServer } from '../../support/providers/server.ts'
import { givenApiTenant, NO_TEMPORAL, useApi, type ApiTenant, type TestApi } from '../../support/api.ts'
import { givenPlan } from '../../support/people/given-members.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { sendSql } from '../../support/db/send-sql.ts'
import { eventually } from '../../support/wire/eventually.ts'

const ALLOWANCE = 2 * 1024 * 1024
/** Three contents of this many characters fit: each is a prompt and a body. */
const LARGE = 300_000
/** A content that is stored in a row. */
const SMALL = 20_000

describe('the room of captures', () => {
  let provider: ProviderServer
  let open: () => void = () => undefined
  let opened: Promise<void> = Promise.resolve()
  before(async () => {
    provider = await startProvider('chat-completions', async () => {
      await opened
      return { texts: ['Four.'] }
    })
  })
  afterEach(() => open())
  after(async () => await provider.close())
  const database = useDatabase()
  const server = (name: string): TestApi =>
    useApi({
      stores: () => ({ database, temporal: NO_TEMPORAL }),
      limits: { stored_bytes_starter: ALLOWANCE },
      settings: {
        storage: {
          spoolDir: join(tmpdir(), `svc-test-spool-promised-${name}`),
          captureDir: join(tmpdir(), `svc-test-spool-promised-${name}`),
          databaseBytes: 1e12,
        },
        get upstreams() {
          return { openai: { baseUrl: provider.baseUrl.replace(/\/v1$/, ''), apiKey: provider.apiKey } }
        },
      },
    })
  const [one, other] = [server('one'), server('other')]
  const givenStarter = async (durable: string): Promise<ApiTenant> => {
    const tenant = await givenApiTenant(one)
    await givenPlan(database.db, tenant.id, 'starter')
    const put = await one.call('PUT', '/v1/gateway/namespaces/default', { key: tenant.key, body: { durable } })
    expect(put.status, put.text).to.equal(200)
    return tenant
  }
  let turn = 0
  const textOf = (chars: number): string => `${++turn} `.padEnd(chars, `of call ${turn}, `)
  const ask = async (api: TestApi, key: string, chars: number, model = 'gpt-4o-mini') =>
    await api.call('POST', '/v1/chat/completions', {
      key,
      body: { model, messages: [{ role: 'user', content: textOf(chars) }] },
    })
  /** Bytes that the tenant stores and holds, and its count. */
  const stored = async (tenantId: string) => {
    const [row] = await sendSql<{ blobs: number; inline: number; counted: number; held: number }>(
      database.db,
      `select (select coalesce(sum(b.size_bytes), 0)::float8 from capture_contents x join blobs b on b.sha256 = x.blob_sha256
           where x.tenant_id = $1) as blobs,
         (select coalesce(sum(octet_length(prompt) + octet_length(body::text)), 0)::float8 from capture_contents
           where tenant_id = $1 and blob_sha256 is null) as inline,
         (select coalesce(sum(used_bytes), 0)::float8 from tenant_storage where tenant_id = $1) as counted,
         (select coalesce(sum(reserved_bytes), 0)::float8 from blob_uploads where tenant_id = $1) as held`,
      [tenantId],
    )
    return row ?? { blobs: 0, inline: 0, counted: 0, held: 0 }
  }

  it('is held for promised captures of calls under way on all servers', async () => {
    const { id, key } = await givenStarter('before_answer')
    ;({ promise: opened, resolve: open } = Promise.withResolvers<void>())
    const statuses: number[] = []
    const calls = [one, other, one, other, one, other].map(async (api) => {
      const answer = await ask(api, key, LARGE)
      statuses.push(answer.status)
      if (answer.status === 402) expect(answer.body.code).to.equal('storage_allowance_used')
    })
    await eventually(async () => {
      expect(statuses).to.deep.equal([402, 402, 402])
      expect(provider.calls.length).to.equal(3)
    })
    expect((await stored(id)).held).to.be.within(6 * LARGE, ALLOWANCE)
    open()
    await Promise.all(calls)
    expect(statuses).to.deep.equal([402, 402, 402, 200, 200, 200])
    await eventually(async () => {
      const { blobs, counted, held } = await stored(id)
      expect(blobs).to.be.within(6 * LARGE, ALLOWANCE)
      expect({ counted, held }).to.deep.equal({ counted: blobs, held: 0 })
    })
  })

  it('comes back from calls that end before they are sent', async () => {
    const { id, key } = await givenStarter('before_answer')
    for (let i = 0; i < 5; i++) expect((await ask(one, key, LARGE, 'no-such-model')).status).to.equal(400)
    await eventually(async () => expect(await stored(id)).to.include({ counted: 0, held: 0 }))
    expect((await ask(one, key, LARGE)).status).to.equal(200)
  })

  it('counts contents in rows, and gets them back when they are forgotten', async () => {
    const { id, key } = await givenStarter('grouped')
    const ids: string[] = []
    const reasons: (string | null)[] = []
    for (let i = 0; i < 60; i++) {
      const answer = await ask(one, key, SMALL)
      expect(answer.status, answer.text).to.equal(200)
      ids.push(answer.headers.get('x-svc-capture-id') ?? '')
      reasons.push(answer.headers.get('x-svc-capture-left-out'))
    }
    expect(reasons.filter((reason) => reason === null).length).to.be.within(40, ALLOWANCE / (2 * SMALL))
    expect(reasons.at(-1)).to.equal('storage_allowance_used')
    await eventually(async () => {
      const committed = await sendSql(database.db, 'select 1 from captures where tenant_id = $1', [id])
      expect(committed.length).to.equal(ids.length)
      const { inline, counted } = await stored(id)
      expect(inline).to.be.within(40 * 2 * SMALL, ALLOWANCE)
      // With the names of the members, and the answer.
      expect(counted).to.be.within(inline, 1.05 * inline)
    })
    const refused = await logged(key, SMALL * 3)
    expect([refused.status, refused.body.code]).to.deep.equal([402, 'storage_allowance_used'])
    const gone = await one.call('POST', '/v1/captures/forget', { key, body: { confirm: true, capture_ids: ids } })
    expect(gone.status, gone.text).to.equal(200)
    // The count of the rows is made again for what does not fit.
    await eventually(async () => expect((await logged(key, SMALL * 3)).status).to.equal(201))
    expect((await stored(id)).counted).to.be.lessThan(10 * SMALL)
  }).timeout(180_000)

  const logged = async (key: string, chars: number) =>
    await one.call('POST', '/v1/capture/log', { key, body: { items: [{ input: textOf(chars), output: 'x' }] } })

  it('is not exceeded by logged calls that come at once', async () => {
    const { id, key } = await givenStarter('grouped')
    const answers = await Promise.all(Array.from({ length: 8 }, async () => await logged(key, LARGE)))
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b)
    expect(statuses).to.deep.equal([201, 201, 201, 402, 402, 402, 402, 402])
    const { blobs, counted, held } = await stored(id)
    expect(blobs).to.be.within(6 * LARGE, ALLOWANCE)
    expect({ counted, held }).to.deep.equal({ counted: blobs, held: 0 })
  })
})
