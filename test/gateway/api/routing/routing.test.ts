import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import OpenAI from 'openai'
import { givenProgramVersion } from '../../../support/archives/signed-artifacts.ts'
import { givenApiTenant, type ApiTenant } from '../../../support/api.ts'
import { expectAudited } from '../../../support/db/audit.ts'
import { runCli } from '../../../support/cli/run-cli.ts'
import { setUpOperation } from '../../../support/people/given-members.ts'
import { eventually } from '../../../support/wire/eventually.ts'
import { sha256 } from '../../../../core/kernel/json/json.ts'
import { MODELS, useGateway } from '../inference/given-gateway.ts'

const ASKED = { model: MODELS.openai, messages: [{ role: 'user', content: 'x' }] } as const
const CHAIN = { 'x-svc-route-chain': `anthropic:${MODELS.anthropic}` }

describe('the route of a call', () => {
  const gateway = useGateway({ gateway_timeout_s: 5 }, { isTwice: true })
  const ask = async (key: string, more: object = {}, headers: Record<string, string> = {}, api = gateway.api) =>
    await api.call('POST', '/v1/chat/completions', { key, body: { ...ASKED, ...more }, headers })
  const configure = async ({ key }: ApiTenant, providers: object) =>
    await gateway.api.call('POST', '/v1/gateway/providers/config', { key, body: { providers } })
  /** Every process has the tenant's new settings. */
  const settled = async (tenant: ApiTenant, check: (api: typeof gateway.api) => Promise<void>) => {
    for (const api of [gateway.api, gateway.other]) await eventually(async () => await check(api))
    return tenant
  }

  it('leaves a server that fails, says so, and comes back to it when it works again', async () => {
    const { key } = await givenApiTenant(gateway.api)
    let isDown = true
    gateway.answer((_call, id) => (id === 'openai' && isDown ? { status: 500 } : { texts: [id] }))
    for (let i = 0; i < 5; i++) {
      const { status, headers, body } = await ask(key, {}, CHAIN)
      expect([status, body.choices[0].message.content]).to.deep.equal([200, 'anthropic'])
      expect(headers.get('x-svc-fallback-reason')).to.equal('upstream_5xx')
    }
    const asked = gateway.server('openai').calls.length
    const skipped = await ask(key, {}, CHAIN)
    expect(gateway.server('openai').calls).to.have.length(asked)
    expect(skipped.headers.get('x-svc-fallback-reason')).to.equal('circuit_open')
    expect(skipped.headers.get('x-svc-attempts')).to.match(/^openai:gpt-4o-mini=circuit_open, anthropic:.*=ok$/)
    const { body: listed } = await gateway.api.call('GET', '/v1/gateway/providers', { key })
    const openai = listed.providers.find(({ provider }: { provider: string }) => provider === 'openai')
    expect(openai.breaker.state).to.equal('open')
    // A call with nowhere else to go is sent all the same, and its answer closes the breaker.
    isDown = false
    expect((await ask(key)).status).to.equal(200)
    expect((await ask(key, {}, CHAIN)).body.choices[0].message.content).to.equal('openai')
  })

  it('of one tenant’s refused key moves the calls of no other', async () => {
    const [one, two] = [await givenApiTenant(gateway.api), await givenApiTenant(gateway.api)]
    const bad = { ...CHAIN, 'x-upstream-api-key': 'sk-wrong-0123456789' }
    gateway.answer((_call, id) => ({ texts: [id] }))
    for (let i = 0; i < 3; i++) {
      const { headers } = await ask(one.key, {}, bad)
      expect(headers.get('x-svc-fallback-reason')).to.equal(i === 0 ? 'upstream_auth' : 'circuit_open')
    }
    const { body, headers } = await ask(two.key, {}, CHAIN)
    expect(body.choices[0].message.content).to.equal('openai')
    expect(headers.get('x-svc-fallback-reason')).to.equal(null)
  })

  it('follows the tenant’s settings of providers on every process: disabled, limited, ordered', async () => {
    const tenant = await givenApiTenant(gateway.api)
    const { key } = tenant
    gateway.answer((_call, id) => ({ texts: [id] }))
    expect((await configure(tenant, { openai: { enabled: false } })).status).to.equal(200)
    await settled(tenant, async (api) => {
      const refused = await ask(key, {}, CHAIN, api)
      expect([refused.status, refused.body.code]).to.deep.equal([400, 'provider_disabled'])
    })
    // What is absent of a change stays.
    await configure(tenant, { openai: { enabled: true, rate_limit_rpm: 2 }, google: { position: 0 } })
    await configure(tenant, { openai: { position: 5 } })
    const op = setUpOperation(gateway.api.server.services.db, tenant.id)
    const { payload } = await expectAudited(op, 'providers.configured')
    expect(payload).to.deep.include({ changes: [{ provider: 'openai', position: 5 }] })
    const { body } = await gateway.api.call('GET', '/v1/gateway/providers', { key })
    expect(body.providers).to.have.length(11)
    expect(body.providers[0].provider).to.equal('google')
    await settled(tenant, async (api) => {
      const { body: seen } = await api.call('GET', '/v1/gateway/providers', { key })
      expect(
        seen.providers.find(({ provider }: { provider: string }) => provider === 'openai').rate_limit_rpm,
      ).to.equal(2)
    })
    const answers = [await ask(key, {}, CHAIN), await ask(key, {}, CHAIN, gateway.other), await ask(key, {}, CHAIN)]
    expect(answers.map(({ body: answer }) => answer.choices[0].message.content)).to.include('anthropic')
    const over = await ask(key)
    expect([over.status, over.body.code]).to.deep.equal([429, 'rate_limited'])
    expect(Number(over.headers.get('retry-after'))).to.be.within(1, 60)
  })

  it('refuses settings that are none, and names the field', async () => {
    const tenant = await givenApiTenant(gateway.api)
    for (const [providers, field] of [
      [{}, 'providers'],
      [{ acme: { enabled: true } }, 'providers'],
      [{ openai: { enabled: 'yes' } }, 'providers.openai.enabled'],
      [{ openai: { api_key: 'sk-1' } }, 'providers.openai'],
      [{ openai: { rate_limit_rpm: -1 } }, 'providers.openai.rate_limit_rpm'],
    ] as const) {
      const { status, body } = await configure(tenant, providers)
      expect(status, JSON.stringify(providers)).to.equal(400)
      expect(JSON.stringify(body.details)).to.contain(field)
      if ('acme' in providers) expect(JSON.stringify(body.details)).to.contain('anthropic, google')
    }
  })

  it('tries a key where it costs nothing, and never repeats it', async () => {
    const { key } = await givenApiTenant(gateway.api)
    const test = async (apiKey: string) =>
      await gateway.api.call('POST', '/v1/gateway/test-connection', {
        key,
        body: { provider: 'openai', api_key: apiKey },
      })
    const good = await test(gateway.server('openai').apiKey)
    expect(good.body).to.include({ ok: true, status: 200, error: null })
    const bad = await test('sk-wrong-0123456789')
    expect(bad.body).to.include({ ok: false, status: 401, error: 'invalid_key' })
    expect(bad.text).not.to.contain('sk-wrong')
    const stored = async (body: object) =>
      await gateway.api.call('POST', '/v1/gateway/test-connection', { key, body: { provider: 'openai', ...body } })
    const operator = await stored({ stored: true })
    expect(operator.body).to.include({ ok: true, key_from: 'operator' })
    // What a call would use: the vault before the operator. Its words about the caller's own key are shown.
    const own = { provider: 'openai', value: 'sk-vault-0123456789' }
    expect((await gateway.api.call('POST', '/v1/account/provider-keys', { key, body: own })).status).to.equal(200)
    const vault = await stored({ stored: true })
    expect(vault.body).to.include({ ok: false, key_from: 'vault', error: 'invalid_key', detail: 'wrong key' })
    for (const body of [{}, { stored: true, api_key: 'sk-1' }]) {
      const refused = await stored(body)
      expect([refused.status, refused.body.details.fields[0].field]).to.deep.equal([400, 'api_key'])
    }
    const mode = await gateway.api.call('GET', '/v1/gateway/mode', { key })
    expect(mode.body).to.include({ mode: 'cloud', vllm_reachable: true, ollama_reachable: false })
  })

  it('is set and tried from the command line', async () => {
    const { key } = await givenApiTenant(gateway.api)
    const folder = await mkdtemp(join(tmpdir(), 'svc-cli-gateway-'))
    try {
      const env = { SVC_URL: gateway.api.url, SVC_API_KEY: key }
      const svc = async (...args: readonly string[]) =>
        await runCli(['gateway', ...args], { folder, profileDir: folder, env, stdin: 'sk-wrong-0123456789\n' })
      const [tried, refused, nameless, disabled] = await Promise.all([
        svc('test'),
        svc('test', 'openai', '--key', '-'),
        svc('test', '--key', 'sk-1'),
        svc('providers', 'disable', 'google'),
      ])
      // That server knows no keys of OpenRouter.
      expect(tried.code, tried.stdout).to.equal(1)
      expect(tried.stdout).to.match(/^openrouter +operator +wrong answer \(404\) +\d+$/m)
      expect(tried.stdout).to.match(/^provider +key from +status +ms$/m)
      expect(tried.stdout).to.match(/^anthropic +operator +accepted \(200\) +\d+$/m)
      expect(refused.code).to.equal(1)
      expect(refused.stdout).to.match(/^openai +--key +key refused \(401\): wrong key +\d+$/m)
      expect(nameless.code).to.equal(2)
      expect(disabled.stdout).to.match(/^google +no +2 +none +yes +closed /m)
      const set = await svc('providers', 'set', 'google', '--position', '0', '--limit', '60', '--json')
      const google = JSON.parse(set.stdout).providers.find(
        ({ provider }: { provider: string }) => provider === 'google',
      )
      expect(google).to.include({ enabled: false, position: 0, rate_limit_rpm: 60 })
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('begins with the own artifact of the namespace, which answers for nothing where it is sure', async () => {
    const tenant = await givenApiTenant(gateway.api)
    const { services } = gateway.api.server
    const { jobId, conceptId } = await givenProgramVersion(
      setUpOperation(services.db, tenant.id),
      services.signingKeys.current,
    )
    const { key } = tenant
    gateway.answer({ texts: ['from a provider'] })
    const put = { artifact_id: jobId, confidence_threshold: 0.8 }
    expect((await gateway.api.call('PUT', '/v1/gateway/namespaces/shout', { key, body: put })).status).to.equal(200)
    const before = gateway.server('openai').calls.length
    const asked = { messages: [{ role: 'user', content: 'some words' }], of_next_year: 1, min_p: 0.1 }
    const own = await ask(key, asked, { 'x-svc-namespace': 'shout' })
    expect(own.status, own.text).to.equal(200)
    expect(own.headers.get('x-svc-left-out')).to.equal('of_next_year, min_p')
    expect(own.body.choices[0].message.content).to.equal('SOME WORDS')
    expect(own.body.model).to.equal(jobId)
    expect(own.headers.get('x-svc-route')).to.equal('local')
    expect(own.headers.get('x-svc-artifact-id')).to.equal(jobId)
    // Streamed, through a published SDK.
    const openai = new OpenAI({ baseURL: `${gateway.api.url}/v1`, apiKey: key, maxRetries: 0 })
    const stream = openai.chat.completions.stream(
      { model: MODELS.openai, messages: [{ role: 'user', content: 'more words' }] },
      { headers: { 'x-svc-namespace': 'shout' } },
    )
    expect((await stream.finalChatCompletion()).choices[0]?.message.content).to.equal('MORE WORDS')
    expect(gateway.server('openai').calls).to.have.length(before)
    // What asks for more than an artifact gives goes to the provider, as does every other namespace.
    const twoTurns = ['a', 'b', 'c'].map((content, i) => ({ role: i === 1 ? 'assistant' : 'user', content }))
    const other = await ask(key, { messages: twoTurns }, { 'x-svc-namespace': 'shout' })
    expect(other.body.choices[0].message.content).to.equal('from a provider')
    expect((await ask(key)).headers.get('x-svc-route')).to.equal('frontier')
    // Another tenant's artifact is not found, and one that is gone is passed over.
    const stranger = await givenApiTenant(gateway.api)
    const refused = await gateway.api.call('PUT', '/v1/gateway/namespaces/shout', { key: stranger.key, body: put })
    expect(refused.status).to.equal(404)
    await gateway.api.call('DELETE', `/v1/concepts/${conceptId}`, { key })
    await eventually(async () => {
      const gone = await ask(key, {}, { 'x-svc-namespace': 'shout' })
      expect(gone.body.choices[0].message.content).to.equal('from a provider')
      expect(gone.headers.get('x-svc-fallback-reason')).to.equal('artifact_unavailable')
    })
  })

  it('repeats a whole answer to the same request where the namespace caches, and nothing else', async () => {
    const { key } = await givenApiTenant(gateway.api)
    const put = async (tenantKey: string) =>
      await gateway.api.call('PUT', '/v1/gateway/namespaces/cached', { key: tenantKey, body: { cache_mode: 'exact' } })
    expect((await put(key)).status).to.equal(200)
    let count = 0
    gateway.answer(() =>
      count++ === 0 ? { status: 429, headers: { 'retry-after': '60' } } : { texts: [`answer ${count}`] },
    )
    const inCache = { 'x-svc-namespace': 'cached' }
    // What is no whole answer is never repeated.
    expect((await ask(key, {}, inCache)).status).to.equal(429)
    const first = await ask(key, {}, inCache)
    expect(first.headers.get('x-svc-cache')).to.equal('miss')
    // An answer is kept behind the back of its caller.
    await eventually(async () => expect((await ask(key, {}, inCache)).headers.get('x-svc-cache')).to.equal('hit'))
    const content = (await ask(key, {}, inCache)).body.choices[0].message.content
    expect((await ask(key, {}, inCache)).body.choices[0].message.content).to.equal(content)
    const streamed = await ask(key, { stream: true }, inCache)
    expect(streamed.text).to.contain(content).and.to.contain('[DONE]')
    // What is forgotten is not repeated.
    const id = (await ask(key, {}, inCache)).headers.get('x-svc-capture-id')
    await eventually(async () => {
      const body = { capture_id: id, confirm: true }
      const forgotten = await gateway.api.call('POST', '/v1/captures/forget', { key, body })
      expect(forgotten.status, forgotten.text).to.equal(200)
    })
    const anew = (await ask(key, {}, inCache)).body.choices[0].message.content
    expect(anew).not.to.equal(content)
    const different = [
      await ask(key, { temperature: 0.5 }, inCache),
      await ask(key, {}, { ...inCache, 'x-svc-retention': 'none' }),
      await ask(key),
    ]
    const stranger = await givenApiTenant(gateway.api)
    await put(stranger.key)
    different.push(await ask(stranger.key, {}, inCache))
    for (const { body } of different) expect(body.choices[0].message.content).not.to.equal(content)
  })

  it('is part of the answer where a route promises it, with a receipt that covers what stands before it', async () => {
    const tenant = await givenApiTenant(gateway.api)
    const { services } = gateway.api.server
    const { jobId } = await givenProgramVersion(setUpOperation(services.db, tenant.id), services.signingKeys.current)
    const post = async (path: string, body: object, headers: Record<string, string> = {}) =>
      await gateway.api.call('POST', path, { key: tenant.key, body, headers })
    gateway.answer((_call, id) => (id === 'openai' ? { status: 503 } : { texts: ['from a provider'] }))
    const sent = await post('/v1/gateway/dispatch', ASKED, CHAIN)
    expect(sent.status, sent.text).to.equal(200)
    const { svc_receipt: receipt, svc_fallback_reason: reason, svc_attempts: attempts } = sent.body
    expect([receipt.provider, reason, receipt.fallback_reason, receipt.capture_eligible]).to.deep.equal([
      'anthropic',
      'upstream_5xx',
      'upstream_5xx',
      true,
    ])
    expect(attempts.map(({ reason: why }: { reason: string | null }) => why)).to.deep.equal(['upstream_5xx', null])
    const covered = `${sent.text.slice(0, sent.text.indexOf(',"svc_receipt"'))}}`
    expect(receipt.output_hash).to.equal(sha256(covered))
    // By an artifact of the caller's choice, else by the model.
    gateway.answer({ texts: ['from a provider'] })
    const routed = async (svc_routing: object) => await post('/v1/route/chat/completions', { ...ASKED, svc_routing })
    const own = await routed({ student_artifact: jobId })
    expect(own.status, own.text).to.equal(200)
    expect(own.body.choices[0].message.content).to.equal('X')
    expect(own.body.svc_routing).to.deep.include({ teacher_called: false, total_cost_usd: 0 })
    const { body } = await routed({})
    expect(body.svc_routing.decision).to.deep.equal({ route: 'teacher', confidence: null, reason: 'no_student' })
    expect((await routed({ threshold: 0.7 })).status).to.equal(400)
  })
})
