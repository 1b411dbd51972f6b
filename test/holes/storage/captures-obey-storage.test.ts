import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { divideStream } from '../../../core/gateway/record/receipts/carry-receipt.ts'
import { startProvider, type ProviderServer } from '../../support/providers/server.ts'
import { ADMIN_KEY, givenApiTenant, NO_TEMPORAL, useApi, type ApiTenant } from '../../support/api.ts'
import { givenPlan } from '../../support/people/given-members.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { sendSql } from '../../support/db/send-sql.ts'
import { eventually } from '../../support/wire/eventually.ts'

const MB = 1024 * 1024
const SPOOL = join(tmpdir(), 'svc-test-spool-captures')
const ALLOWANCE = 2 * MB
/** Beyond what a row of a capture holds itself. */
const LARGE = 300_000

describe('the storage of captures of calls', () => {
  let provider: ProviderServer
  let answerText = 'Four.'
  before(async () => {
    provider = await startProvider('chat-completions', () => ({ texts: [answerText] }))
  })
  after(async () => await provider.close())
  const database = useDatabase()
  let databaseBytes = 1e12
  const api = useApi({
    stores: () => ({ database, temporal: NO_TEMPORAL }),
    limits: { storage_check_s: 0.05, storage_reserve_bytes: 4 * MB, stored_bytes_starter: ALLOWANCE },
    settings: {
      storage: {
        spoolDir: SPOOL,
        captureDir: SPOOL,
        get databaseBytes() {
          return databaseBytes
        },
      },
      get upstreams() {
        return { openai: { baseUrl: provider.baseUrl.replace(/\/v1$/, ''), apiKey: provider.apiKey } }
      },
    },
  })
  const setRoom = async (bytes: number) => {
    databaseBytes = bytes
    while (api.server.services.storage.room().isLow !== (bytes === 1)) await sleep(20)
  }
  afterEach(async () => await setRoom(1e12))
  const givenStarter = async (): Promise<ApiTenant> => {
    const tenant = await givenApiTenant(api)
    await givenPlan(database.db, tenant.id, 'starter')
    return tenant
  }
  let turn = 0
  const textOf = (chars: number): string => `${++turn} `.padEnd(chars, `of call ${turn}, `)
  const ask = async (key: string, chars: number, headers: Record<string, string> = {}, more: object = {}) =>
    await api.call('POST', '/v1/chat/completions', {
      key,
      headers,
      body: { model: 'gpt-4o-mini', messages: [{ role: 'user', content: textOf(chars) }], ...more },
    })
  const inspected = async (key: string, id: string | null) => {
    const find = async () => await api.call('GET', `/v1/captures/${id}/inspect`, { key })
    await eventually(async () => expect((await find()).status).to.equal(200))
    return (await find()).body.capture
  }
  /** Bytes that captures of the tenant hold: blobs, and contents in rows. */
  const held = async (tenantId: string) => {
    const [row] = await sendSql<{ blobs: number; counted: number | null; inline: number }>(
      database.db,
      `select (select coalesce(sum(b.size_bytes), 0)::float8 from capture_contents x join blobs b on b.sha256 = x.blob_sha256
           where x.tenant_id = $1) as blobs,
         (select used_bytes::float8 from tenant_storage where tenant_id = $1) as counted,
         (select count(*)::float8 from capture_contents where tenant_id = $1 and blob_sha256 is null) as inline`,
      [tenantId],
    )
    return row ?? { blobs: 0, counted: null, inline: 0 }
  }
  const verified = async (key: string) => {
    const answer = await api.call('GET', '/v1/captures/verify', { key })
    return answer.body
  }

  it('ends with the allowance of the tenant: calls go on, and their captures keep facts, hashes and place', async () => {
    const { id, key } = await givenStarter()
    const kept: string[] = []
    const leftOut: string[] = []
    for (let i = 0; i < 10; i++) {
      const answer = await ask(key, LARGE)
      expect(answer.status, answer.text).to.equal(200)
      const captureId = answer.headers.get('x-svc-capture-id') ?? ''
      const reason = answer.headers.get('x-svc-capture-left-out')
      if (reason === null) kept.push(captureId)
      else {
        expect(reason).to.equal('storage_allowance_used')
        leftOut.push(captureId)
      }
      expect(answer.headers.get('x-svc-capture-durable')).to.equal('true')
    }
    // A content is its prompt and its body.
    expect(kept.length).to.equal(3)
    const whole = await inspected(key, kept[0] ?? '')
    expect(whole).to.include({ content_left_out: null })
    expect(whole.body.messages[0].content).to.have.length(LARGE)
    const bare = await inspected(key, leftOut.at(-1) ?? '')
    expect(bare).to.include({ content_left_out: 'storage_allowance_used', prompt: null, response: null, body: null })
    expect(bare.tokens.output).to.be.greaterThan(0)
    expect(bare.receipt).to.include({ capture_eligible: false, capture_id: bare.id, input_hash: bare.input_hash })
    const list = await api.call('GET', '/v1/captures/list', { key })
    const shown = list.body.captures.map((capture: { content_left_out: string | null }) => capture.content_left_out)
    expect(shown.filter((reason: string | null) => reason === 'storage_allowance_used')).to.have.length(7)
    expect(await verified(key)).to.include({ ok: true, chain_length: 10 })
    // A content that was stored cannot be taken away as one that was left out.
    const mark = async (reason: string | null) =>
      await sendSql(database.db, `update captures set content_left_out = $2 where id = $1`, [kept[0], reason])
    await mark('storage_full')
    expect(await verified(key)).to.include({ ok: false, reason: 'row_mismatch' })
    await mark(null)
    await eventually(async () => {
      const { blobs, counted } = await held(id)
      expect(blobs)
        .to.be.greaterThan(3 * 2 * LARGE)
        .and.to.be.at.most(ALLOWANCE)
      expect(counted).to.equal(blobs)
    })
    const metrics = await api.call('GET', '/metrics', { headers: { 'x-admin-key': ADMIN_KEY } })
    expect(metrics.text).to.match(/^svc_captures_left_out_total\{reason="storage_allowance_used"\} 7$/m)
    // What still fits is stored.
    const small = await ask(key, 100)
    expect(small.headers.has('x-svc-capture-left-out')).to.equal(false)
    expect((await inspected(key, small.headers.get('x-svc-capture-id'))).body.messages[0].content).to.have.length(100)
    // A larger plan stores again.
    await givenPlan(database.db, id, 'pro')
    await eventually(async () => {
      const again = await ask(key, LARGE)
      expect(again.headers.has('x-svc-capture-left-out')).to.equal(false)
    })
  }).timeout(180_000)

  it('ends below the reserve of the disk, small contents too, and begins again with room', async () => {
    const { id, key } = await givenStarter()
    await setRoom(1)
    for (const chars of [LARGE, 100]) {
      const answer = await ask(key, chars)
      expect(answer.status, answer.text).to.equal(200)
      expect(answer.headers.get('x-svc-capture-left-out')).to.equal('storage_full')
      expect(answer.headers.get('x-svc-capture-durable')).to.equal('true')
      const capture = await inspected(key, answer.headers.get('x-svc-capture-id'))
      expect(capture).to.include({ content_left_out: 'storage_full', prompt: null, body: null })
    }
    expect(await held(id)).to.include({ blobs: 0, inline: 0 })
    expect(await verified(key)).to.include({ ok: true, chain_length: 2 })
    await setRoom(1e12)
    const answer = await ask(key, 100)
    expect(answer.headers.has('x-svc-capture-left-out')).to.equal(false)
    expect((await inspected(key, answer.headers.get('x-svc-capture-id'))).body.messages[0].content).to.have.length(100)
  })

  it('shows in the headers of a stream, and in its end where the answer alone did not fit', async () => {
    const { id, key } = await givenStarter()
    const used = async (bytes: number) =>
      await sendSql(
        database.db,
        `insert into tenant_storage (tenant_id, used_bytes, counted_at) values ($1, $2, now())
         on conflict (tenant_id) do update set used_bytes = $2, counted_at = now()`,
        [id, bytes],
      )
    const stream = async (chars: number) => await ask(key, chars, {}, { stream: true })
    await used(ALLOWANCE - 200_000)
    const full = await stream(LARGE)
    expect(full.headers.get('x-svc-capture-left-out')).to.equal('storage_allowance_used')
    const kept = await stream(100)
    expect(kept.headers.has('x-svc-capture-left-out')).to.equal(false)
    answerText = 'Four. '.repeat(8000)
    const late = await stream(100)
    answerText = 'Four.'
    expect(late.headers.has('x-svc-capture-left-out')).to.equal(false)
    for (const [answer, reason] of [
      [full, 'storage_allowance_used'],
      [kept, null],
      [late, 'storage_allowance_used'],
    ] as const) {
      expect(answer.status, answer.text).to.equal(200)
      const [, end = ''] = answer.text.split('event: svc_receipt\ndata: ')
      expect(JSON.parse(end).svc_receipt.capture_left_out ?? null).to.equal(reason)
      expect(divideStream(answer.bytes)).not.to.equal(null)
      expect(await inspected(key, answer.headers.get('x-svc-capture-id'))).to.include({ content_left_out: reason })
    }
  })

  it('refuses calls whose capture must be stored before their answer, before the provider is asked', async () => {
    const { id, key } = await givenStarter()
    const put = await api.call('PUT', '/v1/gateway/namespaces/default', { key, body: { durable: 'before_answer' } })
    expect(put.status, put.text).to.equal(200)
    expect((await ask(key, LARGE)).status).to.equal(200)
    await sendSql(database.db, `update tenant_storage set used_bytes = $2, counted_at = now() where tenant_id = $1`, [
      id,
      ALLOWANCE,
    ])
    await eventually(async () => {
      const refused = await ask(key, LARGE)
      expect([refused.status, refused.body.code], refused.text).to.deep.equal([402, 'storage_allowance_used'])
    })
    const before = provider.calls.length
    expect((await ask(key, LARGE)).status).to.equal(402)
    await setRoom(1)
    const full = await ask(key, 100)
    expect([full.status, full.body.code], full.text).to.deep.equal([507, 'storage_full'])
    expect(provider.calls.length).to.equal(before)
    // Of a call that keeps nothing there is nothing to store.
    const bare = await ask(key, LARGE, { 'x-svc-retention': 'none' })
    expect(bare.status, bare.text).to.equal(200)
    expect(bare.headers.has('x-svc-capture-left-out')).to.equal(false)
  })

  it('refuses logged calls that the allowance has no room for', async () => {
    const { id, key } = await givenStarter()
    const log = async () =>
      await api.call('POST', '/v1/capture/log', {
        key,
        body: { items: [{ input: textOf(LARGE), output: 'done' }] },
      })
    const statuses: number[] = []
    for (let i = 0; i < 12; i++) statuses.push((await log()).status)
    expect([statuses[0], statuses.at(-1)]).to.deep.equal([201, 402])
    const { blobs } = await held(id)
    expect(blobs).to.be.at.most(ALLOWANCE)
  })
})
