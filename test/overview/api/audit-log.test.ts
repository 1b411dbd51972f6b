import { parse } from 'csv-parse/sync'
import { expect } from 'chai'
import { useAccount } from './use-account.ts'
import { newId } from '../../../core/kernel/ids.ts'
import { commitWaiting } from '../../support/db/ledger-lines.ts'
import { browserOf, givenScopedKey } from '../../support/people/given-keys.ts'
import { findOwner, givenMember, givenPlan, givenSession } from '../../support/people/given-members.ts'
import { givenChained } from '../../ledger/db/given-lines.ts'
import { sendSql } from '../../support/db/send-sql.ts'

describe('audit log', () => {
  const { database, api, given } = useAccount()

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

  it('names the person or the key that acted, and the means', async () => {
    const { tenant, op, get, send } = await given()
    await givenPlan(database.db, tenant.id, 'teams')
    const ada = await givenMember(op, { role: 'admin', email: `ada-${newId('mbr')}@example.test` })
    await sendSql(database.db, `update members set display_name = 'Ada' where id = $1`, [ada.id])
    const { headers } = await givenSession(database.db, ada)
    await api.call('PUT', '/v1/account/settings', { headers, body: { locale: 'de-DE' } })
    const reporting = await givenScopedKey(api, tenant.key, { scopes: ['account:write'], label: 'reporting' })
    await api.call('PUT', '/v1/account/settings', { key: reporting.key, body: { locale: 'fr-FR' } })
    const browser = await browserOf(api, reporting.key)
    await api.call('PUT', '/v1/account/settings', { headers: browser, body: { locale: 'it-IT' } })
    await send('PUT', '/v1/account/settings', { locale: 'en-GB' })
    const { body } = await get('/v1/account/audit-log')
    const shown = (key: string) => `ks_…${key.slice(11, 15)}`
    const lines = body.entries.filter(({ op: action }: { op: string }) => action === 'settings.updated')
    expect(lines.map(({ by }: { by: { text: string } }) => by.text)).to.deep.equal([
      `primary key ${shown(tenant.key)}`,
      `${(await findOwner(op)).email}, from a browser`,
      `key reporting (${shown(reporting.key)})`,
      'Ada, from a browser',
    ])
    expect(lines[1].by.key.label).to.equal('reporting')
    expect(lines[2].sentence).to.equal(`Key reporting (${shown(reporting.key)}) changed the settings`)
    expect(lines[3].sentence).to.equal('Ada, from a browser, changed the settings')
    expect(lines[3].by).to.deep.include({ kind: 'person', means: 'browser', key: null })
    expect(lines[3].by.member).to.deep.equal({ id: ada.id, name: 'Ada', email: ada.email })
    expect(lines[2].by.key).to.deep.equal({ id: reporting.id, prefix: reporting.key.slice(0, 15), label: 'reporting' })
    const csv = parse((await get('/v1/account/audit-log?format=csv')).text, { columns: true }) as { by: string }[]
    expect(csv.map(({ by }) => by)).to.include('Ada, from a browser')
    expect((await get('/v1/account/audit-log/verify')).body.verified).to.equal(true)
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
