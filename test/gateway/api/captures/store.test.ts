import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { parquetReadObjects } from 'hyparquet'
import { givenApiTenant, NO_TEMPORAL, useApi, type ApiTenant } from '../../../support/api.ts'
import { runCli } from '../../../support/cli/run-cli.ts'
import { expectAudited } from '../../../support/db/audit.ts'
import { givenScopedKey } from '../../../support/people/given-keys.ts'
import { setUpOperation } from '../../../support/people/given-members.ts'
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

  it('hold the passages that were retrieved for them, and a broken header is refused', async () => {
    const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64')
    const passages = [
      { source: 'manual/p, 3', text: `Ask ${CANARY}`, score: 0.9 },
      { source: 'faq', text: 'By post.' },
    ]
    const given = async (header: string) =>
      await log({ items: items(1) }, tenant.key, { 'svc-retrieved-context': header })
    const answer = await given(base64(passages))
    expect(answer.status, answer.text).to.equal(201)
    expect(answer.headers.get('x-svc-retrieved-count')).to.equal('2')
    expect(answer.headers.get('x-svc-retrieved-sources')).to.equal('manual%2Fp%2C%203,faq')
    const { capture } = (await call('GET', `/v1/captures/${answer.body.ids[0]}/inspect`)).body
    expect(capture.body.retrieved_context).to.deep.equal([{ ...passages[0], text: 'Ask VAR_EMAIL_1' }, passages[1]])
    for (const broken of ['%%%', 'bm90IGpzb24=', base64({ source: 'a' }), base64([{ source: 'a' }])]) {
      const refused = await given(broken)
      expect([refused.status, refused.body.code], broken).to.deep.equal([400, 'invalid_retrieved_context_header'])
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
    const raw = (await call('GET', `/v1/captures/${two}/inspect`)).body.capture
    expect(raw).to.deep.include({ redaction_applied: [], sensitive_classes: ['email'], risk_score: 0.24 })
    const withEmail = (await call('GET', '/v1/captures/list?pii=email,ssn')).body.captures
    expect(withEmail.map(({ id }: { id: string }) => id)).to.deep.equal([two])
    expect((await call('GET', '/v1/captures/list?pii=ssn')).body.captures).to.deep.equal([])
    const fixed = await call('POST', `/v1/captures/${one}/review`, { action: 'approve', fixed_output: 'Better.' })
    expect(fixed.body).to.deep.include({ status: 'approved', capture_id: one })
    const bulk = await call('POST', '/v1/captures/review-bulk', {
      ids: [two, 'cap_0'],
      action: 'quarantine',
      reason: `names ${CANARY}`,
    })
    expect(bulk.body).to.deep.include({ updated_count: 1, not_found: ['cap_0'], requested: 2 })
    const redacted = await call('POST', '/v1/capture/bulk', { action: 'redact', capture_ids: [two, 'cap_0'] })
    expect(redacted.body).to.deep.include({ processed: 1, not_found: ['cap_0'] })
    const { capture } = (await call('GET', `/v1/captures/${two}/inspect`)).body
    expect(capture).to.deep.include({ status: 'quarantined', prompt: 'Write to VAR_EMAIL_1', response: 'VAR_EMAIL_1' })
    expect(capture.review_reason).to.equal('names VAR_EMAIL_1')
    expect(JSON.stringify(capture)).not.to.contain(CANARY)
    await expectAudited(setUpOperation(database.db, tenant.id), 'capture.redacted', two)
    const verified = await call('GET', '/v1/captures/verify?namespace=support')
    expect(verified.body).to.deep.include({ verified: true, chain_length: 2 })
    expect((await call('POST', '/v1/capture/bulk', { action: 'burn', capture_ids: [one] })).status).to.equal(400)
  })

  it('are redacted with an output that a reviewer writes at the same time', async () => {
    await call('PUT', '/v1/gateway/namespaces/support', { privacy_policy: 'allow', redact_mode: 'detect_only' })
    const [one = ''] = await logged({ items: [{ input: `Write to ${CANARY}`, output: 'x' }] })
    let redacting: ReturnType<typeof call> | undefined
    const op = { ...setUpOperation(database.db, tenant.id), scopes: null }
    await op.write(async (tx) => {
      await tx.q.updateTable('captures').set({ status: 'approved' }).where('id', '=', one).execute()
      redacting = call('POST', '/v1/capture/bulk', { action: 'redact', capture_ids: [one] })
      await Promise.race([redacting, new Promise((resolve) => setTimeout(resolve, 500))])
      await tx.q
        .updateTable('capture_contents')
        .set({ fixed_output: `Ask ${CANARY}.` })
        .where('id', '=', one)
        .where('tenant_id', '=', tenant.id)
        .execute()
    })
    expect((await redacting)?.body).to.deep.include({ processed: 1 })
    const { capture } = (await call('GET', `/v1/captures/${one}/inspect`)).body
    expect(capture).to.deep.include({ prompt: 'Write to VAR_EMAIL_1', fixed_output: 'Ask VAR_EMAIL_1.' })
  })

  it('hold a reviewer’s output as the namespace says', async () => {
    const [one = ''] = await logged({ items: items(1) })
    const review = async (output: string) =>
      await call('POST', `/v1/captures/${one}/review`, { action: 'approve', fixed_output: output })
    expect((await review(`Write to ${CANARY}`)).status).to.equal(200)
    const read = async () => (await call('GET', `/v1/captures/${one}/inspect`)).body.capture
    expect((await read()).fixed_output).to.equal('Write to VAR_EMAIL_1')
    await call('PUT', '/v1/gateway/namespaces/support', { privacy_policy: 'block' })
    const blocked = await review(`Ask ${CANARY}`)
    expect([blocked.status, blocked.body.code]).to.deep.equal([451, 'privacy_blocked'])
    expect((await read()).fixed_output).to.equal('Write to VAR_EMAIL_1')
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
    // Namespaces that are unknown, and those of others.
    const { key: bound } = await givenScopedKey(api, tenant.key, { scopes: ['lake:*', 'namespace:elsewhere'] })
    for (const [key, namespace] of [
      [tenant.key, 'nowhere'],
      [bound, 'support'],
    ] as const) {
      const inline = { capture_ids: [first], namespace }
      const refused = [
        await call('GET', `/v1/capture/export?namespace=${namespace}`, undefined, key),
        await call('POST', '/v1/capture/export', inline, key),
      ]
      expect(refused.map(({ status, body }) => [status, body.code])).to.deep.equal([
        [404, 'not_found'],
        [404, 'not_found'],
      ])
    }
    expect((await call('GET', '/v1/captures/verify?namespace=nowhere')).status).to.equal(404)
    await expectAudited(setUpOperation(database.db, tenant.id), 'capture.exported')
  })

  it('are exported by the command line, which keeps no file whose rows are not those that the server states', async () => {
    await logged({ items: items(3) })
    const whole = (await call('GET', '/v1/capture/export?namespace=support')).text
    const [first = '', ...others] = whole.split('\n')
    let sent = whole
    const server = createServer((_request, response) => response.end(sent)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const folder = await mkdtemp(join(tmpdir(), 'svc-export-'))
    try {
      const { port } = server.address() as AddressInfo
      const env = { SVC_URL: `http://127.0.0.1:${port}`, SVC_API_KEY: tenant.key }
      const exported = async (text: string) => {
        sent = text
        return await runCli(['captures', 'export', '--output', 'rows.jsonl'], { folder, profileDir: folder, env })
      }
      for (const broken of [others.join('\n'), whole.replace('answer 1', 'answer 9'), `${first}\n`, '']) {
        const { code, stderr } = await exported(broken)
        expect([code, /export/.test(stderr)], stderr).to.deep.equal([1, true])
        expect((await readdir(folder)).filter((name) => name.startsWith('rows'))).to.deep.equal([])
      }
      expect((await exported(whole)).code).to.equal(0)
      expect(await readFile(join(folder, 'rows.jsonl'), 'utf8')).to.equal(whole)
    } finally {
      server.close()
      await rm(folder, { recursive: true })
    }
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
})
