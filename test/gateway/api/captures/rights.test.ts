import { expect } from 'chai'
import { checkDocument, Ed25519Block } from '../../../../core/ledger/keys/sealed-document.ts'
import { runForget } from '../../../../db/gateway/captures/forget/run-forget.ts'
import { givenApiTenant, NO_TEMPORAL, useApi, type ApiTenant } from '../../../support/api.ts'
import { expectAudited } from '../../../support/db/audit.ts'
import { sendSql } from '../../../support/db/send-sql.ts'
import { givenScopedKey } from '../../../support/people/given-keys.ts'
import { givenMember, givenPlan, givenSession, setUpOperation } from '../../../support/people/given-members.ts'
import { useDatabase } from '../../../support/stack/postgres.ts'

const CANARY = 'ada.lovelace@example.org'

describe('captures that are forgotten, followed and guarded', () => {
  const database = useDatabase()
  const api = useApi({ stores: () => ({ database, temporal: NO_TEMPORAL }) })
  let tenant: ApiTenant
  beforeEach(async () => {
    tenant = await givenApiTenant(api)
  })
  const call = async (method: string, path: string, body?: unknown, key = tenant.key) =>
    await api.call(method, path, { key, ...(body !== undefined && { body }) })
  const items = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ input: `Classify the ticket: ${i}`, output: `answer ${i}` }))
  const log = async (given: object, key = tenant.key, headers: Record<string, string> = {}) =>
    await api.call('POST', '/v1/capture/log', { key, headers, body: { namespace: 'support', ...given } })
  const logged = async (given: object): Promise<string[]> => {
    const answer = await log(given)
    expect(answer.status, answer.text).to.equal(201)
    return answer.body.ids
  }

  it('are forgotten with a signed certificate, everywhere and for good, and the chain still verifies', async () => {
    await call('PUT', '/v1/gateway/namespaces/support', { privacy_policy: 'allow', redact_mode: 'detect_only' })
    const [one = '', two = ''] = await logged({ items: [{ input: `I am ${CANARY}`, output: 'hello' }, ...items(1)] })
    const forget = async (body: object) => await call('POST', '/v1/captures/forget', { confirm: true, ...body })
    expect((await call('POST', '/v1/captures/forget', { capture_id: one })).status).to.equal(400)
    expect((await forget({})).status).to.equal(400)
    expect((await forget({ capture_id: one, namespace: 'elsewhere' })).status).to.equal(404)
    expect((await forget({ capture_id: one.replace(/.$/, (c) => (c === '0' ? '1' : '0')) })).status).to.equal(404)
    const done = await forget({ capture_id: one, reason: 'user_request' })
    expect(done.body, done.text).to.deep.include({ count: 1, idempotent_hit: false })
    const { deletion_certificate: certificate } = done.body.markers[0]
    expect(certificate).to.include({ hard_delete_status: 'performed', reason: 'user_request' })
    const { current } = api.server.services.signingKeys
    const signed = { ...certificate, signature_ed25519: Ed25519Block.parse(certificate.signature_ed25519) }
    expect(checkDocument(signed, new Map([[current.kid, current.publicKey]]))).to.equal('trusted')
    await expectAudited(setUpOperation(database.db, tenant.id), 'capture.forgotten', one)
    const again = await forget({ capture_id: one })
    expect(again.body).to.deep.include({ count: 0, idempotent_hit: true })
    expect(again.body.markers[0].deletion_certificate).to.deep.equal(certificate)
    expect((await call('GET', `/v1/captures/${one}/inspect`)).status).to.equal(404)
    expect((await call('POST', `/v1/captures/${one}/review`, { action: 'approve' })).body.code).to.equal(
      'capture_forgotten',
    )
    const listed = await call('GET', '/v1/captures/list?namespace=support')
    expect(listed.body.captures.map(({ id }: { id: string }) => id)).to.deep.equal([two])
    expect((await call('GET', '/v1/capture/export')).text).not.to.contain(CANARY)
    expect((await call('GET', '/v1/captures/forgotten')).body).to.deep.include({ n: 1 })
    expect((await call('GET', '/v1/captures/verify?namespace=support')).body).to.deep.include({
      verified: true,
      chain_length: 2,
    })
    for (const table of ['captures', 'capture_contents', 'capture_texts', 'capture_certificates']) {
      const rows = await sendSql(database.db, `select to_json(t)::text as row from ${table} t where tenant_id = $1`, [
        tenant.id,
      ])
      expect(JSON.stringify(rows), table).not.to.contain(CANARY)
    }
  })

  it('are forgotten by a subject in the background, and the subject is redacted from then on', async () => {
    await call('PUT', '/v1/gateway/namespaces/support', { privacy_policy: 'allow', redact_mode: 'detect_only' })
    const [one = '', two = '', three = ''] = await logged({
      items: [
        { input: 'A letter from Grace  Hopper', output: 'ok' },
        { input: 'grace under pressure', output: 'by GRACE HOPPER' },
        { input: 'a hopper', output: 'ok' },
      ],
    })
    const begun = await call('POST', '/v1/captures/forget', { confirm: true, subject: 'Grace Hopper' })
    expect(begun.status, begun.text).to.equal(202)
    const { forget_id: forgetId } = begun.body.forget
    const op = { ...setUpOperation(database.db, tenant.id), scopes: null }
    const signer = api.server.services.signingKeys.current
    const { captureLearners: learners } = api.server.services
    const run = { forgetId, signer, learners, signal: new AbortController().signal, onBatch: () => undefined }
    expect(await runForget(op, run)).to.equal(2)
    expect(await runForget(op, run)).to.equal(2)
    const forgotten = (await call('GET', '/v1/captures/forgotten')).body
    expect(forgotten.markers.map(({ capture_id: id }: { capture_id: string }) => id).toSorted()).to.deep.equal(
      [one, two].toSorted(),
    )
    expect(forgotten.forgets[0]).to.deep.include({ state: 'done', forgotten: 2, kind: 'subject' })
    const listed = await call('GET', '/v1/captures/list')
    expect(listed.body.captures.map(({ id }: { id: string }) => id)).to.deep.equal([three])
    const [later] = await logged({ items: [{ input: 'Is Grace Hopper there?', output: 'no' }] })
    expect((await call('GET', `/v1/captures/${later}/inspect`)).body.capture.prompt).to.equal(
      'Is VAR_FORGOTTEN_1 there?',
    )
  })

  it('are followed live by every process, and resumed without a gap', async () => {
    await logged({ items: items(2) })
    const follow = async (path: string, headers: Record<string, string> = {}) => {
      const stop = new AbortController()
      const response = await fetch(`${api.server.url}${path}`, {
        headers: { 'x-api-key': tenant.key, ...headers },
        signal: stop.signal,
      })
      expect(response.headers.get('content-type')).to.contain('text/event-stream')
      let text = ''
      const until = async (mark: RegExp) => {
        while (!mark.test(text)) {
          const { value, done } = await reader.read()
          if (done) throw new Error(`the stream ended: ${text}`)
          text += Buffer.from(value).toString()
        }
        return text
      }
      if (response.body === null) throw new Error('no stream')
      const reader = response.body.getReader()
      return { until, stop: () => stop.abort() }
    }
    const tail = await follow('/v1/capture/stream?namespace=support&replay_limit=1')
    const replayed = await tail.until(/event: replay_complete/)
    expect(replayed.match(/event: capture\n/g)).to.have.length(1)
    expect(replayed).to.contain('"replayed":true')
    await logged({ items: [{ input: 'a live one', output: 'x' }] })
    const live = await tail.until(/a live one/)
    expect(live).to.contain('"status":"pending"')
    tail.stop()
    const resumed = await follow('/v1/capture/stream', { 'last-event-id': '2' })
    const rest = await resumed.until(/event: replay_complete/)
    resumed.stop()
    expect(rest.match(/event: capture\n/g)).to.have.length(1)
    expect(rest).to.contain('id: 3\nevent: capture')
  })

  it('are open to the scopes and the role that the policy names, and to nothing that a body claims', async () => {
    const [id = ''] = await logged({ items: items(1) })
    await log({ namespace: 'other', items: items(1) })
    const { key } = await givenScopedKey(api, tenant.key, { scopes: ['lake:read', 'namespace:support'] })
    const status = async (method: string, path: string, body?: unknown) => (await call(method, path, body, key)).status
    expect((await call('GET', '/v1/capture/browse', undefined, key)).body.total).to.equal(1)
    expect(await status('GET', '/v1/captures/list?namespace=other')).to.equal(403)
    expect(await status('GET', '/v1/capture/export')).to.equal(403)
    expect(await status('POST', `/v1/captures/${id}/review`, { action: 'approve' })).to.equal(403)
    const judged = await call('POST', '/v1/capture/rbac/evaluate', { action: 'lake:export', role: 'owner' }, key)
    expect(judged.body, judged.text).to.deep.include({ allowed: false, reason: 'insufficient_scope' })
    const judge = async (body: object) => (await call('POST', '/v1/capture/rbac/evaluate', body, key)).body.reason
    expect(await judge({ action: 'capture:read', namespace: 'support' })).to.equal('allowed')
    expect(await judge({ action: 'capture:read', namespace: 'other' })).to.equal('namespace_not_allowed')
    expect(await judge({ action: 'capture:burn' })).to.equal('unknown_action')
    const policy = await call('GET', '/v1/capture/rbac/policy')
    expect(policy.body.actions['lake:export']).to.deep.include({ min_role: 'admin' })

    const { db } = api.server.services
    await givenPlan(db, tenant.id, 'business')
    const viewer = await givenSession(db, await givenMember(setUpOperation(db, tenant.id), { role: 'viewer' }))
    const asViewer = async (method: string, path: string, body?: unknown) =>
      await api.call(method, path, { headers: viewer.headers, ...(body !== undefined && { body }) })
    expect((await asViewer('GET', '/v1/captures/list')).status).to.equal(200)
    expect((await asViewer('POST', '/v1/captures/forget', { confirm: true, capture_id: id })).status).to.equal(403)
    const role = await asViewer('POST', '/v1/capture/rbac/evaluate', { action: 'capture:write' })
    expect(role.body).to.deep.include({ reason: 'insufficient_role', member_role: 'viewer', required_role: 'member' })
  })

  it('have a snippet for each language, with the key of the call', async () => {
    for (const lang of ['curl', 'javascript', 'typescript', 'python', 'go', 'java', 'ruby']) {
      const answer = await call('GET', `/v1/capture/snippet?namespace=support&lang=${lang}`)
      expect(answer.body.snippet, lang).to.contain(tenant.key)
    }
    const anonymous = await api.call('GET', '/v1/capture/snippet')
    expect([anonymous.status, anonymous.body.has_key]).to.deep.equal([200, false])
    const health = await call('GET', '/v1/capture/health')
    expect(health.body).to.deep.include({ ok: true, driver: 'postgres', durable: true })
  })
})

describe('limits of captures', () => {
  const api = useApi({
    limits: {
      capture_streams_per_tenant: 0,
      capture_exports_per_tenant: 0,
      capture_uploads_per_tenant: 0,
      capture_forgets_per_tenant: 0,
    },
  })

  it('bound streams, exports, uploads and requests to forget of a tenant', async () => {
    const { key } = await givenApiTenant(api)
    for (const path of ['/v1/capture/stream', '/v1/capture/export']) {
      expect((await api.call('GET', path, { key })).body.code, path).to.equal('rate_limited')
    }
    const named = { capture_ids: ['cap_0123456789abcdefghjkmnpqrs'] }
    expect((await api.call('POST', '/v1/capture/export', { key, body: named })).body.code).to.equal('rate_limited')
    const raw = new FormData()
    raw.set('file', new Blob(['a file']), 'a.txt')
    expect((await api.call('POST', '/v1/capture/media', { key, raw })).body.code).to.equal('rate_limited')
    const body = { confirm: true, subject: 'Ada Lovelace' }
    expect((await api.call('POST', '/v1/captures/forget', { key, body })).body.code).to.equal('limit_reached')
  })
})
