import { expect } from 'chai'
import { sweepNamed } from '../../../support/workflows/chores.ts'
import type { Operation } from '../../../../db/kernel/operation.ts'
import { givenApiTenant, NO_TEMPORAL, useApi, type ApiTenant } from '../../../support/api.ts'
import { expectAudited } from '../../../support/db/audit.ts'
import { setUpOperation } from '../../../support/people/given-members.ts'
import { useDatabase } from '../../../support/stack/postgres.ts'
import { givenProgramArtifact } from '../../../support/archives/signed-artifacts.ts'
import { sendSql } from '../../../support/db/send-sql.ts'

const DAY_MS = 86_400_000

describe('share links', () => {
  const database = useDatabase()
  let aheadMs = 0
  const api = useApi({
    stores: () => ({ database, temporal: NO_TEMPORAL }),
    now: () => new Date(Date.now() + aheadMs),
    limits: { share_calls_per_ip_minute: 100 },
  })
  let tenant: ApiTenant
  let op: Operation
  let artifact: string
  before(async () => {
    tenant = await givenApiTenant(api)
    op = setUpOperation(database.db, tenant.id)
    artifact = await givenProgramArtifact(op)
  })
  afterEach(() => {
    aheadMs = 0
  })

  const share = async (body: object = {}) => {
    const made = await api.call('POST', '/v1/share-links', { key: tenant.key, body: { target_id: artifact, ...body } })
    expect(made.status, made.text).to.equal(201)
    return { id: String(made.body.id), path: new URL(made.body.url).pathname }
  }

  it('shows an artifact to a visitor without a key, and hands out its report and its archive', async () => {
    const { id, path } = await share()
    const shown = await api.call('GET', path)
    expect(shown.status, shown.text).to.equal(200)
    expect(shown.body).to.include({ kind: 'artifact', name: 'Upper-case the name', recipe_kind: 'program' })
    expect(shown.headers.get('x-robots-tag')).to.equal('noindex, nofollow')
    expect(shown.headers.get('cache-control')).to.equal('private, no-store')
    expect(shown.text).not.to.contain(tenant.id)
    const parts: { name: string; url: string }[] = shown.body.parts
    expect(parts.map(({ name }) => name)).to.deep.equal(['report', 'archive'])

    const report = await api.call('GET', `${path}/report`)
    expect(report.headers.get('content-type')).to.contain('application/json')
    expect(report.body).to.include({ schema: 'svc-shared-report-1', k_score: shown.body.k_score })
    expect(report.text).not.to.contain(tenant.id)

    const archive = await api.call('GET', `${path}/archive`)
    expect(archive.status).to.equal(200)
    expect(archive.headers.get('content-type')).to.equal('application/zip')
    const own = await api.call('GET', `/v1/artifacts/${artifact}/download`, { key: tenant.key })
    expect(archive.bytes.equals(own.bytes)).to.equal(true)
    const piece = await api.call('GET', `${path}/archive`, { headers: { range: 'bytes=0-3' } })
    expect([piece.status, piece.bytes.toString('latin1')]).to.deep.equal([206, 'PK\u0003\u0004'])

    await expectAudited(op, 'share_link.created', id)
    const download = await expectAudited(op, 'artifact.downloaded', artifact)
    expect(download.actor).to.be.a('string')
    const { body } = await api.call('GET', '/v1/share-links', { key: tenant.key })
    expect(body.share_links[0]).to.include({ id, state: 'live', opened: 1, target_id: artifact })
    expect(JSON.stringify(body)).not.to.contain(path.split('.').at(-1))
  })

  it('of kind report hands out no archive', async () => {
    const { path } = await share({ kind: 'report' })
    const shown = await api.call('GET', path)
    expect(shown.body.parts.map((part: { name: string }) => part.name)).to.deep.equal(['report'])
    expect((await api.call('GET', `${path}/archive`)).status).to.equal(404)
    expect((await api.call('GET', `${path}/report`)).status).to.equal(200)
  })

  it('end by themselves, and at once when they are ended', async () => {
    const first = await share({ days: 1 })
    const second = await share({ days: 2 })
    aheadMs = DAY_MS - 60_000
    expect((await api.call('GET', first.path)).status).to.equal(200)
    aheadMs = DAY_MS + 1000
    const late = await api.call('GET', `${first.path}/archive`)
    expect([late.status, late.body.code]).to.deep.equal([410, 'share_link_expired'])
    expect((await api.call('GET', second.path)).status).to.equal(200)

    const ended = await api.call('DELETE', `/v1/share-links/${second.id}`, { key: tenant.key })
    expect(ended.status).to.equal(200)
    const after = await api.call('GET', second.path)
    expect([after.status, after.body.code]).to.deep.equal([410, 'share_link_expired'])
    await expectAudited(op, 'share_link.revoked', second.id)
    const { body } = await api.call('GET', '/v1/share-links', { key: tenant.key })
    const states = new Map(body.share_links.map((link: { id: string; state: string }) => [link.id, link.state]))
    expect([states.get(first.id), states.get(second.id)]).to.deep.equal(['expired', 'revoked'])
  })

  it('cannot be made up, changed or made to last longer', async () => {
    const { path } = await share({ days: 1 })
    const [id = '', end = '', mac = ''] = path.slice('/r/'.length).split('.')
    const later = (Number.parseInt(end, 36) + 86_400).toString(36)
    const lastDigit = mac.endsWith('0') ? '1' : '0'
    for (const token of [
      'tkn_unknown000000',
      `${id}.${later}.${mac}`,
      `${id}.${end}.${mac.slice(0, -1)}${lastDigit}`,
      `${id}.${end}.${mac.toUpperCase()}`,
      `${'0'.repeat(26)}.${end}.${mac}`,
      `${id}.${end}`,
    ]) {
      const answer = await api.call('GET', `/r/${token}`)
      expect([answer.status, answer.body.code], token).to.deep.equal([404, 'not_found'])
    }
    const tooLong = await api.call('POST', '/v1/share-links', {
      key: tenant.key,
      body: { target_id: artifact, days: 8 },
    })
    expect(tooLong.status).to.equal(400)
  })

  it("are made, seen and ended by the artifact's tenant alone, with the scope for it", async () => {
    const other = await givenApiTenant(api)
    const { id } = await share()
    const foreign = await api.call('POST', '/v1/share-links', { key: other.key, body: { target_id: artifact } })
    expect([foreign.status, foreign.body.code]).to.deep.equal([404, 'not_found'])
    expect((await api.call('DELETE', `/v1/share-links/${id}`, { key: other.key })).status).to.equal(404)
    expect((await api.call('GET', '/v1/share-links', { key: other.key })).body.share_links).to.deep.equal([])
    const reader = await api.call('POST', '/v1/account/scoped-keys', {
      key: tenant.key,
      body: { label: 'reader', scopes: ['artifacts:read'] },
    })
    const refused = await api.call('POST', '/v1/share-links', {
      key: reader.body.api_key,
      body: { target_id: artifact },
    })
    expect([refused.status, refused.body.code]).to.deep.equal([403, 'insufficient_scope'])
  })

  it('keeps the token of a link in no table, also when the call may be repeated', async () => {
    const made = await api.call('POST', '/v1/share-links', {
      key: tenant.key,
      body: { target_id: artifact },
      headers: { 'idempotency-key': 'share once' },
    })
    const mac = String(made.body.url).split('.').at(-1) ?? ''
    const tables = await sendSql<{ name: string }>(
      database.db,
      `select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public'`,
    )
    for (const { name } of tables) {
      const holding = await sendSql(
        database.db,
        `select 1 from ${name} t where strpos(t::text, $1) > 0 or strpos(t::text, encode($1::bytea, 'hex')) > 0 limit 1`,
        [mac],
      )
      expect(holding, name).to.have.length(0)
    }
    const again = await api.call('POST', '/v1/share-links', {
      key: tenant.key,
      body: { target_id: artifact },
      headers: { 'idempotency-key': 'share once' },
    })
    expect(again.body.url).to.equal(made.body.url)
  })

  it('are forgotten when they ended before the time that is asked for', async () => {
    const { id } = await share({ days: 1 })
    const sweep = async (days: number) =>
      await sweepNamed(database.db, 'shareLinks', new Date(Date.now() + days * DAY_MS))
    await sweep(0)
    const ids = async () => {
      const { body } = await api.call('GET', '/v1/share-links', { key: tenant.key })
      return body.share_links.map((link: { id: string }) => link.id)
    }
    expect(await ids()).to.include(id)
    expect(await sweep(2)).to.be.at.least(1)
    expect(await ids()).not.to.include(id)
  })

  it('look at no key and no cookie, and end with their tenant', async () => {
    const { path } = await share()
    const key = `ks_${'0'.repeat(12)}_${'0'.repeat(26)}`
    const shown = await api.call('GET', path, { key, headers: { cookie: 'svc_session=0000' } })
    expect(shown.status).to.equal(200)
    expect(shown.headers.get('set-cookie')).to.equal(null)
    await sendSql(database.db, 'update tenants set deleted_at = now() where id = $1', [tenant.id])
    try {
      const gone = await api.call('GET', path)
      expect([gone.status, gone.body.code]).to.deep.equal([410, 'share_link_expired'])
    } finally {
      await sendSql(database.db, 'update tenants set deleted_at = null where id = $1', [tenant.id])
    }
  })

  // The last one, since it leaves no calls for others.
  it('may be followed only so often from one address, which the standard headers tell', async () => {
    const { path } = await share()
    const first = await api.call('GET', path)
    expect(first.headers.get('ratelimit-limit')).to.equal('100')
    expect(first.headers.get('ratelimit-policy')).to.equal('100;w=60')
    const answers = await Promise.all(Array.from({ length: 110 }, async () => await api.call('GET', `${path}/report`)))
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused.length).to.be.at.least(11)
    expect(refused[0]?.body.code).to.equal('rate_limited')
    expect(refused[0]?.headers.get('ratelimit-remaining')).to.equal('0')
    expect(Number(refused[0]?.headers.get('retry-after'))).to.be.within(1, 60)
  })
})
