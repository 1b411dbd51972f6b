import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { createLogger } from '../../../../config/logger.ts'
import {
  presentCapture,
  presentVerified,
  presentWholeCapture,
} from '../../../../api/gateway/captures/present-capture.ts'
import { CaptureDetail, CaptureItem, VerifyCapturesAnswer } from '../../../../core/gateway/wire/captures/captures.ts'
import { getCapture } from '../../../../db/gateway/captures/get-capture.ts'
import { listCaptures } from '../../../../db/gateway/captures/list-captures.ts'
import { verifyCaptures } from '../../../../db/gateway/captures/verify-captures.ts'
import { setUpOperation } from '../../../support/people/given-members.ts'
import { startProvider, type ProviderServer } from '../../../support/providers/server.ts'
import type { ScriptedAnswer } from '../../../support/providers/scripted-model.ts'
import { givenApiTenant, useApi } from '../../../support/api.ts'
import { sendSql } from '../../../support/db/send-sql.ts'
import { holdRow } from '../../../support/stack/held-row.ts'
import { eventually } from '../../../support/wire/eventually.ts'

/** Stands in every text of a call that is not kept. */
const CANARY = 'xylophone-canary'

describe('captures of calls', () => {
  let scripted: ScriptedAnswer = { texts: ['Four.'] }
  let provider: ProviderServer
  before(async () => {
    provider = await startProvider('chat-completions', () => scripted)
  })
  after(async () => await provider.close())
  const logged: string[] = []
  const api = useApi({
    log: createLogger({ name: 'api', level: 'trace', destination: { write: (line) => void logged.push(line) } }),
    limits: { capture_commit_s: 0.2 },
    settings: {
      get upstreams() {
        return { openai: { baseUrl: provider.baseUrl.replace(/\/v1$/, ''), apiKey: provider.apiKey } }
      },
    },
  })
  const db = () => api.server.services.db
  const op = (tenantId: string) => setUpOperation(db(), tenantId)
  const ask = async (key: string, text: string, given: { headers?: Record<string, string>; body?: object } = {}) =>
    await api.call('POST', '/v1/chat/completions', {
      key,
      headers: given.headers ?? {},
      body: { model: 'gpt-4o-mini', messages: [{ role: 'user', content: text }], ...given.body },
    })
  const stored = async (tenantId: string, count: number) => {
    await eventually(async () => {
      const { items } = await listCaptures(op(tenantId), {}, { limit: 100 })
      expect(items).to.have.length(count)
    })
    return (await listCaptures(op(tenantId), {}, { limit: 100 })).items
  }
  const spilled = async (): Promise<string> => {
    const { settings, signingKeys } = api.server.services
    // Other databases have folders of their own.
    const root = join(settings.storage.captureDir, signingKeys.current.kid)
    const names = await readdir(root, { recursive: true }).catch(() => [])
    const files = names.filter((name) => name.endsWith('.spill'))
    return (
      await Promise.all(files.map(async (name) => await readFile(join(root, name), 'utf8').catch(() => '')))
    ).join('')
  }

  it('hold the first of several samples, streamed or not', async () => {
    const { id: tenantId, key } = await givenApiTenant(api)
    scripted = { texts: ['One two three.', 'Four five.'] }
    const whole = await ask(key, 'Count.', { body: { n: 2 } })
    expect(whole.body.choices).to.have.length(2)
    const streamed = await ask(key, 'Count.', { body: { n: 2, stream: true } })
    expect(streamed.text).to.match(/"index":1,"delta":\{"content":"five/)
    for (const { id } of await stored(tenantId, 2)) {
      expect((await getCapture(op(tenantId), id)).content).to.include({ response: 'One two three.' })
    }
    scripted = { texts: ['Four.'] }
  })

  it('say why the provider refused a request', async () => {
    const { id: tenantId, key } = await givenApiTenant(api)
    for (const [status, reason] of [
      [400, 'upstream_4xx'],
      [404, 'upstream_404'],
    ] as const) {
      scripted = { status }
      const refused = await ask(key, `${status}`)
      scripted = { texts: ['Four.'] }
      expect(refused.status).to.equal(status)
      const captures = await stored(tenantId, status === 400 ? 1 : 2)
      const whole = await Promise.all(captures.map(async ({ id }) => await getCapture(op(tenantId), id)))
      expect(whole.find(({ httpStatus }) => httpStatus === status)?.route?.fallbackReason).to.equal(reason)
    }
  })

  it('hold what was sent and answered, under the id that the answer names', async () => {
    const { id: tenantId, key } = await givenApiTenant(api)
    const answer = await ask(key, 'What is two and two?', { headers: { 'x-svc-namespace': 'sums' } })
    expect(answer.status, answer.text).to.equal(200)
    expect(answer.headers.get('x-svc-capture-durable')).to.equal('true')
    expect(answer.headers.get('x-svc-event-durable')).to.equal('true')
    const id = answer.headers.get('x-svc-capture-id') ?? ''
    const [listed] = await stored(tenantId, 1)
    if (listed === undefined) throw new Error('nothing is listed')
    expect(listed.id).to.equal(id).and.to.equal(answer.headers.get('x-svc-event-id'))
    const capture = await getCapture(op(tenantId), id)
    expect(capture).to.deep.include({
      namespace: 'sums',
      provider: 'openai',
      outcome: 'whole',
      status: 'pending',
      seq: 1,
    })
    expect(capture.content).to.deep.include({ prompt: 'user: What is two and two?', response: 'Four.' })
    expect(CaptureItem.parse(presentCapture(listed))).to.include({
      risk_score: 0,
      prompt_preview: 'user: What is two and two?',
    })
    expect(CaptureDetail.parse(presentWholeCapture(capture))).to.include({ response: 'Four.', http_status: 200 })
    const verified = await verifyCaptures(op(tenantId), 'sums')
    expect(VerifyCapturesAnswer.parse(presentVerified('sums', verified))).to.include({
      verified: true,
      chain_length: 1,
    })

    const outsider = await givenApiTenant(api)
    expect((await listCaptures(op(outsider.id), {}, { limit: 10 })).items).to.deep.equal([])
    const found = await getCapture(op(outsider.id), id).catch((error: unknown) => error)
    expect(found).to.have.property('code', 'not_found')
    const bound = { ...op(tenantId), scopes: ['capture:read', 'namespace:other'] }
    expect((await listCaptures(bound, {}, { limit: 10 })).items).to.deep.equal([])
    expect((await listCaptures(bound, { q: 'two and two' }, { limit: 10 })).items).to.deep.equal([])
  })

  it('name the classes that the answer held, and weigh them', async () => {
    const { id: tenantId, key } = await givenApiTenant(api)
    scripted = { texts: ['Write to ada@example.org and charge 4111 1111 1111 1111.'] }
    expect((await ask(key, 'Whom do I charge?')).status).to.equal(200)
    const [listed] = await stored(tenantId, 1)
    scripted = { texts: ['Four.'] }
    expect(listed && CaptureItem.parse(presentCapture(listed))).to.deep.include({
      redaction_applied: ['email', 'payment_card'],
      sensitive_classes: ['email', 'payment_card'],
      risk_score: 0.54,
    })
    const flagged = await listCaptures(op(tenantId), { pii: ['payment_card'] }, { limit: 10 })
    expect(flagged.items).to.have.length(1)
  })

  it('hold a large call whole, redacted and hashed as any other', async () => {
    const { id: tenantId, key } = await givenApiTenant(api)
    const text = `Write to ada@example.org. ${'The parcel is blue. '.repeat(4000)}`
    const content = Array.from({ length: 4 }, () => ({ type: 'text', text }))
    const answer = await ask(key, '', { body: { messages: [{ role: 'user', content }] } })
    expect(answer.status, answer.text).to.equal(200)
    expect(answer.headers.get('x-svc-capture-durable')).to.equal('true')
    const [listed] = await stored(tenantId, 1)
    const capture = await getCapture(op(tenantId), listed?.id ?? '')
    const redacted = text.replace('ada@example.org', 'VAR_EMAIL_1')
    expect(capture.content?.body).to.deep.equal({
      model: 'gpt-4o-mini',
      messages: [{ role: 'user', content: content.map((part) => ({ ...part, text: redacted })) }],
    })
    expect(JSON.parse(provider.bodies.at(-1) ?? '')).to.deep.equal(capture.content?.body)
    expect(capture.content?.prompt).to.equal(`user: ${Array.from({ length: 4 }, () => redacted).join('\n')}`)
    expect(await verifyCaptures(op(tenantId), 'default')).to.include({ ok: true, chainLength: 1 })
  })

  it('tell how each call ended, once', async () => {
    const { id: tenantId, key } = await givenApiTenant(api)
    scripted = { texts: ['one two three four'], stream: { cutAfter: 3 } }
    const cut = await ask(key, 'Count', { body: { stream: true } })
    expect(cut.headers.get('x-svc-capture-id')).to.match(/^cap_/)
    scripted = { texts: ['one two three four'] }
    await ask(key, 'Count', { body: { stream: true } })
    scripted = { status: 401, message: 'no such key' }
    await ask(key, 'Count')
    scripted = { texts: ['Four.'] }
    const captures = await stored(tenantId, 3)
    expect(captures.map(({ outcome, isStreamed }) => [outcome, isStreamed])).to.deep.equal([
      ['failed', false],
      ['whole', true],
      ['interrupted', true],
    ])
    const [failed, whole, interrupted] = captures
    expect(failed).to.include({ errorCode: 'provider_auth_failed', responsePreview: '' })
    expect(whole).to.include({ responsePreview: 'one two three four', risk: 0 })
    expect(interrupted).to.include({ id: cut.headers.get('x-svc-capture-id'), risk: 0.3 })
    expect(await verifyCaptures(op(tenantId), 'default')).to.include({ ok: true, chainLength: 3 })
  })

  it('are on the disk before the answer, and committed when the database answers again', async () => {
    const { id: tenantId, key } = await givenApiTenant(api)
    await ask(key, 'The first')
    await stored(tenantId, 1)
    const held = await holdRow(db(), 'select 1 from capture_heads where tenant_id = $1', [tenantId])
    try {
      const answer = await ask(key, 'The second')
      expect(answer.headers.get('x-svc-capture-durable')).to.equal('true')
      const writer = api.server.services.captures
      const kept = await getCapture(op(tenantId), (await stored(tenantId, 1))[0]?.id ?? '')
      expect(kept.content?.prompt).to.equal('user: The first')
      expect(writer.figures().spilledBytes).to.be.greaterThan(0)
      expect(await spilled()).to.contain('The second')
    } finally {
      await held.release()
    }
    await stored(tenantId, 2)
    await eventually(async () => expect(await spilled()).to.equal(''))
    expect(await verifyCaptures(op(tenantId), 'default')).to.include({ ok: true, chainLength: 2 })
  })

  it('hold hashes and counts alone under zero retention: no text in the database, the spill log or the logs', async () => {
    const { id: tenantId, key } = await givenApiTenant(api)
    await ask(key, 'Kept')
    await stored(tenantId, 1)
    logged.length = 0
    scripted = { texts: [`I say ${CANARY}.`] }
    const held = await holdRow(db(), 'select 1 from capture_heads where tenant_id = $1', [tenantId])
    let log = ''
    try {
      const asked = { headers: { 'x-svc-retention': 'none' }, body: { metadata: { topic: CANARY } } }
      const answer = await ask(key, `Say ${CANARY}`, asked)
      expect(answer.text).to.contain(CANARY)
      expect(answer.headers.get('x-svc-retention')).to.equal('none')
      log = await spilled()
      expect(log).to.contain(answer.headers.get('x-svc-capture-id'))
    } finally {
      await held.release()
      scripted = { texts: ['Four.'] }
    }
    const [capture] = await stored(tenantId, 2)
    expect(capture).to.include({ retention: 'none', promptPreview: null, template: null, provider: 'openai' })
    expect(log).to.not.contain(CANARY)
    expect(logged.join('')).to.not.contain(CANARY)
    const tables = await sendSql<{ name: string }>(
      db(),
      `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
    )
    for (const { name } of tables) {
      const rows = await sendSql(db(), `select 1 from "${name}" t where t::text ilike $1`, [`%${CANARY}%`])
      expect(rows, name).to.deep.equal([])
    }
    expect(await verifyCaptures(op(tenantId), 'default')).to.include({ ok: true, chainLength: 2 })
  })
})
