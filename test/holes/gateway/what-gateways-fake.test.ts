import { expect } from 'chai'
import { givenApiTenant, type ApiTenant } from '../../support/api.ts'
import { expectAudited } from '../../support/db/audit.ts'
import { givenMember, givenPlan, givenSession, setUpOperation } from '../../support/people/given-members.ts'
import { givenProgramVersion } from '../../support/archives/signed-artifacts.ts'
import { eventually } from '../../support/wire/eventually.ts'
import { MODELS, useGateway } from '../../gateway/api/inference/given-gateway.ts'

const CANARY = 'ada.lovelace@example.org'
const OPENAI_KEY = 'sk-wrong-0123456789abcdef'

const chat = (model: string) => ({ model, messages: [{ role: 'user', content: 'Count to three' }] })
/** Every address that answers as a stream of events, with its body. */
const STREAMED: readonly (readonly [path: string, body: object])[] = [
  ['/v1/chat/completions', { ...chat(MODELS.openai), stream: true }],
  ['/v1/route/chat/completions', { ...chat(MODELS.openai), stream: true }],
  ['/v1/gateway/dispatch', { ...chat(MODELS.openai), stream: true }],
  ['/v1/gemini/chat/completions', { ...chat(MODELS.google), stream: true }],
  ['/v1/openrouter/chat/completions', { ...chat(MODELS.openai), stream: true }],
  ['/v1/capture/openai', { ...chat(MODELS.openai), stream: true }],
  ['/v1/capture/openai/v1/chat/completions', { ...chat(MODELS.openai), stream: true }],
  ['/v1/messages', { ...chat(MODELS.anthropic), max_tokens: 20, stream: true }],
  ['/anthropic/v1/messages', { ...chat(MODELS.anthropic), max_tokens: 20, stream: true }],
  ['/v1/capture/anthropic', { ...chat(MODELS.anthropic), max_tokens: 20, stream: true }],
  ['/v1/responses', { model: MODELS.openai, input: 'Count to three', stream: true }],
  [
    `/v1beta/models/${MODELS.google}:streamGenerateContent?alt=sse`,
    { contents: [{ role: 'user', parts: [{ text: 'Count to three' }] }] },
  ],
]

describe('what other gateways claim and do not do', () => {
  const gateway = useGateway({ gateway_timeout_s: 10, capture_commit_s: 0.05 })
  const { api } = gateway
  const ask = async ({ key }: ApiTenant, text: string, headers: Record<string, string> = {}) =>
    await api.call('POST', '/v1/chat/completions', {
      key,
      headers: { 'x-svc-namespace': 'support', ...headers },
      body: { model: MODELS.openai, messages: [{ role: 'user', content: text }] },
    })
  const configure = async ({ key }: ApiTenant, body: object) => {
    const answer = await api.call('PUT', '/v1/gateway/namespaces/support', { key, body })
    expect(answer.status, answer.text).to.equal(200)
  }
  const inspected = async ({ key }: ApiTenant, id: string | null) => {
    const path = `/v1/captures/${id}/inspect`
    await eventually(async () => expect((await api.call('GET', path, { key })).status).to.equal(200))
    return (await api.call('GET', path, { key })).body.capture
  }

  for (const [path, body] of STREAMED) {
    it(`${path} streams: its first words are there while the model still writes`, async () => {
      const rest = Promise.withResolvers<void>()
      gateway.answer({
        texts: ['one two three four five six seven eight nine ten'],
        stream: { before: async (i) => await [rest.promise][i < 7 ? 1 : 0] },
      })
      const response = await fetch(`${api.url}${path}`, {
        method: 'POST',
        headers: { 'x-api-key': gateway.tenant().key, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      expect(response.headers.get('content-type')).to.match(/^text\/event-stream/)
      let text = ''
      for await (const bytes of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += bytes
        if (text.includes('one')) rest.resolve()
      }
      expect(text).to.contain('ten')
      expect(text.includes('svc_receipt') || path.includes('GenerateContent')).to.equal(true)
    })
  }

  it('a breaker opens, and nothing is sent to the server behind it', async () => {
    const tenant = await givenApiTenant(api)
    const chain = { 'x-svc-route-chain': `anthropic:${MODELS.anthropic}` }
    gateway.answer((_call, id) => (id === 'openai' ? { status: 503 } : { texts: [id] }))
    await eventually(async () => {
      const { headers } = await ask(tenant, 'x', chain)
      expect(headers.get('x-svc-fallback-reason')).to.equal('circuit_open')
    })
    const calls = gateway.server('openai').calls.length
    expect((await ask(tenant, 'x', chain)).body.choices[0].message.content).to.equal('anthropic')
    expect(gateway.server('openai').calls).to.have.length(calls)
    // It closes again for the tests that follow.
    gateway.answer({ texts: ['ok'] })
    expect((await ask(tenant, 'x')).status).to.equal(200)
  })

  it('a caller who waits for less time than the operator moves the traffic of no other', async () => {
    const [hasty, patient] = [await givenApiTenant(api), await givenApiTenant(api)]
    gateway.answer({ fault: 'hang' })
    const late = await Promise.all(
      Array.from({ length: 6 }, async () => await ask(hasty, 'x', { 'x-svc-timeout-ms': '1000' })),
    )
    expect(late.map(({ status }) => status)).to.deep.equal(Array.from({ length: 6 }, () => 504))
    gateway.answer((_call, id) => ({ texts: [id] }))
    const { body, headers } = await ask(patient, 'x', { 'x-svc-route-chain': `anthropic:${MODELS.anthropic}` })
    expect([body.choices[0].message.content, headers.get('x-svc-fallback-reason')]).to.deep.equal(['openai', null])
  })

  it('every capture stands in a chain, and has a risk', async () => {
    const tenant = await givenApiTenant(api)
    await configure(tenant, { privacy_policy: 'allow', redact_mode: 'detect_only' })
    gateway.answer({ texts: ['Noted.'] })
    const [first, second] = [await ask(tenant, 'Hello'), await ask(tenant, `I am ${CANARY}`)]
    const one = await inspected(tenant, first.headers.get('x-svc-capture-id'))
    const two = await inspected(tenant, second.headers.get('x-svc-capture-id'))
    expect(two.chain_prev_hash).to.equal(one.chain_hash)
    expect([one.risk_score, two.risk_score > 0]).to.deep.equal([0, true])
  })

  it('a privacy policy holds where a call is passed on as it is', async () => {
    const tenant = await givenApiTenant(api)
    await configure(tenant, { privacy_policy: 'block' })
    for (const path of ['/v1/chat/completions', '/v1/capture/openai', '/v1/openrouter/chat/completions']) {
      const calls = gateway.server('openai').calls.length
      const answer = await api.call('POST', path, {
        key: tenant.key,
        headers: { 'x-svc-namespace': 'support' },
        body: { model: MODELS.openai, messages: [{ role: 'user', content: `I am ${CANARY}` }] },
      })
      expect(answer.status, path).to.equal(451)
      expect(answer.text).to.contain('holds').and.not.to.contain(CANARY)
      expect(gateway.server('openai').calls, path).to.have.length(calls)
    }
  })

  it('a key that a provider quotes in its error is not repeated', async () => {
    const tenant = await givenApiTenant(api)
    gateway.answer({ status: 401, message: `Incorrect API key provided: ${OPENAI_KEY}` })
    const refused = await ask(tenant, 'x', { 'x-upstream-api-key': OPENAI_KEY })
    expect(refused.status).to.be.within(400, 502)
    expect(refused.text).not.to.contain(OPENAI_KEY)
  })

  it('roles are enforced, whatever a body claims', async () => {
    const tenant = await givenApiTenant(api)
    const { db } = api.server.services
    await givenPlan(db, tenant.id, 'business')
    const viewer = await givenSession(db, await givenMember(setUpOperation(db, tenant.id), { role: 'viewer' }))
    const exported = await api.call('GET', '/v1/capture/export', { headers: viewer.headers })
    expect(exported.status, exported.text).to.equal(403)
    const claimed = await api.call('POST', '/v1/capture/rbac/evaluate', {
      headers: viewer.headers,
      body: { action: 'lake:export', role: 'owner', scopes: ['*'] },
    })
    expect(claimed.body, claimed.text).to.deep.include({ allowed: false, reason: 'insufficient_role' })
  })

  it('what is forgotten is gone from every answer, and an unknown id gets no certificate', async () => {
    const tenant = await givenApiTenant(api)
    await configure(tenant, { privacy_policy: 'allow', redact_mode: 'detect_only' })
    gateway.answer({ texts: ['Noted.'] })
    const id = (await ask(tenant, `I am ${CANARY}`)).headers.get('x-svc-capture-id') ?? ''
    await inspected(tenant, id)
    const { key } = tenant
    const forget = async (captureId: string) =>
      await api.call('POST', '/v1/captures/forget', { key, body: { confirm: true, capture_id: captureId } })
    expect((await forget(id)).status).to.equal(200)
    expect((await forget(`${id.slice(0, -2)}zz`)).status).to.equal(404)
    for (const path of [
      '/v1/captures/list',
      '/v1/capture/browse',
      '/v1/capture/export',
      `/v1/captures/${id}/inspect`,
    ]) {
      expect((await api.call('GET', path, { key })).text, path).not.to.contain(CANARY)
    }
  })

  it('what is forgotten while a call is under way is not stored by it, and not repeated', async () => {
    const tenant = await givenApiTenant(api)
    const { key } = tenant
    await configure(tenant, { cache_mode: 'exact' })
    const rest = Promise.withResolvers<void>()
    gateway.answer({
      texts: ['It was Grace Hopper'],
      stream: { before: async (i) => await [rest.promise][i < 3 ? 1 : 0] },
    })
    const before = gateway.server('openai').calls.length
    const asked = async () =>
      await api.call('POST', '/v1/chat/completions', {
        key,
        headers: { 'x-svc-namespace': 'support' },
        body: { ...chat(MODELS.openai), stream: true },
      })
    const underWay = asked()
    await eventually(async () => expect(gateway.server('openai').calls).to.have.length(before + 1))
    const forget = { confirm: true, subject: 'Grace Hopper' }
    expect((await api.call('POST', '/v1/captures/forget', { key, body: forget })).status).to.equal(202)
    rest.resolve()
    const id = (await underWay).headers.get('x-svc-capture-id')
    await eventually(async () => {
      const chain = await api.call('GET', '/v1/captures/verify?namespace=support', { key })
      expect(chain.body).to.deep.include({ verified: true, chain_length: 1 })
    })
    for (const path of ['/v1/captures/list', '/v1/capture/export', '/v1/account/export']) {
      expect((await api.call('GET', path, { key })).text, path).not.to.contain('Hopper')
    }
    expect((await api.call('GET', `/v1/captures/${id}/inspect`, { key })).status).to.equal(404)
    const { markers } = (await api.call('GET', '/v1/captures/forgotten', { key })).body
    expect(markers[0].deletion_certificate).to.deep.include({
      reason: 'on_forget_list',
      requested_by: 'system:captures',
    })
    await expectAudited(setUpOperation(api.server.services.db, tenant.id), 'capture.forgotten')
    gateway.answer({ texts: ['another answer'] })
    expect((await asked()).text)
      .to.contain('another')
      .and.not.to.contain('Hopper')
  })

  it('a file’s name decides nothing: it is stored by its bytes', async () => {
    const { key } = await givenApiTenant(api)
    const form = new FormData()
    form.append('file', new Blob(['RIFF0000WAVE']), '../../../../etc/passwd')
    const response = await fetch(`${api.url}/v1/capture/media`, {
      method: 'POST',
      headers: { 'x-api-key': key },
      body: form,
    })
    const stored: { blobs: { uri: string; hash: string }[] } = JSON.parse(await response.text())
    expect(response.status).to.equal(201)
    expect(stored.blobs[0]?.uri).to.match(/^media:[0-9a-f]{64}$/)
  })

  it('savings are those of the calls that an artifact answered, and null before there is a price', async () => {
    const tenant = await givenApiTenant(api)
    const { key } = tenant
    const metrics = async () => (await api.call('GET', '/v1/gateway/dashboard', { key })).body.metrics
    expect((await metrics()).total_calls).to.equal(0)
    const { conceptId, jobId } = await givenProgramVersion(
      setUpOperation(api.server.services.db, tenant.id),
      api.server.services.signingKeys.current,
    )
    expect(conceptId).to.match(/^cpt_/)
    await configure(tenant, { artifact_id: jobId, confidence_threshold: 0 })
    const answered = await ask(tenant, 'ada')
    expect(answered.headers.get('x-svc-route')).to.match(/^local/)
    await inspected(tenant, answered.headers.get('x-svc-capture-id'))
    const { total_calls: calls, local_calls: local, saved_usd: saved } = await metrics()
    expect([calls, local]).to.deep.equal([1, 1])
    expect(saved).to.be.a('number').and.to.be.greaterThan(0).and.lessThan(0.01)
  })

  it('a capture that is called durable is stored, or on the disk, before the answer', async () => {
    const tenant = await givenApiTenant(api)
    gateway.answer({ texts: ['Noted.'] })
    const answer = await ask(tenant, 'Keep this', { 'x-svc-durable': 'before_answer' })
    expect(answer.headers.get('x-svc-capture-durable')).to.equal('true')
    // No wait: what is durable can be read.
    const { key } = tenant
    await inspected(tenant, answer.headers.get('x-svc-capture-id'))
    const chain = await api.call('GET', '/v1/captures/verify?namespace=support', { key })
    expect(chain.body).to.deep.include({ verified: true, chain_length: 1 })
  })
})
