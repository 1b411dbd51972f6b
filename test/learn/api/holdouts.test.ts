import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { givenApiTenant, NO_TEMPORAL, useApi, type Answer, type ApiTenant } from '../../support/api.ts'
import { expectAudited } from '../../support/db/audit.ts'
import { sendSql } from '../../support/db/send-sql.ts'
import { givenKey } from '../../support/people/given-keys.ts'
import { setUpOperation } from '../../support/people/given-members.ts'
import { runCli } from '../../support/cli/run-cli.ts'
import { eventually } from '../../support/wire/eventually.ts'
import { useDatabase } from '../../support/stack/postgres.ts'

const CANARY = 'zzcanaryzz'

/** Rows with a text that must appear nowhere. */
function canaries(count: number, from = 0): readonly { readonly input: string; readonly output: string }[] {
  return Array.from({ length: count }, (_, at) => ({
    input: `${CANARY} question ${from + at}`,
    output: `${CANARY} answer ${from + at}`,
  }))
}

describe('holdouts', () => {
  const database = useDatabase()
  const api = useApi({
    stores: () => ({ database, temporal: NO_TEMPORAL }),
    limits: {
      holdout_rows: 400,
      holdout_uploads_per_ip_minute: 1000,
      holdouts_per_tenant: 8,
      holdout_unit_bytes: 5000,
    },
  })
  let tenant: ApiTenant
  beforeEach(async () => {
    tenant = await givenApiTenant(api)
  })
  const call = async (method: string, path: string, body?: unknown, key = tenant.key): Promise<Answer> =>
    await api.call(method, path, { key, ...(body !== undefined && { body }) })
  const store = async (corpusId: string, rows: readonly unknown[], more: object = {}, key = tenant.key) =>
    await call('POST', '/v1/eval/tenant_holdout', { corpus_id: corpusId, rows, ...more }, key)
  const stored = async (corpusId: string, rows: readonly unknown[], more: object = {}) => {
    const answer = await store(corpusId, rows, more)
    expect(answer.status, answer.text).to.equal(201)
    return answer.body
  }
  /** The corpus whose attempts count for it: no answer names it. */
  const lineageOf = async ({ holdout_id: id }: { readonly holdout_id: string }): Promise<string> => {
    const [row] = await sendSql(database.db, 'select lineage_id as "lineageId" from holdout_corpora where id = $1', [
      id,
    ])
    return String(row?.['lineageId'])
  }
  const compile = async (examples: readonly object[]): Promise<Answer> =>
    await call('POST', '/v1/compile', { task: 'answer the question', examples, mode: 'async' })

  it('are answered by their metadata alone', async () => {
    const body = await stored('Tickets', [...canaries(20), ...canaries(2)], { tags: ['july'], metadata: { by: 'ada' } })
    expect(body).to.deep.include({ corpus_id: 'tickets', row_count: 20, skipped: 2, state: 'sealed', tags: ['july'] })
    expect(body.corpus_sha256).to.match(/^sha256:[0-9a-f]{64}$/)
    const audited = await expectAudited(setUpOperation(database.db, tenant.id), 'holdout.stored', body.holdout_id)
    expect(audited.payload).to.deep.include({ rows: 20, root: body.corpus_sha256 })
    const list = await call('GET', '/v1/eval/tenant_holdout')
    expect(list.body).to.deep.include({ count: 1, tenant_id: tenant.id })
    const one = await call('GET', '/v1/eval/tenant_holdout/TICKETS')
    expect(one.body).to.deep.include({ corpus_id: 'tickets', metadata: { by: 'ada' }, revealed_at: null })
    const rows = await call('GET', '/v1/eval/tenant_holdout/tickets/rows')
    expect([rows.status, rows.body.code]).to.deep.equal([409, 'holdout_sealed'])
    for (const { text } of [list, one, rows]) expect(text).not.to.include(CANARY)
  })

  it('appear in no table, ledger line, export or error', async () => {
    await stored('canaries', canaries(30))
    await compile([...canaries(2), { input: 'a', output: 'b' }])
    await store('faulty', [...canaries(1), { input: CANARY }])
    const tables = await sendSql<{ readonly name: string }>(
      database.db,
      `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
    )
    for (const { name } of tables) {
      const found = await sendSql(
        database.db,
        `select 1 from "${name}" t where t::text like '%${CANARY}%' or t::text like '%' || encode('${CANARY}', 'hex') || '%' limit 1`,
      )
      expect(found, name).to.deep.equal([])
    }
    const account = await call('GET', '/v1/account/export')
    expect(account.status).to.equal(200)
    expect(account.text).to.include('canaries').and.not.to.include(CANARY)
  })

  it('name a wrong row by its place and quote nothing of it', async () => {
    for (const [rows, field] of [
      [[...canaries(1), { input: CANARY }], 'rows[1].output'],
      [[...canaries(1), CANARY], 'rows[1]'],
      [[{ prompt: null, completion: CANARY }], 'rows[0].input'],
      [[{ input: CANARY.repeat(2000), output: 'x' }], 'rows[0]'],
      [[], 'rows'],
    ] as const) {
      const answer = await store('faulty', rows)
      expect(answer.status, answer.text).to.equal(400)
      expect(answer.body.details.fields[0].field).to.equal(field)
      expect(answer.text).not.to.include(CANARY)
    }
    const large = await store('large', canaries(401))
    expect([large.status, large.body.code]).to.deep.equal([413, 'holdout_too_large'])
  })

  it('refuse a compile that contains a row, with the count, until they are revealed', async () => {
    await stored('sealed', canaries(20))
    const examples = [
      { input: `  ${CANARY.toUpperCase()} question 3 `, output: 'another answer' },
      { input: `${CANARY} question 4`, kind: 'unlabelled' },
      ...['a', 'b', 'c', 'd'].map((text) => ({ input: text, output: text.toUpperCase() })),
    ]
    const refused = await compile(examples)
    expect([refused.status, refused.body.code, refused.body.details]).to.deep.equal([400, 'sealed_rows', { count: 2 }])
    const other = await givenApiTenant(api)
    const elsewhere = await call('POST', '/v1/compile', { task: 't', examples, mode: 'async' }, other.key)
    expect(elsewhere.status, elsewhere.text).to.equal(202)
    const revealed = await call('POST', '/v1/eval/tenant_holdout/sealed/reveal', {})
    expect(revealed.body).to.deep.include({ state: 'revealed' })
    expect((await call('POST', '/v1/eval/tenant_holdout/sealed/reveal', {})).body).to.deep.include({
      revealed_at: revealed.body.revealed_at,
    })
    await expectAudited(setUpOperation(database.db, tenant.id), 'holdout.revealed', revealed.body.holdout_id)
    expect((await compile(examples)).status).to.equal(202)
    const { body } = await call('GET', '/v1/eval/tenant_holdout/sealed/rows?offset=18&limit=5')
    expect(body).to.deep.include({ rows: canaries(2, 18), row_count: 20, next_offset: null })
  })

  it('are distinguished by their instructions where they ask the same, and by all members where they are no chats', async () => {
    const chat = (document: string) => [
      { role: 'system', content: `${CANARY} ${document}` },
      { role: 'user', content: 'Summarize' },
    ]
    const documents = ['first', 'second', 'third'].map((name) => ({ input: chat(name), output: name }))
    const table = ['a', 'b'].map((plan) => ({ input: { role: 'user', content: 'reset', plan }, output: plan }))
    await stored('documents', [...documents, ...table])
    expect((await call('GET', '/v1/eval/tenant_holdout/documents')).body).to.include({ row_count: 5, skipped: 0 })
    const others = Array.from({ length: 4 }, (_, i) => ({ input: chat(`of another day ${i}`), output: `${i}` }))
    const accepted = await compile(others)
    expect(accepted.status, accepted.text).to.equal(202)
    const refused = await compile([...others, ...documents.slice(1)])
    expect([refused.status, refused.body.details], refused.text).to.deep.equal([400, { count: 2 }])
  })

  it('are the same rows as a text, as a question of a chat and with instructions', async () => {
    await stored('texts', canaries(20))
    const asks = (at: number) => ({ role: 'user', content: `${CANARY} question ${at}` })
    await stored('chats', [
      ...Array.from({ length: 20 }, (_, at) => ({ prompt: [asks(100 + at)], completion: 'x' })),
      { input: { messages: [asks(119)] }, output: 'the same row' },
    ])
    expect((await call('GET', '/v1/eval/tenant_holdout/chats')).body).to.include({ row_count: 20, skipped: 1 })
    const system = { role: 'system', content: 'answer briefly' }
    const sealed = [
      { prompt: [asks(3)], completion: [{ role: 'assistant', content: 'x' }] },
      { input: [system, asks(4)], output: 'x' },
      { input: { messages: [{ role: 'user', content: [{ type: 'text', text: asks(5).content }] }] }, output: 'x' },
      { input: `${CANARY} Question 106`, output: 'x' },
    ]
    const others = [
      { input: [asks(7), { role: 'assistant', content: 'a' }, asks(8)], output: 'a later turn' },
      { input: [asks(9), asks(10)], output: 'two questions' },
      { input: [system], output: 'no question' },
    ]
    const refused = await compile([...sealed, ...others])
    expect([refused.body.code, refused.body.details], refused.text).to.deep.equal(['sealed_rows', { count: 4 }])
    expect((await compile(others)).status).to.equal(202)
  })

  it('get keys anew where they were stored with those of an earlier version', async () => {
    const { holdout_id: id } = await stored('earlier', canaries(20), { namespace: 'sales' })
    await sendSql(database.db, `update holdout_rows set row_key = sha256(row_key) where corpus_id = $1`, [id])
    await sendSql(database.db, 'update holdout_corpora set key_version = 1 where id = $1', [id])
    const scopes = ['compile:write', 'namespace:support']
    const { key } = await givenKey(database.db, { tenantId: tenant.id, scopes })
    const examples = [...canaries(2), { input: 'a', output: 'b' }]
    const refused = await call('POST', '/v1/compile', { task: 't', examples, mode: 'async' }, key)
    expect([refused.body.code, refused.body.details]).to.deep.equal(['sealed_rows', { count: 2 }])
    expect(await lineageOf(await stored('again', canaries(20, 5)))).to.equal(id)
  })

  it('refuse a row of another namespace to a key that is bound to one', async () => {
    await stored('of-sales', canaries(20), { namespace: 'sales' })
    const scopes = ['compile:write', 'eval:read', 'namespace:support']
    const { key } = await givenKey(database.db, { tenantId: tenant.id, scopes })
    expect((await call('GET', '/v1/eval/tenant_holdout', undefined, key)).body.count).to.equal(0)
    expect((await call('GET', '/v1/eval/tenant_holdout/of-sales', undefined, key)).status).to.equal(404)
    const examples = [...canaries(2), { input: 'a', output: 'b' }]
    const refused = await call('POST', '/v1/compile', { task: 't', examples, mode: 'async' }, key)
    expect(refused.body.code).to.equal('sealed_rows')
  })

  it('are the same corpus when half of their rows are the same, under any name and after a deletion', async () => {
    const first = await stored('first', canaries(20))
    expect(await lineageOf(await stored('third', canaries(11, 10)))).to.equal(first.holdout_id)
    expect(await lineageOf(await stored('other', canaries(20, 11)))).to.equal(first.holdout_id)
    const apart = await stored('apart', canaries(20, 100))
    expect(await lineageOf(apart)).to.equal(apart.holdout_id)
    expect((await call('DELETE', '/v1/eval/tenant_holdout/apart')).body).to.deep.include({ ok: true, deleted: true })
    await expectAudited(setUpOperation(database.db, tenant.id), 'holdout.deleted', apart.holdout_id)
    expect((await call('GET', '/v1/eval/tenant_holdout/apart')).status).to.equal(404)
    const again = await stored('renamed', canaries(40, 95))
    expect(await lineageOf(again)).to.equal(apart.holdout_id)
    // Half of the rows of a tiny corpus decide no gate.
    await stored('tiny', canaries(2, 500))
    const large = await stored('large', canaries(40, 501))
    expect(await lineageOf(large)).to.equal(large.holdout_id)
    expect(await lineageOf(await stored('part', canaries(10, 510)))).to.equal(large.holdout_id)
    expect((await compile([...canaries(2, 100), { input: 'a', output: 'b' }])).body.code).to.equal('sealed_rows')
  })

  it('confirm no guess of their rows: answers and audit lines are those of any other rows', async () => {
    await stored('hidden', canaries(20), { namespace: 'sales' })
    const scopes = ['eval:read', 'eval:write', 'audit:read', 'namespace:support']
    const { key } = await givenKey(database.db, { tenantId: tenant.id, scopes })
    const seen = async (name: string, from: number) => {
      const made = await store(name, canaries(4, from), { namespace: 'support' }, key)
      expect(made.status, made.text).to.equal(201)
      const shown = (await call('GET', `/v1/eval/tenant_holdout/${name}`, undefined, key)).body
      const { payload } = await expectAudited(
        setUpOperation(database.db, tenant.id),
        'holdout.stored',
        made.body.holdout_id,
      )
      const own = { id: made.body.holdout_id, root: made.body.corpus_sha256, normalized: made.body.normalized_hash }
      return Object.values({ ...own, name, at: made.body.stored_at }).reduce(
        (text, value) => text.replaceAll(value, '…'),
        JSON.stringify([{ ...made.body, request_id: '' }, { ...shown, request_id: '' }, payload]),
      )
    }
    expect(await seen('right', 10)).to.equal(await seen('wrong', 50))
  })

  it('are revealed and deleted by the CLI after a question, or with --yes', async () => {
    await stored('by-cli', canaries(5))
    const folder = await mkdtemp(join(tmpdir(), 'svc-holdouts-'))
    const svc = async (...args: readonly string[]) =>
      await runCli(args, { profileDir: folder, folder, env: { SVC_URL: api.url, SVC_API_KEY: tenant.key } })
    const [unasked, unrevoked] = await Promise.all([
      svc('holdout', 'reveal', 'by-cli'),
      svc('artifacts', 'revoke', 'cmp_0123456789abcdefghjkmnpqrs', '--reason', 'a test', '--json'),
    ])
    expect([unasked.code, unasked.stderr]).to.satisfy(
      ([code, text]: [number, string]) => code === 2 && text.includes('5 rows') && text.includes('--yes'),
    )
    expect([unrevoked.code, JSON.parse(unrevoked.stderr).code]).to.deep.equal([2, 'usage'])
    expect((await call('GET', '/v1/eval/tenant_holdout/by-cli')).body.state).to.equal('sealed')
    expect((await svc('holdout', 'reveal', 'by-cli', '--yes')).stdout).to.include('by-cli is revealed')
    expect((await svc('holdout', 'delete', 'by-cli')).code).to.equal(2)
    expect((await svc('holdout', 'delete', 'by-cli', '-y')).stdout).to.include('by-cli is deleted')
    await rm(folder, { recursive: true })
  })

  it('keep their name until they are replaced or deleted, and are bounded in number, deleted ones included', async () => {
    await stored('mine', canaries(5))
    const taken = await store('MINE', canaries(5))
    expect([taken.status, taken.body.code]).to.deep.equal([409, 'holdout_exists'])
    const replaced = await stored('mine', canaries(6), { replace: true })
    expect(replaced.row_count).to.equal(6)
    for (let more = 0; more < 6; more++) await stored(`more-${more}`, canaries(3, 100 * more))
    expect((await store('ninth', canaries(3))).body.code).to.equal('limit_reached')
  })

  it('are charged by their bytes', async () => {
    const used = async (): Promise<number> => (await call('GET', '/v1/billing/usage')).body.used
    const before = await used()
    const { bytes } = await stored('charged', canaries(300))
    // Sums of calls are written each second.
    await eventually(async () => expect(await used()).to.equal(before + Math.ceil(bytes / 5000)))
  })

  it('belong to their tenant', async () => {
    await stored('mine', canaries(5))
    const other = await givenApiTenant(api)
    for (const [method, path] of [
      ['GET', '/v1/eval/tenant_holdout/mine'],
      ['GET', '/v1/eval/tenant_holdout/mine/rows'],
      ['DELETE', '/v1/eval/tenant_holdout/mine'],
      ['POST', '/v1/eval/tenant_holdout/mine/reveal'],
    ] as const) {
      expect((await call(method, path, method === 'POST' ? {} : undefined, other.key)).status).to.equal(404)
    }
  })
})
