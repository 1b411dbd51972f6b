import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { loadEnvironment } from '../../../config/environment.ts'
import { ROUTES } from '../../../api/routes.ts'
import { ADMIN_KEY, givenApiTenant, NO_TEMPORAL, type Answer, type ApiTenant } from '../../support/api.ts'
import { givenProgramVersion } from '../../support/archives/signed-artifacts.ts'
import { selfSigned } from '../../support/identity/self-signed.ts'
import { givenKey } from '../../support/people/given-keys.ts'
import { findOwner, givenMember, givenPlan, givenSession, setUpOperation } from '../../support/people/given-members.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { loseAnswers } from './lose-answers.ts'
import { useBilling } from '../../billing/api/use-billing.ts'
import { accountSamples } from './samples/account-samples.ts'
import { captureSamples, type Sample } from './samples/capture-samples.ts'
import { learnSamples } from './samples/learn-samples.ts'
import { sessionEnds } from './session-ends.ts'
import { givenOpenQuestion } from './given-open-question.ts'
import { sendSql } from '../../support/db/send-sql.ts'

/** The routes that answer a call once, but for compiles, whose key stands on the job: it is made in one transaction. */
const KEPT = ROUTES.filter(({ idempotency }) => idempotency === 'kernel')
const COMPILES = ROUTES.filter(({ idempotency }) => idempotency === 'handler')
const { certificatePem } = selfSigned('idp.test')
const BASES = fileURLToPath(new URL('../../../bases', import.meta.url))
const WORKSPACES = mkdtempSync(join(tmpdir(), 'svc-idempotency-'))
const EXAMPLES = Array.from({ length: 4 }, (_, i) => ({ input: `in ${i}`, output: `OUT ${i}` }))

/** The version of a dataset that an answer names. */
function versionOf({ body }: Answer): string | undefined {
  return body.dataset_id === undefined || body.version === undefined ? undefined : `${body.dataset_id}/v${body.version}`
}

/** The id of what a call made, or that of the call. */
function idIn(answer: Answer): string | undefined {
  const { job_id: job, evaluation_id: evaluation, request_id: request } = answer.body
  return job ?? versionOf(answer) ?? evaluation ?? answer.headers.get('x-svc-batch-id') ?? request
}

/** A sample; as a function where it needs more than the tenant, which is then made for its tests alone. */
type GivenSample = Sample | (() => Promise<Sample>)

type Caller = { readonly key: string } | { readonly headers: Readonly<Record<string, string>> }

describe('an Idempotency-Key', () => {
  const database = useDatabase()
  const billing = useBilling({
    stores: () => ({ database, temporal: NO_TEMPORAL }),
    limits: {
      quota_free: 100_000,
      sync_dataset_wait_s: 0.05,
      sync_bakeoff_wait_s: 0.05,
      sync_inference_wait_s: 0.05,
      invites_per_ip_15min: 10_000,
      planning_calls_per_ip_minute: 10_000,
    },
    settings: {
      isMailConfigured: true,
      publicUrl: 'http://svc.test',
      baseFolders: [BASES],
      workspacesDir: WORKSPACES,
      rentals: { ...loadEnvironment({}).rentals, image: 'svc/trainer' },
      upstreams: { openai: { apiKey: 'sk-of-the-operator' } },
    },
  })
  const { api, stripe } = billing
  let tenant: ApiTenant
  let samples: Record<string, GivenSample>
  let serial = 0
  const count = async (query: string) => {
    const [row] = await sendSql<{ n: number }>(database.db, query, [tenant.id])
    return Number(row?.n ?? 0)
  }
  const rows = (table: string) => async () => await count(`select count(*) as n from ${table} where tenant_id = $1`)
  const lines = (action: string) => async () =>
    await count(
      `select count(*) as n from (select action from audit_entries where tenant_id = $1
       union all select action from audit_pending where tenant_id = $1) l where action = '${action}'`,
    )

  after(() => rmSync(WORKSPACES, { recursive: true, force: true }))
  beforeEach(async () => {
    tenant = await givenApiTenant(api)
    await givenPlan(database.db, tenant.id, 'business')
    const { services } = api.server
    const programVersion = async () =>
      await givenProgramVersion(setUpOperation(database.db, tenant.id), services.signingKeys.current)
    const compile = {
      body: { task: 'Write it in capitals', mode: 'async', base_model: 'none', examples: EXAMPLES },
      effects: rows('compile_jobs'),
    }
    const openQuestion = async () => await givenOpenQuestion(api, { tenant, db: database.db, body: compile.body })
    const calls = async () => {
      await services.invocations.flush()
      return await count(
        `select coalesce(sum(quantity), 0) as n from usage_days where tenant_id = $1 and unit = 'gateway_calls'`,
      )
    }
    samples = {
      run: async () => ({
        path: '/v1/run',
        body: { concept_id: (await programVersion()).conceptId, input: 'x', use_cache: false },
        effects: calls,
      }),
      runBatch: async () => ({
        path: '/v1/run/batch',
        body: { concept_id: (await programVersion()).conceptId, inputs: ['x'] },
        effects: rows('run_batches'),
      }),
      configureSso: {
        path: '/v1/account/sso/configure',
        body: { idp_cert_pem: certificatePem, idp_entity_id: 'https://idp.test', sso_url: 'https://idp.test/sso' },
        effects: lines('identity.configured'),
      },
      receiveControlEvent: {
        path: '/v1/account/api-control-center/events',
        body: { namespace: 'support', payload: { note: 'a note' } },
        effects: rows('control_events'),
      },
      declareExport: {
        path: '/v1/account/api-control-center/exports',
        body: {
          export_mode: 'batch-export',
          destination: { id: 'dwh', type: 'warehouse' },
          destination_class: 'warehouse',
          processor: 'tenant',
          payload_class: 'captures',
          redaction_mode: 'redact',
          payload: { a: 1 },
        },
        effects: rows('export_declarations'),
      },
      ...captureSamples(api, tenant, { rows, lines }),
      ...learnSamples(api, tenant, { rows, lines }),
      snoozeNextAction: {
        path: '/v1/account/next-actions/snooze',
        body: { dismiss_key: 'stale:x', days: 3 },
        effects: lines('next_action.snoozed'),
      },
      ...accountSamples(billing, tenant, { rows, lines }),
      createExport: async () => ({
        path: '/v1/exports',
        body: { artifact_id: (await programVersion()).jobId },
        effects: rows('exports'),
      }),
      moveArtifact: async () => ({
        path: `/v1/artifacts/${(await programVersion()).jobId}/lifecycle/transition`,
        body: { to_state: 'revoked', reason: 'a leak' },
        effects: rows('artifact_transitions'),
      }),
      createShareLink: async () => ({
        path: '/v1/share-links',
        body: { target_id: (await programVersion()).jobId },
        effects: rows('share_links'),
      }),
      answerCompileQuestion: async () => ({ ...(await openQuestion()), effects: lines('compile.question_answered') }),
      createCompile: { path: '/v1/compile', ...compile },
      startCompile: { path: '/v1/compile/start', ...compile },
      compileAgain: async () => ({ ...compile, path: (await openQuestion()).path.replace(/answers$/, 'again') }),
      compileBuilder: {
        path: '/v1/builder/compile',
        body: { task: 'Write it in capitals', examples: EXAMPLES },
        effects: rows('compile_jobs'),
      },
    }
  })
  afterEach(async () => await sendSql(database.db, 'drop trigger if exists lost on idempotency_keys'))
  const sampleOf = async (route: string): Promise<Sample> => {
    const given = samples[route]
    if (given === undefined) throw new Error(`${route} answers once: give it a sample`)
    const sample = typeof given === 'function' ? await given() : given
    samples[route] = sample
    return sample
  }
  const send = async (route: string, caller: Caller, text: string): Promise<Answer> => {
    const { path, body, form } = await sampleOf(route)
    const own = 'headers' in caller ? caller.headers : { 'x-api-key': caller.key }
    const credential = route === 'refundCharge' ? { 'x-admin-key': ADMIN_KEY } : own
    const raw = form === undefined ? {} : { raw: form() }
    return await api.call('POST', path, { body, ...raw, headers: { ...credential, 'idempotency-key': text } })
  }
  const withOwner = async () => {
    const owner = await findOwner(setUpOperation(database.db, tenant.id))
    const given = await givenKey(database.db, { tenantId: tenant.id, scopes: ['*'] })
    await sendSql(database.db, 'update api_keys set member_id = $2 where id = $1', [given.keyId, owner.id])
    return given
  }
  for (const { operationId: route } of [...KEPT, ...COMPILES]) {
    it(`has one effect at ${route}, also when the answer could not be stored, and answers no other credential of the tenant`, async () => {
      const { effects } = await sampleOf(route)
      const before = await effects()
      await loseAnswers(database.db)
      const text = `k-${++serial}`
      const lost = await send(route, tenant, text)
      const isCompile = COMPILES.some(({ operationId }) => operationId === route)
      if (!isCompile) expect(lost.status, lost.text).to.equal(500)
      await sendSql(database.db, 'drop trigger lost on idempotency_keys')
      const first = await send(route, tenant, text)
      expect(first.status, first.text).to.be.within(200, 202)
      const again = await send(route, tenant, text)
      expect(again.status, again.text).to.equal(first.status)
      if (!isCompile) expect(again.text).to.equal(first.text)
      expect((await effects()) - before, route).to.equal(1)
      // Administrators are known by one key.
      if (route === 'refundCharge') return
      const { key } = await withOwner()
      const other = await send(route, { key }, text)
      expect(idIn(other), other.text).to.not.equal(idIn(first))
      expect(idIn(await send(route, tenant, text))).to.equal(idIn(first))
    })

    it(`is asked again whether the caller may, at ${route}`, async function () {
      if (route === 'refundCharge') return this.skip()
      const text = `k-${++serial}`
      const { key, keyId } = await withOwner()
      const first = await send(route, { key }, text)
      expect(first.status, first.text).to.be.within(200, 202)
      await sendSql(database.db, 'update api_keys set revoked_at = now() where id = $1', [keyId])
      api.server.services.keys.forget(keyId)
      expect((await send(route, { key }, text)).status).to.equal(401)
      // One of the calls gives the plan up, and with it the seat that is needed now.
      await givenPlan(database.db, tenant.id, 'business')
      const member = await givenMember(setUpOperation(database.db, tenant.id), { role: 'admin' })
      const { headers } = await givenSession(database.db, member)
      const asAdmin = await send(route, { headers }, text)
      const lowered = await api.call('PATCH', `/v1/orgs/${tenant.id}/members/${member.id}`, {
        key: tenant.key,
        body: { role: 'viewer' },
      })
      // Giving the plan up has already taken the seat, and the session with it.
      expect(lowered.status, lowered.text).to.equal(route === 'cancelPlan' ? 404 : 200)
      if (route === 'cancelPlan') await sessionEnds(api, headers)
      const [anew, again] = [await send(route, { headers }, `${text}-anew`), await send(route, { headers }, text)]
      expect(again.status, `${asAdmin.text} ${again.text}`).to.equal(anew.status)
      expect(again.status, again.text).to.equal(route === 'cancelPlan' ? 401 : 403)
    })
  }

  it('belongs to the person, whatever session it is used in', async () => {
    const member = await givenMember(setUpOperation(database.db, tenant.id), { role: 'admin' })
    const [one, two] = [await givenSession(database.db, member), await givenSession(database.db, member)]
    const first = await send('createTeam', { headers: one.headers }, 'k')
    expect(first.status, first.text).to.equal(201)
    expect((await send('createTeam', { headers: two.headers }, 'k')).text).to.equal(first.text)
  })

  it('of a team that its maker no longer runs does not tell the invitation again', async () => {
    const op = setUpOperation(database.db, tenant.id)
    const member = await givenMember(op, { role: 'admin' })
    const { headers } = await givenSession(database.db, member)
    expect((await send('inviteToTeam', { headers }, 'k')).status).to.equal(201)
    // A member still holds the scope of the route; what the team says of them is the handler's to ask.
    await api.call('PATCH', `/v1/orgs/${tenant.id}/members/${member.id}`, { key: tenant.key, body: { role: 'member' } })
    expect((await send('inviteToTeam', { headers }, 'k')).status).to.equal(403)
  })

  it('that was used before keys had owners is refused without an answer of before', async () => {
    expect((await send('createShareLink', tenant, 'k')).status).to.equal(201)
    await sendSql(database.db, `update idempotency_keys set credential = '' where tenant_id = $1`, [tenant.id])
    const refused = await send('createShareLink', tenant, 'k')
    expect([refused.status, refused.body.code]).to.deep.equal([409, 'idempotency_key_reused'])
  })

  it('of a refund whose process died after the processor did it makes no second one', async () => {
    const { body, effects } = await sampleOf('refundCharge')
    const gone = stripe.neverAnswer('POST', '/refunds')
    const abort = new AbortController()
    const dying = fetch(`${api.url}/v1/admin/refund`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', 'x-admin-key': ADMIN_KEY, 'idempotency-key': 'k-refund' },
      signal: abort.signal,
    }).catch(() => undefined)
    await gone
    abort.abort()
    await dying
    // The processor tells of it before the call is repeated; and the claim of the process that died is over.
    await sendSql(
      database.db,
      `update refunds set state = 'succeeded' where state = 'pending' and idempotency_key like 'refund/%'`,
    )
    await sendSql(
      database.db,
      `update idempotency_keys set lease_until = now() - interval '1 second', claim_token = gen_random_uuid()
       where key = 'k-refund' and status is null`,
    )
    const again = await send('refundCharge', tenant, 'k-refund')
    expect(again.status, again.text).to.equal(200)
    expect(await effects()).to.equal(1)
  })
})
