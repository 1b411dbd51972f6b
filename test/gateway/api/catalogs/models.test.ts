import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import { expect } from 'chai'
import OpenAI from 'openai'
import { givenApiTenant } from '../../../support/api.ts'
import { useGateway } from '../inference/given-gateway.ts'

/** Three providers, and two more that the same server of chat completions answers for. */
const ALL = [
  'gpt-4o-mini',
  'openai:llama3.2:1b',
  'claude-haiku-4-5',
  'gemini-2.5-flash',
  'openrouter:gpt-4o-mini',
  'openrouter:llama3.2:1b',
  'local-vllm:gpt-4o-mini',
  'local-vllm:llama3.2:1b',
]

describe('the list of models', () => {
  const gateway = useGateway()
  const key = () => gateway.tenant().key

  it('has what every provider lists, under names that calls take, in the SDKs of all three protocols', async () => {
    const openai = new OpenAI({ baseURL: `${gateway.api.url}/v1`, apiKey: key(), maxRetries: 0 })
    const listed = []
    for await (const model of openai.models.list()) listed.push(model)
    expect(listed.map(({ id }) => id)).to.have.members(ALL)
    expect(listed.find(({ id }) => id === 'gpt-4o-mini')).to.deep.include({
      object: 'model',
      created: 1_721_172_741,
      owned_by: 'openai',
    })
    const asked = { model: 'local-vllm:llama3.2:1b', messages: [{ role: 'user' as const, content: 'Hi' }] }
    await openai.chat.completions.create(asked)
    expect(gateway.lastCall('openai').model).to.equal('llama3.2:1b')
    expect(await openai.models.retrieve('local-vllm:llama3.2:1b')).to.include({ owned_by: 'local-vllm' })

    const anthropic = new Anthropic({ baseURL: gateway.api.url, apiKey: key(), maxRetries: 0 })
    const paged = []
    for await (const model of anthropic.models.list({ limit: 2 })) paged.push(model)
    expect(paged.map(({ id }) => id)).to.have.members(ALL)
    expect(await anthropic.models.retrieve('claude-haiku-4-5')).to.include({
      type: 'model',
      display_name: 'Claude Haiku 4.5',
      created_at: '2025-10-01T00:00:00.000Z',
    })

    for (const apiVersion of ['v1beta', 'v1']) {
      const httpOptions = { baseUrl: gateway.api.url, apiVersion }
      const google = new GoogleGenAI({ apiKey: key(), httpOptions })
      const names = []
      for await (const { name } of await google.models.list({ config: { pageSize: 2 } })) names.push(name)
      expect(names).to.have.members(ALL.map((id) => `models/${id}`))
      const model = await google.models.get({ model: 'gemini-2.5-flash' })
      expect(model).to.include({ name: 'models/gemini-2.5-flash', displayName: 'Gemini 2.5 Flash' })
    }
  })

  it('leaves out providers that are disabled, or that have no key for the caller', async () => {
    const { api } = gateway
    const tenant = await givenApiTenant(api)
    const change = { providers: { openrouter: { enabled: false }, 'local-vllm': { enabled: false } } }
    await api.call('POST', '/v1/gateway/providers/config', { key: tenant.key, body: change })
    const list = await api.call('GET', '/v1/models', { key: tenant.key })
    expect(list.body.data.map(({ id }: { id: string }) => id)).to.have.members(ALL.slice(0, 4))
    const disabled = await api.call('GET', '/v1/models/openrouter:gpt-4o-mini', { key: tenant.key })
    expect([disabled.status, disabled.body.code]).to.deep.equal([404, 'not_found'])

    const anonymous = await api.call('POST', '/v1/anon/bootstrap', { body: {} })
    const empty = await api.call('GET', '/v1/models', { key: anonymous.body.anon_token })
    expect(empty.body).to.deep.include({ object: 'list', data: [], has_more: false, first_id: null, last_id: null })
  })

  it('answers 404 for a model that is not listed, in the form of each protocol', async () => {
    for (const name of ['gpt-none', 'no-such-name']) {
      const openai = await gateway.api.call('GET', `/v1/models/${name}`, { key: key() })
      expect([openai.status, openai.body.error.code], name).to.deep.equal([404, 'not_found'])
    }
    const google = await gateway.api.call('GET', '/v1beta/models/gemini-none', { key: key() })
    expect([google.status, google.body.error.status]).to.deep.equal([404, 'NOT_FOUND'])
  })
})
