import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { parquetReadObjects } from 'hyparquet'
import { checkDocument, Ed25519Block } from '../../../../core/ledger/keys/sealed-document.ts'
import { runForget } from '../../../../db/gateway/captures/forget/run-forget.ts'
import { givenApiTenant, NO_TEMPORAL, useApi, type ApiTenant } from '../../../support/api.ts'
import { sendSql } from '../../../support/db/send-sql.ts'
import { givenScopedKey } from '../../../support/people/given-keys.ts'
import { givenMember, givenPlan, givenSession, setUpOperation } from '../../../support/people/given-members.ts'
import { useDatabase } from '../../../support/stack/postgres.ts'

const CANARY = 'ada.lovelace@example.org'

describe('captures over HTTP', () => {
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

  it('are stored from a log, listed by every filter, and read by their tenant alone', async () => {
    const ids = await logged({ items: items(5), provider: 'openai', model: 'gpt-4o-mini' })
    const list = async (query: string) => (await call('GET', `/v1/captures/list?${query}`)).body
    const page = await list('namespace=support&limit=2&status=pending,approved&risk_min=0&risk_max=1&q=ticket')
    expect(page.captures.map(({ id }: { id: string }) => id).toSorted()).to.have.length(2)
    const rest = await list(`namespace=support&limit=200&cursor=${page.next_cursor}`)
    expect(rest.captures).to.have.length(3)
    expect((await list('namespace=support&offset=3')).captures).to.have.length(2)
    expect((await list('namespace=elsewhere')).total).to.equal(0)
    for (const wrong of ['status=lost', 'risk_min=2', 'q=ab', 'limit=201', 'from=today', 'pii=a b']) {
      expect((await call('GET', `/v1/captures/list?${wrong}`)).status, wrong).to.equal(400)
    }
    const one = await call('GET', `/v1/captures/${ids[0]}/inspect`)
    expect(one.body.capture).to.deep.include({ prompt: 'Classify the ticket: 0', response: 'answer 0', seq: 1 })
    const browsed = await call('GET', '/v1/capture/browse?namespace=support&limit=500')
    expect(browsed.body.captures[0].capture_id).to.equal(browsed.body.captures[0].id)
    const outsider = await givenApiTenant(api)
    expect((await call('GET', `/v1/captures/${ids[0]}/inspect`, undefined, outsider.key)).status).to.equal(404)
    expect((await call('GET', '/v1/capture/browse', undefined, outsider.key)).body.total).to.equal(0)
  })

  it('are redacted before they are stored, skipped without an output, and not kept when the call asks for that', async () => {
    const answer = await log({ items: [{ input: `Write to ${CANARY}`, output: 'done' }, { input: 'no output' }] })
    expect(answer.body).to.deep.include({ count: 1, skipped: [{ index: 1, reason: 'has no output' }] })
    const { capture } = (await call('GET', `/v1/captures/${answer.body.ids[0]}/inspect`)).body
    expect(capture).to.deep.include({ prompt: 'Write to VAR_EMAIL_1', redaction_applied: ['email'] })
    const none = await log({ items: items(1) }, tenant.key, { 'x-svc-retention': 'none' })
    expect([none.status, none.body.retention, none.body.ids]).to.deep.equal([202, 'none', []])
    expect((await call('GET', '/v1/capture/browse')).body.total).to.equal(1)
    for (const wrong of [{}, { items: 'one' }, { items: [] }, { items: items(201) }, { items: [{ input: 'x' }] }]) {
      expect((await log(wrong)).status).to.equal(400)
    }
  })

  it('are refused item by item where the namespace blocks sensitive text', async () => {
    const set = await call('PUT', '/v1/gateway/namespaces/support', { privacy_policy: 'block' })
    expect(set.status, set.text).to.equal(200)
    const mixed = await log({ items: [{ input: `Write to ${CANARY}`, output: 'x' }, ...items(1)] })
    expect(mixed.status, mixed.text).to.equal(207)
    expect(mixed.body).to.deep.include({ ok: false, count: 1 })
    expect(mixed.body.failures).to.deep.equal([{ index: 0, code: 'privacy_policy_blocked', classes: ['email'] }])
    const all = await log({ items: [{ input: `Write to ${CANARY}`, output: 'x' }] })
    expect([all.status, all.body.code]).to.deep.equal([403, 'privacy_policy_blocked'])
  })

  it('are reviewed one by one and in bulk, and redacted later without a break in the chain', async () => {
    await call('PUT', '/v1/gateway/namespaces/support', { privacy_policy: 'allow', redact_mode: 'detect_only' })
    const [one = '', two = ''] = await logged({ items: [...items(1), { input: `Write to ${CANARY}`, output: CANARY }] })
    const fixed = await call('POST', `/v1/captures/${one}/review`, { action: 'approve', fixed_output: 'Better.' })
    expect(fixed.body).to.deep.include({ status: 'approved', capture_id: one })
    const bulk = await call('POST', '/v1/captures/review-bulk', { ids: [two, 'cap_0'], action: 'quarantine' })
    expect(bulk.body).to.deep.include({ updated_count: 1, not_found: ['cap_0'], requested: 2 })
    const redacted = await call('POST', '/v1/capture/bulk', { action: 'redact', capture_ids: [two, 'cap_0'] })
    expect(redacted.body).to.deep.include({ processed: 1, not_found: ['cap_0'] })
    const { capture } = (await call('GET', `/v1/captures/${two}/inspect`)).body
    expect(capture).to.deep.include({ status: 'quarantined', prompt: 'Write to VAR_EMAIL_1', response: 'VAR_EMAIL_1' })
    expect(JSON.stringify(capture)).not.to.contain(CANARY)
    const verified = await call('GET', '/v1/captures/verify?namespace=support')
    expect(verified.body).to.deep.include({ verified: true, chain_length: 2 })
    expect((await call('POST', '/v1/capture/bulk', { action: 'burn', capture_ids: [one] })).status).to.equal(400)
  })

  it('are exported in five formats with a digest, and named ones inline', async () => {
    const [first = ''] = await logged({ items: [{ input: '=1+1', output: 'a "quoted", text' }, ...items(2)] })
    await call('POST', `/v1/captures/${first}/review`, { action: 'approve', fixed_output: '@two' })
    const get = async (query: string) => await call('GET', `/v1/capture/export?namespace=support&${query}`)
    const jsonl = (await get('format=jsonl')).text.trimEnd().split('\n')
    const { export: summary } = JSON.parse(jsonl.at(-1) ?? '')
    const rows = jsonl.slice(0, -1)
    const digest = createHash('sha256')
      .update(rows.map((row) => `${row}\n`).join(''))
      .digest('hex')
    expect(summary).to.deep.equal({ count: 3, digest: `sha256:${digest}` })
    expect(JSON.parse(rows[0] ?? '')).to.include({ completion: '@two', is_fixed: true, status: 'approved' })
    const csv = await get('format=csv&status=approved')
    expect(csv.headers.get('content-type')).to.contain('text/csv')
    expect(csv.text.split('\r\n')[1]).to.contain(`,'=1+1,'@two,true,`)
    const tuning = (await get('format=openai-ft')).text.trimEnd().split('\n')
    expect(JSON.parse(tuning[1] ?? '')).to.deep.equal({
      messages: [
        { role: 'user', content: 'Classify the ticket: 0' },
        { role: 'assistant', content: 'answer 0' },
      ],
    })
    const pairs = (await get('format=pairs')).text.trimEnd().split('\n')
    expect(JSON.parse(pairs[0] ?? '')).to.deep.equal({ input: '=1+1', output: '@two' })
    const { bytes } = await get('format=parquet')
    const file = new Uint8Array(bytes).buffer
    const table = await parquetReadObjects({ file })
    expect(table.map(({ prompt }) => prompt)).to.deep.equal([
      '=1+1',
      'Classify the ticket: 0',
      'Classify the ticket: 1',
    ])
    const named = await call('POST', '/v1/capture/export', { capture_ids: [first, 'cap_0'], format: 'pairs' })
    expect(named.body).to.deep.include({
      count: 1,
      not_found: ['cap_0'],
      captures: [{ input: '=1+1', output: '@two' }],
    })
    expect((await get('format=exe')).status).to.equal(400)
  })

  it('hold files as blobs by handle, conversations and multimodal payloads', async () => {
    const form = new FormData()
    form.set('file', new Blob([Buffer.from('a dot')], { type: 'image/png' }), '../../etc/dot.png')
    form.set('namespace', 'support')
    form.set('input', 'a dot')
    const sent = await fetch(`${api.server.url}/v1/capture/media`, {
      method: 'POST',
      body: form,
      headers: { 'x-api-key': tenant.key },
    })
    const media = (await sent.json()) as { blobs: { uri: string; filename: string }[]; event_ids: string[] }
    expect(sent.status, JSON.stringify(media)).to.equal(201)
    const hash = createHash('sha256').update('a dot').digest('hex')
    expect(media.blobs[0]).to.deep.include({ uri: `media:${hash}`, kind: 'image', filename: 'dot.png', bytes: 5 })
    const { capture } = (await call('GET', `/v1/captures/${media.event_ids[0]}/inspect`)).body
    expect(capture.media).to.deep.equal([
      { uri: `media:${hash}`, kind: 'image', mime: 'image/png', filename: 'dot.png', bytes: 5 },
    ])
    expect((await call('POST', '/v1/capture/media', { namespace: 'support' })).status).to.equal(415)
    const talk = await call('POST', '/v1/captures/multi-turn', {
      conversation_id: 'conv-1',
      conversation: [
        { role: 'user', content: 'Where is it?' },
        { role: 'assistant', content: 'Here.' },
      ],
    })
    expect(talk.status, talk.text).to.equal(201)
    const turns = (await call('GET', `/v1/captures/${talk.body.capture_id}/inspect`)).body.capture
    expect(turns).to.deep.include({ prompt: 'user: Where is it?', response: 'Here.', conversation_id: 'conv-1' })
    const payload = { tool_name: 'lookup', data_uri: 'data:image/png;base64,YSBkb3Q=' }
    const stored = await call('POST', '/v1/captures/multimodal', { kind: 'image', payload })
    expect(stored.body, stored.text).to.deep.include({ raw_stored: true, kind: 'image' })
    const wrong = { kind: 'image', payload, hash: '0'.repeat(64) }
    expect((await call('POST', '/v1/captures/multimodal', wrong)).body.code).to.equal('capture_hash_mismatch')
    const broken = { kind: 'image', payload: { data_uri: 'data:image/png;base64,YSBk*3Q=' } }
    expect((await call('POST', '/v1/captures/multimodal', broken)).status).to.equal(400)
    expect((await call('GET', '/v1/captures/verify?namespace=default')).body.verified).to.equal(true)
  })

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
    const run = { forgetId, signer, signal: new AbortController().signal, onBatch: () => undefined }
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

  it('have a snippet for six languages, with the key of the call', async () => {
    for (const lang of ['curl', 'javascript', 'typescript', 'python', 'go', 'ruby']) {
      const answer = await call('GET', `/v1/capture/snippet?namespace=support&lang=${lang}`)
      expect(answer.body.snippet, lang).to.contain(tenant.key)
    }
    const anonymous = await api.call('GET', '/v1/capture/snippet')
    expect([anonymous.status, anonymous.body.has_key]).to.deep.equal([200, false])
    const health = await call('GET', '/v1/capture/health')
    expect(health.body).to.deep.include({ ok: true, driver: 'postgres', durable: true })
  })
})
