import Anthropic from '@anthropic-ai/sdk'
import { expect } from 'chai'
import { MODELS, thrownBy, useGateway } from './given-gateway.ts'

describe("the base address of Anthropic's SDK", () => {
  const gateway = useGateway()
  const key = () => gateway.tenant().key

  it('takes a key of ours, with both keys, and a key at Anthropic alone', async () => {
    const baseURL = `${gateway.api.url}/anthropic`
    const own = gateway.server('anthropic').apiKey
    const asked = {
      model: MODELS.anthropic,
      max_tokens: 8,
      messages: [{ role: 'user' as const, content: 'mail a@b.org' }],
    }
    const visitor = new Anthropic({ baseURL, apiKey: own, maxRetries: 0 })
    const both = new Anthropic({
      baseURL,
      apiKey: own,
      maxRetries: 0,
      defaultHeaders: { authorization: `Bearer ${key()}` },
    })
    const member = new Anthropic({ baseURL, apiKey: key(), maxRetries: 0 })
    for (const [caller, isKnown] of [
      [visitor, false],
      [both, true],
      [member, true],
    ] as const) {
      gateway.answer({ texts: ['Sent to VAR_EMAIL_1'] })
      const { data, response } = await caller.messages.create(asked).withResponse()
      expect(data.content).to.deep.include({ type: 'text', text: 'Sent to a@b.org' })
      expect(gateway.server('anthropic').bodies.at(-1)).not.to.contain('a@b.org')
      expect(response.headers.has('x-svc-capture-id')).to.equal(isKnown)
      expect(response.headers.has('x-inference-signature')).to.equal(isKnown)
      const streamed = await caller.messages.stream(asked).finalMessage()
      expect(streamed.content).to.deep.include({ type: 'text', text: 'Sent to a@b.org' })
    }
    const sent = gateway.server('anthropic').calls.length
    const bare = await gateway.api.call('POST', '/anthropic/v1/messages', { body: asked })
    expect([bare.status, bare.body.type, bare.body.error.type]).to.deep.equal([401, 'error', 'authentication_error'])
    expect(bare.body.code).to.equal('missing_credential')
    const mistyped = new Anthropic({ baseURL, apiKey: 'ks_mistyped', maxRetries: 0 })
    expect(await thrownBy(mistyped.messages.create(asked))).to.be.instanceOf(Anthropic.AuthenticationError)
    const elsewhere = await thrownBy(visitor.messages.create({ ...asked, model: MODELS.openai }))
    expect(elsewhere).to.have.property('status', 503)
    expect(await thrownBy(visitor.messages.create({ ...asked, model: 'local-vllm:x' }))).to.have.property('status', 503)
    expect(gateway.server('anthropic').calls.length).to.equal(sent)
    const blocked = await thrownBy(visitor.messages.create(asked, { headers: { 'x-svc-privacy-policy': 'block' } }))
    expect(blocked).to.have.property('status', 451)
  })
})
