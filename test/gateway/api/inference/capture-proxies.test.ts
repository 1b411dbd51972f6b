import { expect } from 'chai'
import Anthropic from '@anthropic-ai/sdk'
import { givenScopedKey } from '../../../support/people/given-keys.ts'
import { eventually } from '../../../support/wire/eventually.ts'
import { MODELS, useGateway } from './given-gateway.ts'

describe('capture proxies', () => {
  const gateway = useGateway()
  const { api } = gateway
  const messages = [{ role: 'user' as const, content: 'Where is my parcel?' }]

  it('answer as the provider does, at every address that an SDK makes, and name the capture', async () => {
    const { key } = gateway.tenant()
    gateway.answer({ texts: ['Here.'] })
    for (const [path, model] of [
      ['openai', MODELS.openai],
      ['openai/chat/completions', MODELS.openai],
      ['openai/v1/chat/completions', MODELS.openai],
      ['gemini', MODELS.google],
    ] as const) {
      const answer = await api.call('POST', `/v1/capture/${path}`, { key, body: { model, messages } })
      expect(answer.body.choices[0].message.content, answer.text).to.equal('Here.')
      const id = answer.headers.get('x-svc-capture-id') ?? ''
      await eventually(async () => {
        const { body } = await api.call('GET', `/v1/captures/${id}/inspect`, { key })
        expect(body.capture).to.deep.include({ response: 'Here.', source: 'gateway' })
      })
    }
    const client = new Anthropic({ apiKey: key, baseURL: `${api.server.url}/v1/capture/anthropic` })
    const message = await client.messages.create({ model: MODELS.anthropic, max_tokens: 16, messages })
    expect(message.content[0]).to.deep.include({ type: 'text', text: 'Here.' })
  })

  it('refuse bodies in the dialect of the provider, and keys that may not store captures', async () => {
    const { key } = gateway.tenant()
    const model = MODELS.openai
    const wrong = await api.call('POST', '/v1/capture/openai', { key, body: { model } })
    expect(wrong.status).to.equal(400)
    expect(wrong.body.error).to.have.property('message')
    const { key: narrow } = await givenScopedKey(api, key, { scopes: ['gateway:call'] })
    const refused = await api.call('POST', '/v1/capture/openai', { key: narrow, body: { model, messages } })
    expect(refused.status).to.equal(403)
  })
})
