import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { DEFAULT_LIMITS } from '../../../../core/limits.ts'
import { expireWorkspaces } from '../../../../db/overview/across/deletion/expire-workspaces.ts'
import { TABLES } from '../../../../db/schema.ts'
import { purgeTenant } from '../../../../db/overview/deletion/purge/purge-tenant.ts'
import { systemOperation } from '../../../../db/kernel/operation.ts'
import { givenJob, givenPendingAcceptance } from '../../../support/db/given.ts'
import { givenApiTenant, useApi, type ApiTenant } from '../../../support/api.ts'
import { expectAudited } from '../../../support/db/audit.ts'
import { browserOf } from '../../../support/people/given-keys.ts'
import { findOwner, givenSession, setUpOperation } from '../../../support/people/given-members.ts'
import { mailedToken, mailsTo } from '../../../support/mail/mails.ts'
import { givenProgramArtifact } from '../../../support/archives/signed-artifacts.ts'
import { holdRow } from '../../../support/stack/held-row.ts'
import { sendSql } from '../../../support/db/send-sql.ts'

const DAY_MS = 86_400_000
const ROWS = ['ada', 'grace', 'alan', 'edsger'].map((input) => ({ input, output: input.toUpperCase() }))
const newAddress = () => `${randomBytes(8).toString('hex')}@example.test`

describe('anonymous workspaces', () => {
  let time = Date.now()
  const api = useApi({
    settings: { isMailConfigured: true },
    limits: { anon_per_ip_day: 100_000, mails_per_ip_15min: 100_000, claim_guesses_per_ip_15min: 3 },
    now: () => new Date(time),
  })
  const db = () => api.server.services.db
  const bootstrap = async () => {
    // So that the mails of before and after have an order.
    time += 1000
    const { body, status, text } = await api.call('POST', '/v1/anon/bootstrap', { body: { hostname: 'laptop' } })
    expect(status, text).to.equal(200)
    return { id: String(body.tenant_id), token: String(body.anon_token), body }
  }
  const claim = async (body: object, key?: string) => await api.call('POST', '/v1/anon/claim', { body, key })
  const whoami = async (key: string) => await api.call('GET', '/v1/whoami', { key })
  /** A tenant whose address is verified. */
  const verified = async (): Promise<ApiTenant & { readonly email: string }> => {
    const email = newAddress()
    const answer = await api.call('POST', '/v1/signup', { body: { email } })
    const token = await mailedToken(db(), email, 'verify')
    await api.call('POST', '/v1/auth/email/confirm', { body: { token } })
    return { id: answer.body.tenant.id, key: answer.body.api_key, email }
  }

  it('open without an address, with a token, a quota of their own and an end', async () => {
    const { id, token, body } = await bootstrap()
    expect(token).to.match(/^kao_/)
    expect(body).to.include({ kind: 'anon', quota: 5000 })
    expect(Date.parse(body.expires_at) - time).to.equal(30 * DAY_MS)
    const who = await whoami(token)
    expect(who.body).to.include({ tenant_id: id, kind: 'anonymous', member_id: null })
    expect(who.body.scopes).to.include('compile:write').and.not.include('*')
    expect((await api.call('POST', '/v1/account/rotate-key', { key: token })).status).to.equal(403)
    const signedIn = await api.call('POST', '/v1/signin', { body: { api_key: token } })
    expect(signedIn.body.tenant.id).to.equal(id)
  })

  it('become tenants of their own, with a new key and an address that is not verified', async () => {
    const { id, token } = await bootstrap()
    const email = newAddress()
    const answer = await claim({ anon_token: token, email: email.toUpperCase(), name: 'Claimed & kept' })
    expect(answer.status, answer.text).to.equal(200)
    expect(answer.body).to.include({ mode: 'upgraded' })
    expect(answer.body.api_key).to.match(/^ks_/)
    expect(answer.body.tenant).to.include({ id, plan: 'free', quota: 10_000 })
    expect(answer.body.tenant.name).to.match(/^claimed-kept-/)
    expect((await whoami(answer.body.api_key)).body).to.include({ tenant_id: id, kind: 'primary' })
    expect((await whoami(token)).body.code).to.equal('invalid_credential')
    expect((await findOwner(setUpOperation(db(), id))).email).to.equal(email)
    expect((await mailsTo(db(), email))[0]?.template).to.equal('verify')
    await expectAudited(setUpOperation(db(), id), 'tenant.upgraded', id)
    expect((await claim({ anon_token: token, email })).body.code).to.equal('invalid_token')
  })

  it('are claimed by their own session, which stands for the token, and by no other', async () => {
    const { id, token } = await bootstrap()
    const [headers, others] = [await browserOf(api, token), await browserOf(api, token)]
    const body = { email: newAddress() }
    const foreign = await api.call('POST', '/v1/anon/claim', { body, headers: { cookie: headers['cookie'] ?? '' } })
    expect([foreign.status, foreign.body.code]).to.deep.equal([403, 'csrf_rejected'])
    for (const key of [undefined, (await verified()).key]) {
      const refused = await claim(body, key)
      expect([refused.status, refused.body.code]).to.deep.equal([400, 'invalid_token'])
    }
    const answer = await api.call('POST', '/v1/anon/claim', { body, headers })
    expect(answer.body, answer.text).to.include({ mode: 'upgraded' })
    expect((await whoami(answer.body.api_key)).body).to.include({ tenant_id: id, kind: 'primary' })
    // The browser that lost this answer is signed in to the account all the same; every other session has ended.
    expect((await api.call('GET', '/v1/account', { headers })).body).to.include({ id, kind: 'user' })
    expect((await api.call('GET', '/v1/session', { headers: others })).body.session).to.equal('ended')
    expect((await api.call('POST', '/v1/anon/claim', { body, headers })).body.code).to.equal('invalid_token')
  })

  it("claiming with a victim's address takes over nothing", async () => {
    const victim = await verified()
    const { id, token } = await bootstrap()
    const answer = await claim({ anon_token: token, email: victim.email })
    expect(answer.body).to.include({ mode: 'upgraded' })
    expect(answer.body.tenant.id).to.equal(id).and.not.equal(victim.id)
    expect((await whoami(victim.key)).body).to.include({ tenant_id: victim.id, kind: 'primary' })
    expect((await whoami(answer.body.api_key)).body.tenant_id).to.equal(id)
    // The mail that verifies goes to the victim, who alone can use it, and it cannot give the address away.
    const late = await api.call('POST', '/v1/auth/email/confirm', {
      body: { token: await mailedToken(db(), victim.email, 'verify') },
    })
    expect([late.status, late.body.code]).to.deep.equal([409, 'email_exists'])
  })

  it('merge into the tenant whose key comes with the call, and never touch its keys', async () => {
    const tenant = await verified()
    const { id, token } = await bootstrap()
    const op = systemOperation(db(), { tenantId: id, name: 'test', requestId: 'test' })
    const artifact = await givenProgramArtifact(op)
    const answer = await claim({ anon_token: token, email: tenant.email }, tenant.key)
    expect(answer.status, answer.text).to.equal(200)
    expect(answer.body).to.include({ mode: 'merged', api_key: tenant.key })
    expect(answer.body.tenant.id).to.equal(tenant.id)
    const jobs = await api.call('GET', '/v1/compile', { key: tenant.key })
    expect(jobs.text).to.contain(artifact)
    const concepts = await api.call('GET', '/v1/concepts', { key: tenant.key })
    expect(concepts.body.items ?? concepts.body.concepts).to.have.length(1)
    expect((await whoami(token)).body.code).to.equal('invalid_credential')
    expect((await whoami(tenant.key)).body.kind).to.equal('primary')
    const left = await leftOf(id)
    expect(left, 'rows that were not moved').to.deep.equal([])
    await expectAudited(setUpOperation(db(), tenant.id), 'tenant.merged', id)
    await expectAudited(setUpOperation(db(), id), 'tenant.merged', tenant.id)
  })

  it('merge for a session as well, which gets no key to see', async () => {
    const tenant = await verified()
    const { headers } = await givenSession(db(), await findOwner(setUpOperation(db(), tenant.id)))
    const { token } = await bootstrap()
    const answer = await api.call('POST', '/v1/anon/claim', {
      body: { anon_token: token, email: tenant.email },
      headers,
    })
    expect(answer.body).to.include({ mode: 'merged', api_key: null })
    expect(tenant.key.startsWith(`${answer.body.key_prefix}_`)).to.equal(true)
    expect(answer.text).to.not.contain(tenant.key)
  })

  it('merge by the code of a mail, for the address and the workspace that it was sent for', async () => {
    const tenant = await verified()
    const [one, other] = [await bootstrap(), await bootstrap()]
    const asked = await claim({ anon_token: one.token, email: tenant.email, send_code: true })
    const unknown = await claim({ anon_token: one.token, email: newAddress(), send_code: true })
    expect([asked.status, asked.body.expires_in_s]).to.deep.equal([unknown.status, unknown.body.expires_in_s])
    expect(asked.status).to.equal(202)
    const [mail] = (await mailsTo(db(), tenant.email)).filter(({ template }) => template === 'claim_code')
    const code = mail?.params['code'] ?? ''
    expect(code).to.match(/^\w{4}-\w{4}-\w{4}-\w{4}$/)
    const foreign = await claim({ anon_token: other.token, email: tenant.email, code })
    expect([foreign.status, foreign.body.code]).to.deep.equal([400, 'invalid_token'])
    const misnamed = await claim({ anon_token: one.token, email: newAddress(), code })
    expect(misnamed.status).to.equal(400)
    const answer = await claim({ anon_token: one.token, email: tenant.email, code: code.toUpperCase() })
    expect(answer.body).to.include({ mode: 'merged', api_key: null })
    expect(answer.body.tenant.id).to.equal(tenant.id)
    expect((await whoami(tenant.key)).body.tenant_id).to.equal(tenant.id)
  })

  it('ask for a code no more often than it could be guessed', async () => {
    const { token } = await bootstrap()
    const email = newAddress()
    const statuses = []
    for (let i = 0; i < 5; i++) {
      const answer = await claim({ anon_token: token, email, code: `0000-0000-0000-000${i}` })
      statuses.push(answer.status)
      if (answer.status === 429) expect(answer.headers.get('retry-after')).to.be.a('string')
    }
    expect(statuses.slice(-2)).to.deep.equal([429, 429])
    expect((await whoami(token)).status).to.equal(200)
  })

  it('refuse a key of another tenant than the one that is named', async () => {
    const [mine, theirs] = [await verified(), await verified()]
    const { token } = await bootstrap()
    const answer = await claim({ anon_token: token, email: theirs.email }, mine.key)
    expect([answer.status, answer.body.code]).to.deep.equal([403, 'ownership_proof_required'])
    const other = await bootstrap()
    const anonymous = await claim({ anon_token: token, email: mine.email }, other.token)
    expect([anonymous.status, anonymous.body.code]).to.deep.equal([403, 'ownership_proof_required'])
    expect((await whoami(token)).status).to.equal(200)
  })

  it('wait for their jobs before they merge', async () => {
    const tenant = await verified()
    const { id, token } = await bootstrap()
    await givenJob(systemOperation(db(), { tenantId: id, name: 'test', requestId: 'test' }))
    const answer = await claim({ anon_token: token, email: tenant.email }, tenant.key)
    expect([answer.status, answer.body.code]).to.deep.equal([409, 'jobs_running'])
    expect((await whoami(token)).status).to.equal(200)
    const signing = await bootstrap()
    await givenPendingAcceptance(systemOperation(db(), { tenantId: signing.id, name: 'test', requestId: 'test' }))
    const early = await claim({ anon_token: signing.token, email: tenant.email }, tenant.key)
    expect([early.status, early.body.code]).to.deep.equal([409, 'jobs_running'])
  })

  for (const [what, start] of [
    ['a compile', { path: '/v1/compile', body: { task: 'Write it in capitals', examples: ROWS, mode: 'async' } }],
    ['an export', { path: '/v1/exports', body: { target: 'svc' } }],
    ['a share link', { path: '/v1/share-links', body: { kind: 'report' } }],
  ] as const) {
    it(`take ${what} no more that comes while they are merged`, async () => {
      const tenant = await verified()
      const { id, token } = await bootstrap()
      const op = systemOperation(db(), { tenantId: id, name: 'test', requestId: 'test' })
      const artifact = await givenProgramArtifact(op)
      const held = await holdRow(db(), 'select 1 from concepts where tenant_id = $1', [id])
      const merging = claim({ anon_token: token, email: tenant.email }, tenant.key)
      await held.untilWaiting(1)
      const late = api.call('POST', start.path, {
        key: token,
        body: { ...start.body, artifact_id: artifact, target_id: artifact },
      })
      await held.untilWaiting(2)
      await held.release()
      expect((await merging).body.mode).to.equal('merged')
      const { status, body } = await late
      expect([status, body.code]).to.deep.equal([401, 'invalid_credential'])
      expect(await leftOf(id), 'work in an expired workspace').to.deep.equal([])
    })
  }

  it('are not merged into an account that is deleted meanwhile', async () => {
    const tenant = await verified()
    const { token } = await bootstrap()
    const [account] = await sendSql<{ name: string }>(db(), 'select name from tenants where id = $1', [tenant.id])
    const held = await holdRow(db(), 'select 1 from members where tenant_id = $1', [tenant.id])
    const deleting = api.call('POST', '/v1/account/delete', {
      key: tenant.key,
      body: { confirm: `DELETE ${account?.name ?? ''}` },
    })
    await held.untilWaiting(1)
    const merging = claim({ anon_token: token, email: tenant.email }, tenant.key)
    await held.untilWaiting(2)
    await held.release()
    expect((await deleting).status).to.equal(200)
    const { status, body } = await merging
    expect([status, body.code]).to.deep.equal([401, 'invalid_credential'])
    expect((await whoami(token)).status).to.equal(200)
  })

  it('are claimed by one of many who try at once', async () => {
    const { token } = await bootstrap()
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => claim({ anon_token: token, email: newAddress() })),
    )
    expect(answers.filter(({ status }) => status === 200)).to.have.length(1)
    expect(answers.filter(({ body }) => body.code === 'invalid_token')).to.have.length(5)
  })

  it('refuse tokens that are none', async () => {
    const { key } = await givenApiTenant(api)
    for (const token of ['kao_not_a_real_token', `kao_${'0'.repeat(12)}_${'0'.repeat(26)}`, key]) {
      const answer = await claim({ anon_token: token, email: newAddress() })
      expect([answer.status, answer.body.code], token).to.deep.equal([400, 'invalid_token'])
    }
    expect((await claim({ email: newAddress() })).status).to.equal(400)
  })

  it('expire, say so, and lose what they held', async () => {
    const { id, token } = await bootstrap()
    const op = systemOperation(db(), { tenantId: id, name: 'test', requestId: 'test' })
    await givenProgramArtifact(op)
    time += 31 * DAY_MS
    const expired = async (answer: { status: number; body: { code: string; details: object } }) => {
      expect([answer.status, answer.body.code]).to.deep.equal([401, 'anon_expired'])
      expect(answer.body.details).to.have.property('expired_at')
    }
    await expired(await whoami(token))
    await expired(await claim({ anon_token: token, email: newAddress() }))
    await expired(await api.call('POST', '/v1/signin', { body: { api_key: token } }))
    const purge = async () => await purgeTenant(op, { limits: DEFAULT_LIMITS, signal: new AbortController().signal })
    expect(await purge(), 'a workspace that is not swept keeps its rows').to.equal(false)
    expect(await leftOf(id)).to.not.deep.equal([])
    expect(await expireWorkspaces(db(), new Date(time))).to.be.greaterThan(0)
    await expectAudited(op, 'tenant.deleted', id)
    for (let i = 0; i < 2; i++) expect(await purge()).to.equal(true)
    expect(await leftOf(id)).to.deep.equal([])
    await expired(await whoami(token))
  })

  /** Tables of the work of a tenant that still have rows of it. */
  async function leftOf(tenantId: string): Promise<readonly string[]> {
    const left: string[] = []
    const moved = TABLES.filter(
      ({ facts }) => 'merge' in facts && !(typeof facts.merge === 'object' && 'stays' in facts.merge),
    )
    for (const { tableName: table } of moved) {
      const rows = await sendSql(db(), `select 1 from ${table} where tenant_id = $1 limit 1`, [tenantId])
      if (rows.length > 0) left.push(table)
    }
    return left
  }
})
