import { parse } from 'csv-parse/sync'
import { expect } from 'chai'
import { newId } from '../../../core/kernel/ids.ts'
import { commitWaiting } from '../../support/db/ledger-lines.ts'
import { givenApiTenant, NO_TEMPORAL, useApi } from '../../support/api.ts'
import { setUpOperation } from '../../support/people/given-members.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { givenChained } from '../../ledger/db/given-lines.ts'
import { sendSql } from '../../support/db/send-sql.ts'

describe('audit log', () => {
  const database = useDatabase()
  const api = useApi({ stores: () => ({ database, temporal: NO_TEMPORAL }) })

  async function given() {
    const tenant = await givenApiTenant(api)
    const op = setUpOperation(database.db, tenant.id)
    return {
      tenant,
      op,
      get: async (path: string) => await api.call('GET', path, { key: tenant.key }),
      send: async (method: 'PUT' | 'POST', path: string, body: unknown) =>
        await api.call(method, path, { key: tenant.key, body }),
    }
  }

  it('shows what was done, page by page and since a time, to its tenant only', async () => {
    const { tenant, get, send } = await given()
    const { get: getOther } = await given()
    await send('PUT', '/v1/account/settings', { locale: 'de-DE' })
    const { body } = await get('/v1/account/audit-log?limit=1')
    expect(body).to.include({ total: 2 })
    expect(body.entries[0]).to.include({ op: 'settings.updated', seq: 2 })
    expect(body.entries[0].actor).to.match(/^key:key_/)
    const next = await get(`/v1/account/audit-log?cursor=${body.next_cursor}`)
    expect(next.body.entries.map((entry: { op: string }) => entry.op)).to.deep.equal(['tenant.created'])
    for (const since of ['2020-01-01T00:00:00Z', '0']) {
      expect((await get(`/v1/account/audit-log?since=${since}`)).body.total).to.equal(2)
    }
    expect((await get(`/v1/account/audit-log?since=${Date.now() + 60_000}`)).body.entries).to.deep.equal([])
    for (const query of ['format=xml', 'since=yesterday', 'limit=501', 'cursor=x']) {
      expect((await get(`/v1/account/audit-log?${query}`)).status, query).to.equal(400)
    }
    expect((await getOther('/v1/account/audit-log')).text).to.not.include(tenant.id)
  })

  it('comes as CSV that a spreadsheet takes for text', async () => {
    const { op, get } = await given()
    const line = { tenantId: op.tenantId, at: new Date(), action: 'settings.updated', requestId: 'req_1' }
    await commitWaiting(op.db, {
      ...line,
      id: newId('aud'),
      actor: '=1+1',
      target: 'a,"b"\n',
      payload: { a: '=2' },
    })
    const csv = await get('/v1/account/audit-log?format=csv')
    expect(csv.headers.get('content-type')).to.equal('text/csv; charset=utf-8')
    const rows = parse(csv.text, { columns: true }) as Record<string, string>[]
    expect(csv.text.split('\n', 1)[0]).to.match(/^at,actor,op,payload,/)
    expect(rows).to.have.length(2)
    expect(rows[0]).to.include({ actor: `'=1+1`, op: 'settings.updated', payload: '{"a":"=2"}', target: 'a,"b"\n' })
  })

  it('verifies, and says where it was tampered with', async () => {
    const { tenant, get } = await given()
    const sound = (await get('/v1/account/audit-log/verify')).body
    expect(sound).to.include({ ok: true, verified: true, chain_length: 1, pruned_through: 0 })
    expect(sound).to.not.have.property('broken_at')
    await sendSql(database.db, `update audit_entries set request_id = 'req_other' where tenant_id = $1`, [tenant.id])
    const broken = (await get('/v1/account/audit-log/verify')).body
    expect(broken).to.include({ ok: true, verified: false, broken_at: 1 })
    expect(broken.breaks[0]).to.include({ seq: 1, reason: 'event_hash_mismatch' })
  })

  it('verifies a long ledger for all who ask at once, and answers other calls meanwhile', async () => {
    const { op, get } = await given()
    await givenChained(op, 2500)
    const checks = Array.from({ length: 40 }, async () => await get('/v1/account/audit-log/verify'))
    const others = Array.from({ length: 10 }, async () => await get('/v1/account'))
    for (const { status, text } of await Promise.all(others)) expect(status, text).to.equal(200)
    for (const { body } of await Promise.all(checks)) {
      expect(body).to.include({ verified: true, chain_length: 2501 })
    }
  })

  it('is kept as long as the plan says', async () => {
    const { get } = await given()
    expect((await get('/v1/account/audit/retention')).body).to.include({ tier: 'free', retention_days: 30 })
  })
})
