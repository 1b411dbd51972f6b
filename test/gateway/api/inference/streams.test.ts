import Anthropic from '@anthropic-ai/sdk'
import { expect } from 'chai'
import OpenAI from 'openai'
import { givenApiTenant } from '../../../support/api.ts'
import { eventually } from '../../../support/wire/eventually.ts'
import { MODELS, thrownBy, useGateway } from './given-gateway.ts'

const ASKED = { model: MODELS.openai, messages: [{ role: 'user', content: 'x' }], stream: true } as const
const WORDS = { texts: ['one two three four five six'] }

describe('calls of models', () => {
  const gateway = useGateway({
    quota_free: 60,
    gateway_answer_bytes: 100_000,
    gateway_silence_s: 2,
    gateway_calls_per_tenant: 75,
  })
  const open = async (body: object, more: { headers?: Record<string, string>; signal?: AbortSignal } = {}) => {
    const { key } = await givenApiTenant(gateway.api)
    return await fetch(`${gateway.api.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json', ...more.headers },
      body: JSON.stringify(body),
      ...(more.signal && { signal: more.signal }),
    })
  }
  const ask = async (path: string, body: object, headers: Record<string, string> = {}, key?: string) =>
    await gateway.api.call('POST', path, { key: key ?? gateway.tenant().key, body, headers })
  const idle = async () =>
    await eventually(async () => expect(await gateway.server('openai').connections()).to.be.at.most(12))

  it('pass each event on before the next one is there', async () => {
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    gateway.answer({ ...WORDS, stream: { before: async (i) => await gates[i - 2]?.promise } })
    const response = await open(ASKED)
    expect(response.headers.get('content-type')).to.match(/^text\/event-stream/)
    expect(response.headers.get('x-svc-provider')).to.equal('openai')
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    const until = async (word: string) => {
      while (!text.includes(word)) text += (await reader?.read())?.value ?? ''
    }
    await until('one ')
    expect(text).not.to.contain('two')
    gates[0]?.resolve()
    await until('two ')
    expect(text).not.to.contain('three')
    gates[1]?.resolve()
    await until('[DONE]')
    // The counts were asked of the provider and not by the caller.
    expect(text).not.to.contain('"usage":{')
  })

  it('take no more from a provider than the caller reads, and end its work when the caller leaves', async () => {
    let sent = 0
    const texts = [`${'x'.repeat(64 * 1024)} `.repeat(2000)]
    gateway.answer({ texts, stream: { before: () => void sent++ } })
    const leavers = gateway.server('openai').leavers()
    const leaving = new AbortController()
    const response = await open(ASKED, { signal: leaving.signal })
    expect(response.status).to.equal(200)
    let before = -1
    await eventually(async () => {
      const isStill = sent === before && sent > 10
      before = sent
      expect(isStill).to.equal(true)
    })
    expect(sent).to.be.lessThan(1000)
    leaving.abort()
    await eventually(async () => expect(gateway.server('openai').leavers()).to.equal(leavers + 1))
    // Who takes nothing for too long counts as gone.
    const unread = await open(ASKED)
    await eventually(async () => expect(gateway.server('openai').leavers()).to.equal(leavers + 2))
    expect(await thrownBy(unread.text())).to.be.instanceOf(Error)
    await idle()
  })

  it('leave no connection and no memory behind when many callers leave', async () => {
    const gate = Promise.withResolvers<void>()
    gateway.answer({ ...WORDS, stream: { before: async (i) => (i < 3 ? undefined : await gate.promise) } })
    const server = gateway.server('openai')
    const before = server.leavers()
    for (let round = 0; round < 3; round++) {
      await Promise.all(
        Array.from({ length: 20 }, async (_none, i) => {
          const leaving = new AbortController()
          // Some leave before the answer begins.
          if (i % 4 === 0) setImmediate(() => leaving.abort())
          const response = await open(ASKED, { signal: leaving.signal }).catch(() => undefined)
          const reader = response?.body?.getReader()
          await reader?.read().catch(() => undefined)
          leaving.abort()
        }),
      )
    }
    await eventually(async () => expect(server.leavers()).to.be.at.least(before + 45))
    await idle()
    gate.resolve()
    gateway.answer({ texts: ['ok'] })
    expect((await ask('/v1/chat/completions', { ...ASKED, stream: false })).status).to.equal(200)
  })

  it('the SDKs end the work of the provider when they abort', async () => {
    const gate = Promise.withResolvers<void>()
    gateway.answer({ ...WORDS, stream: { before: async (i) => (i < 4 ? undefined : await gate.promise) } })
    const { key: apiKey } = gateway.tenant()
    const openai = new OpenAI({ baseURL: `${gateway.api.url}/v1`, apiKey, maxRetries: 0 })
    const anthropic = new Anthropic({ baseURL: gateway.api.url, apiKey, maxRetries: 0 })
    const [one, two] = [gateway.server('openai'), gateway.server('anthropic')]
    const before = [one.leavers(), two.leavers()]
    const chat = await openai.chat.completions.create({ ...ASKED, messages: [...ASKED.messages] })
    for await (const _chunk of chat) break
    const stream = anthropic.messages.stream({
      model: MODELS.anthropic,
      max_tokens: 64,
      messages: [{ role: 'user', content: 'x' }],
    })
    stream.on('text', () => stream.abort())
    expect(await thrownBy(stream.finalMessage())).to.be.instanceOf(Anthropic.APIUserAbortError)
    await eventually(async () => expect([one.leavers(), two.leavers()]).to.deep.equal(before.map((count) => count + 1)))
    gate.resolve()
  })

  it('are answered by the next model of the chain only before the first part of an answer', async () => {
    const headers = { 'x-svc-route-chain': `${MODELS.anthropic}, google:${MODELS.google}` }
    gateway.answer((_call, provider) =>
      provider === 'openai'
        ? { texts: ['a b c'], stream: { cutAfter: 1 } }
        : provider === 'anthropic'
          ? { status: 500 }
          : { texts: ['from google'] },
    )
    const rescued = await ask('/v1/chat/completions', ASKED, headers)
    expect(rescued.headers.get('x-svc-provider')).to.equal('google')
    expect(rescued.text).to.contain('google').and.to.contain('[DONE]')
    expect(rescued.text).not.to.contain('error')

    gateway.answer((_call, provider) =>
      provider === 'openai' ? { texts: ['a b c'], stream: { cutAfter: 3 } } : { texts: ['from another'] },
    )
    const cut = await ask('/v1/chat/completions', ASKED, headers)
    expect(cut.headers.get('x-svc-provider')).to.equal('openai')
    expect(cut.text).to.contain('provider_interrupted').and.not.contain('[DONE]').and.not.contain('another')

    const refused = await ask('/v1/chat/completions', { ...ASKED, stream: false }, { 'x-svc-route-chain': 'nonsense' })
    expect([refused.status, refused.body.code]).to.deep.equal([400, 'unknown_model'])
  })

  it('answer each fault of a provider with its own status, and charge no units for it', async () => {
    const { key, id } = await givenApiTenant(gateway.api)
    const faults = [
      [{ status: 400, message: 'no' }, 400, 'provider_rejected_request'],
      [{ status: 404, message: 'no model' }, 404, 'provider_rejected_request'],
      [{ status: 401 }, 502, 'provider_auth_failed'],
      [{ status: 429, headers: { 'retry-after': '30' } }, 429, 'provider_rate_limited'],
      [{ status: 500 }, 503, 'provider_overloaded'],
      [{ fault: 'garbage' }, 502, 'provider_invalid_response'],
      [{ fault: 'cut' }, 502, 'provider_unreachable'],
    ] as const
    for (const [fault, status, code] of faults) {
      gateway.answer(fault)
      for (const isStreamed of [true, false]) {
        for (let repeat = 0; repeat < 5; repeat++) {
          const answer = await ask('/v1/chat/completions', { ...ASKED, stream: isStreamed }, {}, key)
          expect([answer.status, answer.body.code], answer.text).to.deep.equal([status, code])
          expect(answer.body.error.message).to.be.a('string')
        }
      }
    }
    gateway.answer({ texts: ['x'.repeat(100_000)] })
    const large = await ask('/v1/chat/completions', { ...ASKED, stream: false }, {}, key)
    expect([large.status, large.body.code]).to.deep.equal([502, 'provider_invalid_response'])
    gateway.answer({
      ...WORDS,
      stream: { before: async (i) => (i < 4 ? undefined : await new Promise(() => undefined)) },
    })
    const silent = await ask('/v1/chat/completions', ASKED)
    expect([silent.status, silent.text.includes('provider_timeout')], silent.text).to.deep.equal([200, true])
    gateway.answer({ fault: 'hang' })
    const late = await ask('/v1/chat/completions', ASKED, { 'x-svc-timeout-ms': '1000' }, key)
    expect([late.status, late.body.code]).to.deep.equal([504, 'provider_timeout'])
    gateway.answer({ texts: ['ok'] })
    const asks = Array.from({ length: 70 }, async () => (await ask('/v1/chat/completions', ASKED, {}, key)).status)
    const statuses = await Promise.all(asks)
    expect(statuses.filter((status) => status === 200)).to.have.length(60)
    expect(statuses.filter((status) => status === 402)).to.have.length(10)
    // None of them counts as under way any more.
    const { streams } = gateway.api.server.services
    await eventually(async () => streams.enter(`model calls of ${id}`, 1)())
  })

  it('repeat what a provider has not begun, as long as it asks them to wait', async () => {
    const { calls } = gateway.server('openai')
    const before = calls.length
    gateway.answer(({ index }) =>
      index === before ? { status: 503, headers: { 'retry-after-ms': '10' } } : { texts: ['ok'] },
    )
    expect((await ask('/v1/chat/completions', { ...ASKED, stream: false })).status).to.equal(200)
    expect(calls.length - before).to.equal(2)
  })

  it('use the key of the call, then that of the vault, then the operator’s; no error repeats one', async () => {
    const { key } = await givenApiTenant(gateway.api)
    const body = { ...ASKED, stream: false }
    gateway.answer({ texts: ['ok'] })
    const given = await ask('/v1/chat/completions', body, { 'x-upstream-api-key': 'sk-of-the-caller-123456' }, key)
    expect([given.status, given.body.code]).to.deep.equal([401, 'provider_auth_failed'])
    expect(given.text).not.to.contain('sk-of-the-caller')
    // A key that the caller gave for one provider is sent to no other.
    const chained = await ask(
      '/v1/chat/completions',
      body,
      { 'x-upstream-api-key': 'sk-of-the-caller-123456', 'x-svc-route-chain': MODELS.anthropic },
      key,
    )
    expect(chained.headers.get('x-svc-provider')).to.equal('anthropic')
    expect((await ask('/v1/chat/completions', body, {}, key)).status).to.equal(200)
    const stored = await gateway.api.call('POST', '/v1/account/provider-keys', {
      key,
      body: { provider: 'openai', value: 'sk-of-the-vault-12345678' },
    })
    expect(stored.status, stored.text).to.equal(200)
    const own = await ask('/v1/chat/completions', body, {}, key)
    expect([own.status, own.text.includes('sk-of-the-vault')]).to.deep.equal([401, false])
    const anonymous = await gateway.api.call('POST', '/v1/anon/bootstrap', { body: {} })
    const free = await ask('/v1/chat/completions', body, {}, anonymous.body.anon_token)
    expect([free.status, free.body.code], free.text).to.deep.equal([503, 'no_provider_key'])
    // A server of the operator's may take any key.
    const local = { ...body, model: 'local-vllm:m' }
    expect((await ask('/v1/chat/completions', local)).status).to.equal(200)
    const tried = { 'x-upstream-api-key': gateway.server('openai').apiKey }
    const guest = await ask('/v1/chat/completions', local, tried, anonymous.body.anon_token)
    expect([guest.status, guest.body.code], guest.text).to.deep.equal([503, 'no_provider_key'])
  })

  it('pass a body on as it is where the provider speaks the dialect, without our own members', async () => {
    gateway.answer({ texts: ['ok'] })
    const odd = { ...ASKED, stream: false, seed: 7, future_field: { a: [1] }, accelerated: false, namespace: 'support' }
    const answer = await ask('/v1/chat/completions', odd)
    expect(answer.body).to.have.property('system_fingerprint', null)
    const { accelerated: _a, namespace: _n, ...rest } = odd
    expect(JSON.parse(gateway.lastCall('openai').raw)).to.deep.equal(rest)
  })

  it('OpenAI’s responses, embeddings and moderations pass through', async () => {
    const client = new OpenAI({ baseURL: `${gateway.api.url}/v1`, apiKey: gateway.tenant().key, maxRetries: 0 })
    const asked = { model: MODELS.openai, input: 'The capital?' }
    for (const answer of [await client.responses.create(asked), await client.responses.stream(asked).finalResponse()]) {
      expect(answer.output_text).to.equal('Paris it is')
      expect(answer.usage?.total_tokens).to.equal(107)
    }
    const other = await ask('/v1/responses', { ...asked, previous_response_id: 'resp_of_another_tenant' })
    expect([other.status, other.body.code]).to.deep.equal([400, 'not_translatable'])
    const vectors = await client.embeddings.create({
      model: 'text-embedding-3-small',
      input: ['a', 'b'],
      encoding_format: 'float',
    })
    expect(vectors.data.map(({ embedding }) => embedding)).to.deep.equal([
      [0.25, -0.5],
      [0.25, -0.5],
    ])
    expect((await client.moderations.create({ input: 'x' })).results[0]?.flagged).to.equal(false)
    const none = await ask('/v1/embeddings', { model: MODELS.anthropic, input: 'x' })
    expect([none.status, none.body.code]).to.deep.equal([400, 'not_translatable'])
  })

  it('count tokens, cost and calls; a call that its caller left is estimated', async () => {
    const { key } = await givenApiTenant(gateway.api)
    gateway.answer({ texts: ['ok'], usage: { input: 1000, cached: 400, output: 100 } })
    await ask('/v1/chat/completions', ASKED, {}, key)
    const usedOf = async () => {
      await gateway.api.server.services.invocations.flush()
      return (await gateway.api.call('GET', '/v1/billing/usage', { key })).body.meters
    }
    // 600 tokens at 0.15 USD per million, 400 at 0.075 and 100 at 0.6.
    expect(await usedOf()).to.include({
      gateway_calls: 1,
      tokens_in: 1000,
      tokens_out: 100,
      hosted_inference: 0,
      spend_usd: 0.00018,
    })
    const gate = Promise.withResolvers<void>()
    gateway.answer({ ...WORDS, stream: { before: async (i) => (i < 4 ? undefined : await gate.promise) } })
    const leaving = new AbortController()
    const response = await fetch(`${gateway.api.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify(ASKED),
      signal: leaving.signal,
    })
    await response.body?.getReader().read()
    leaving.abort()
    await eventually(async () => expect(await usedOf()).to.include({ gateway_calls: 2 }))
    expect((await usedOf()).tokens_in).to.be.greaterThan(1000)
    gate.resolve()
  })
})
