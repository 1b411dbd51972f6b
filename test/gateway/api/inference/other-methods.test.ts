import Anthropic from '@anthropic-ai/sdk'
import { ApiError, GoogleGenAI } from '@google/genai'
import { expect } from 'chai'
import { MODELS, thrownBy, useGateway } from './given-gateway.ts'

describe('counts of tokens and embeddings of the published SDKs', () => {
  const gateway = useGateway()
  const anthropic = (path = '') =>
    new Anthropic({ baseURL: `${gateway.api.url}${path}`, apiKey: gateway.tenant().key, maxRetries: 0 })
  const google = () => new GoogleGenAI({ apiKey: gateway.tenant().key, httpOptions: { baseUrl: gateway.api.url } })
  const messages = [{ role: 'user' as const, content: 'Write to ada@example.org' }]

  it('count with Anthropic, at both addresses', async () => {
    for (const path of ['', '/anthropic']) {
      const model = MODELS.anthropic
      expect((await anthropic(path).messages.countTokens({ model, messages })).input_tokens).to.be.greaterThan(0)
      const sent = JSON.parse(gateway.server('anthropic').bodies.at(-1) ?? '')
      expect(sent).to.deep.equal({ model, messages: [{ role: 'user', content: 'Write to VAR_EMAIL_1' }] })
    }
    const keyed = new Anthropic({ baseURL: `${gateway.api.url}/anthropic`, apiKey: gateway.server('anthropic').apiKey })
    const { input_tokens: count } = await keyed.messages.countTokens({ model: MODELS.anthropic, messages })
    expect(count).to.be.greaterThan(0)
  })

  it('count with Google', async () => {
    const { totalTokens } = await google().models.countTokens({ model: MODELS.google, contents: 'Where is it?' })
    expect(totalTokens).to.be.greaterThan(0)
    const files = { contents: [{ parts: [{ file_data: { file_uri: 'files/of-another-tenant' } }] }] }
    for (const body of [files, { generate_content_request: files }, { generateContentRequest: files }]) {
      const path = `/v1beta/models/${MODELS.google}:countTokens`
      const answer = await gateway.api.call('POST', path, { key: gateway.tenant().key, body })
      expect([answer.status, answer.body.code], answer.text).to.deep.equal([400, 'not_translatable'])
    }
  })

  it('give no guess for a model of another provider', async () => {
    for (const model of [MODELS.openai, MODELS.google]) {
      const error = await thrownBy(anthropic().messages.countTokens({ model, messages }))
      expect(error).to.be.instanceOf(Anthropic.BadRequestError)
      expect(String(error)).to.contain('counts no tokens in this protocol')
    }
    const error = await thrownBy(google().models.countTokens({ model: MODELS.openai, contents: 'x' }))
    expect(error).to.be.instanceOf(ApiError).and.have.property('status', 400)
  })

  it('make vectors with Google and, translated, with OpenAI', async () => {
    const contents = ['Where is it?', 'Here']
    const native = await google().models.embedContent({ model: 'text-embedding-004', contents })
    expect(native.embeddings?.map(({ values }) => values)).to.deep.equal([
      [12, -0.5],
      [4, -0.5],
    ])
    const config = { outputDimensionality: 2 }
    const translated = await google().models.embedContent({ model: 'text-embedding-3-small', contents, config })
    expect(translated.embeddings?.map(({ values }) => values)).to.deep.equal([
      [0.25, -0.5],
      [0.25, -0.5],
    ])
    expect(JSON.parse(gateway.server('openai').bodies.at(-1) ?? '')).to.deep.equal({
      model: 'text-embedding-3-small',
      input: contents,
      encoding_format: 'float',
      dimensions: 2,
    })
    const { key } = gateway.tenant()
    const embed = async (body: object) =>
      await gateway.api.call('POST', '/v1beta/models/text-embedding-3-small:embedContent', { key, body })
    const one = await embed({ content: { parts: [{ text: 'a' }, { text: 'b' }] }, taskType: 'RETRIEVAL_QUERY' })
    expect([one.body, one.headers.get('x-svc-left-out')]).to.deep.equal([
      { embedding: { values: [0.25, -0.5] } },
      'taskType',
    ])
    const image = await embed({ content: { parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }] } })
    expect([image.status, image.body.code], image.text).to.deep.equal([400, 'not_translatable'])
    const none = await thrownBy(google().models.embedContent({ model: MODELS.anthropic, contents }))
    expect(none).to.be.instanceOf(ApiError).and.have.property('status', 400)
  })
})
