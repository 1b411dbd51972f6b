import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { DEFAULT_LIMITS } from '../../../core/limits.ts'
import { collectOrphanedBlobs } from '../../../db/kernel/blobs/collect-orphans.ts'
import { openOutbox } from '../../../db/kernel/outbox/outbox.ts'
import { purgeTenant } from '../../../db/overview/deletion/purge/purge-tenant.ts'
import { REMOVALS } from '../../../db/overview/deletion/purge/removals.ts'
import { requestPurges } from '../../../db/overview/across/deletion/request-purges.ts'
import { verifyArchive } from '../../../core/compile/archive/verify.ts'
import { useApi, type Answer } from '../../support/api.ts'
import { expectAudited } from '../../support/db/audit.ts'
import { SamlIdp } from '../../support/identity/saml-idp.ts'
import { mailedToken } from '../../support/mail/mails.ts'
import { givenBatch } from '../../support/people/given-batch.ts'
import { givenDocuments } from '../../support/people/given-documents.ts'
import { givenLife } from '../../support/people/given-life.ts'
import { givenErrands, givenLearned } from '../../support/people/given-learned.ts'
import { givenTraces } from '../../support/people/given-traces.ts'
import { findOwner, givenPlan, setUpOperation } from '../../support/people/given-members.ts'
import { UPPER_PROGRAM } from '../../support/archives/archives.ts'
import { givenVersion } from '../../support/archives/signed-artifacts.ts'
import { givenCaptured, givenForgotten, givenObserved } from '../../support/db/given-captures.ts'
import { sendSql } from '../../support/db/send-sql.ts'

const DAY_MS = 86_400_000
/** Stands in everything that the tenant leaves here, in capitals or not. */
const MARK = 'zanzibar'

describe('the data of a deleted tenant', () => {
  let aheadMs = 0
  const now = () => new Date(Date.now() + aheadMs)
  const api = useApi({ settings: { isMailConfigured: true }, now })
  const db = () => api.server.services.db
  afterEach(() => {
    aheadMs = 0
  })

  const operation = (tenantId: string) => ({ ...setUpOperation(db(), tenantId), now })
  const purge = async (tenantId: string) =>
    await purgeTenant(operation(tenantId), { limits: DEFAULT_LIMITS, signal: new AbortController().signal })
  const succeed = async (method: string, path: string, key: string, body?: object): Promise<Answer> => {
    const answer = await api.call(method, path, {
      key,
      body,
      headers: { 'idempotency-key': randomBytes(8).toString('hex') },
    })
    expect(answer.status, `${path}: ${answer.text}`).to.be.oneOf([200, 201, 202])
    return answer
  }
  const countOf = async (tenantId: string, table: string, where: string): Promise<number> => {
    const [row] = await sendSql<{ rows: number }>(db(), `select count(*) as rows from ${table} where ${where}`, [
      tenantId,
    ])
    return row?.rows ?? 0
  }
  const nameOf = async (key: string) => (await api.call('GET', '/v1/account', { key })).body.name
  const verify = async (body: object): Promise<number> =>
    (await api.call('POST', '/v1/receipts/verify', { body })).status
  const signUp = async (email: string) => {
    const { status, body, text } = await api.call('POST', '/v1/signup', { body: { email, name: `${MARK} works` } })
    expect(status, text).to.equal(201)
    return { id: String(body.tenant.id), key: String(body.api_key), email }
  }
  const remove = async (key: string) => {
    const confirm = `DELETE ${await nameOf(key)}`
    await succeed('POST', '/v1/account/delete', key, { confirm })
  }

  /** Writes what the calls so far used. */
  async function flushUsage() {
    await api.server.services.invocations.flush()
    await api.server.services.meter.flush()
  }

  /** A tenant that has left something in every table; answers what it keeps outside of the service. */
  async function givenEverything() {
    const tenant = await signUp(`${MARK}-${randomBytes(4).toString('hex')}@example.test`)
    const { id, key, email } = tenant
    await api.call('POST', '/v1/auth/email/confirm', { body: { token: await mailedToken(db(), email, 'verify') } })
    await givenPlan(db(), id, 'business')
    const owner = await findOwner(operation(id))
    const { signingKeys, receiptSecrets } = api.server.services
    const version = await givenVersion(operation(id), {
      recipe: { kind: 'program', recipe: UPPER_PROGRAM },
      training: null,
      signer: signingKeys.current,
      macKey: await receiptSecrets.current(id),
      task: `Write ${MARK} in capitals`,
    })
    const run = await succeed('POST', '/v1/run', key, { concept_id: version.conceptId, input: MARK })
    await flushUsage()
    const archive = await api.call('GET', `/v1/artifacts/${version.jobId}/download`, { key })
    await api.call('POST', '/v1/signin', { body: { api_key: key } })
    await succeed('PUT', '/v1/account/settings', key, { default_namespace: MARK })
    await succeed('POST', '/v1/account/scoped-keys', key, { scopes: ['run'], label: MARK })
    await succeed('POST', '/v1/account/provider-keys', key, { provider: 'openai', value: `sk-${MARK}-0123456789` })
    await succeed('POST', '/v1/conversations', key, { model: 'm', messages: [{ role: 'user', content: MARK }] })
    await succeed('POST', '/v1/account/next-actions/snooze', key, { dismiss_key: `readiness:${MARK}` })
    await succeed('POST', '/v1/account/sso/configure', key, {
      metadata_xml: new SamlIdp().metadata(),
      domains: [`${MARK}.test`],
    })
    await succeed('POST', '/v1/account/api-control-center/events', key, { source_id: MARK, input: MARK, output: MARK })
    await succeed('PATCH', '/v1/account/billing', key, { company_name: `${MARK} Ltd` })
    await succeed('POST', '/v1/share-links', key, { target_id: version.jobId })
    await succeed('POST', '/v1/teams', key, { name: MARK })
    await succeed('POST', `/v1/orgs/${id}/invites`, key, { email: `guest-${email}` })
    await succeed('POST', '/v1/exports', key, { artifact_id: version.jobId })
    await sendSql(db(), `update exports set finished_at = now(), state = 'failed' where tenant_id = $1`, [id])
    await givenBatch(operation(id), version)
    await givenCaptured(operation(id), { question: `Say ${MARK}` })
    await givenObserved(operation(id), { jobId: version.jobId, namespace: MARK })
    await givenForgotten(operation(id), `${MARK} works`)
    await givenDocuments(db(), { tenantId: id, namespace: MARK, mark: MARK })
    await givenLife(db(), { tenantId: id, artifactId: version.jobId, namespace: MARK, mark: MARK })
    const things = { namespace: MARK, artifactId: version.jobId, mark: MARK }
    await givenLearned(operation(id), things)
    await givenErrands(operation(id), things)
    await givenTraces(db(), { tenantId: id, memberId: owner.id, jobId: version.jobId, mark: MARK })
    return { ...tenant, run: run.body.receipt, receipt: version.receipt, archive: archive.bytes }
  }

  /** Tables in which a word stands. */
  async function tablesThatSay(word: string): Promise<readonly string[]> {
    const tables = await sendSql<{ name: string }>(
      db(),
      `select table_name as name from information_schema.tables
       where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`,
    )
    const saying: string[] = []
    for (const { name } of tables) {
      const rows = await sendSql(db(), `select 1 from "${name}" t where t::text ilike $1 limit 1`, [`%${word}%`])
      if (rows.length > 0) saying.push(name)
    }
    return saying
  }

  it('goes when its days are over, all but the books, the ledger and what receipts are verified with', async () => {
    const tenant = await givenEverything()
    for (const { table, where } of REMOVALS) {
      expect(await countOf(tenant.id, table, where), `rows in ${table} before`).to.be.greaterThan(0)
    }
    const claim = {
      artifact_hash: tenant.receipt.artifact_hash,
      chain: tenant.receipt.chain,
      signature: tenant.receipt.signature,
    }
    const receipts = [{ receipt: tenant.run }, { receipt: tenant.receipt }, { receipt: claim }]
    await remove(tenant.key)
    for (const body of receipts) expect(await verify(body), 'after the deletion').to.equal(200)
    // Long before the days are over.
    await flushUsage()

    aheadMs = 29 * DAY_MS
    expect(await requestPurges(db(), { limits: DEFAULT_LIMITS, now: now() })).to.equal(0)
    expect(await purge(tenant.id)).to.equal(false)
    expect(await tablesThatSay(MARK)).to.include.members(['compile_jobs', 'members', 'mails', 'control_events'])

    aheadMs = 31 * DAY_MS
    expect(await requestPurges(db(), { limits: DEFAULT_LIMITS, now: now() })).to.equal(1)
    expect(await openOutbox(db()).find(`${tenant.id}/deletion`)).to.deep.include({
      family: 'deletion',
      input: { tenantId: tenant.id },
    })
    expect(await purge(tenant.id)).to.equal(true)
    for (const { table, where } of REMOVALS) expect(await countOf(tenant.id, table, where), table).to.equal(0)
    // The ledger quotes names that people chose, and invoices name their recipient.
    expect(await tablesThatSay(MARK)).to.have.members(['audit_entries', 'billing_accounts'])
    expect(await countOf(tenant.id, 'invoices', 'tenant_id = $1')).to.equal(1)
    await collectOrphanedBlobs(db(), new Date(now().getTime() + DAY_MS))
    expect(await countOf(tenant.id, 'blobs', '$1::text is not null')).to.equal(0)
    await expectAudited(operation(tenant.id), 'tenant.purged', tenant.id)

    for (const body of receipts) expect(await verify(body), 'after the purge').to.equal(200)
    const forged = { ...claim, signature: `hmac-sha256:${'0'.repeat(64)}` }
    expect(await verify({ receipt: forged })).to.equal(409)
    const { body: jwks } = await api.call('GET', '/.well-known/jwks.json')
    expect(await verifyArchive(tenant.archive, { trustedKeys: jwks.keys })).to.include({ ok: true })

    expect(await purge(tenant.id), 'once more').to.equal(true)
    expect(await requestPurges(db(), { limits: DEFAULT_LIMITS, now: now() })).to.equal(0)
    expect((await signUp(tenant.email)).id, 'the address is free').to.not.equal(tenant.id)
  })

  it('ends with the name of a table whose rows the database keeps', async () => {
    const tenant = await signUp(`${randomBytes(6).toString('hex')}@example.test`)
    await remove(tenant.key)
    aheadMs = 31 * DAY_MS
    const name = `keep_${randomBytes(4).toString('hex')}`
    await sendSql(db(), `create function ${name}() returns trigger language plpgsql as 'begin return null; end'`)
    await sendSql(
      db(),
      `create trigger ${name} before delete on mails for each row when (old.tenant_id = '${tenant.id}')
       execute function ${name}()`,
    )
    const signal = AbortSignal.timeout(20_000)
    const failure = await purgeTenant(operation(tenant.id), { limits: DEFAULT_LIMITS, signal }).catch(String)
    await sendSql(db(), `drop function ${name} cascade`)
    expect(failure).to.match(/rows stay in mails$/)
    expect(await purge(tenant.id)).to.equal(true)
  })

  it('goes of a workspace that was merged as well: what stayed behind', async () => {
    const tenant = await signUp(`${randomBytes(6).toString('hex')}@example.test`)
    const { body } = await api.call('POST', '/v1/anon/bootstrap', { body: {} })
    const token = String(body.anon_token)
    await api.call('POST', '/v1/signin', { body: { api_key: token } })
    await succeed('POST', '/v1/anon/claim', tenant.key, { anon_token: token, email: tenant.email })
    const sessions = async () => await countOf(String(body.tenant_id), 'sessions', 'tenant_id = $1')
    expect(await sessions()).to.equal(1)
    expect(await purge(body.tenant_id)).to.equal(false)
    aheadMs = 31 * DAY_MS
    expect(await purge(body.tenant_id)).to.equal(true)
    expect(await sessions()).to.equal(0)
    expect(await purge(tenant.id), 'of a tenant that lives nothing goes').to.equal(false)
  })
})
