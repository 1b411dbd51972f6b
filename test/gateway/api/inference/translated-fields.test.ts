import { expect } from 'chai'
import { MODELS, PIXEL, useGateway, type TestProvider } from './given-gateway.ts'

const SAID = [{ role: 'user', content: 'The capital?' }]
const CONTENTS = [{ role: 'user', parts: [{ text: 'The capital?' }] }]

describe('fields of a translated call', () => {
  const gateway = useGateway()
  beforeEach(() => gateway.answer({ texts: ['{"city":"Paris"}'] }))

  async function post(path: string, body: object) {
    return await gateway.api.call('POST', path, { key: gateway.tenant().key, body })
  }
  const sent = (provider: TestProvider) => JSON.parse(gateway.lastCall(provider).raw)
  const content = `/v1beta/models/${MODELS.openai}:generateContent`

  it('reach a provider that has them in its own words', async () => {
    const knobs = { seed: 7, frequencyPenalty: 0.5, presencePenalty: 0.25 }
    const asked = await post(content, { contents: CONTENTS, generationConfig: knobs })
    expect(asked.status).to.equal(200)
    expect(sent('openai')).to.deep.include({ seed: 7, frequency_penalty: 0.5, presence_penalty: 0.25 })

    const efforts = { thinking: { type: 'adaptive' }, output_config: { effort: 'max' } }
    const thought = await post('/v1/messages', { model: MODELS.openai, max_tokens: 64, messages: SAID, ...efforts })
    expect(thought.status).to.equal(200)
    expect(sent('openai')).to.include({ reasoning_effort: 'high' })

    const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
    const format = { output_format: { type: 'json_schema', schema } }
    await post('/v1/messages', { model: MODELS.google, max_tokens: 64, messages: SAID, ...format })
    expect(sent('google').generationConfig).to.deep.include({ responseJsonSchema: schema })

    const thinking = { thinking: { type: 'enabled', budget_tokens: 1024 } }
    await post('/v1/messages', { model: MODELS.google, max_tokens: 2048, messages: SAID, ...thinking })
    expect(sent('google').generationConfig.thinkingConfig).to.deep.equal({
      thinkingBudget: 1024,
      includeThoughts: true,
    })
  })

  it('ask a model of Google for JSON in words where it takes no JSON mode beside tools', async () => {
    const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
    const asked = (model: string, choice: string) => ({
      model,
      input: 'The capital?',
      tools: [{ type: 'function', name: 'weather', parameters: { type: 'object', properties: {} } }],
      tool_choice: choice,
      text: { format: { type: 'json_schema', name: 'capital', schema } },
    })
    const ask = async (model: string, choice: string) => {
      const { status, text } = await post('/v1/responses', asked(model, choice))
      expect(status, text).to.equal(200)
      const { generationConfig, systemInstruction } = sent('google')
      return [generationConfig.responseJsonSchema, JSON.stringify(systemInstruction ?? null)]
    }
    for (const [model, choice, requests] of [
      [MODELS.google, 'auto', 1],
      [MODELS.google, 'required', 1],
      ['google:gemini-3-flash-preview', 'required', 1],
      // The service does not know what this one leads to: the provider refuses the schema, then any JSON.
      ['google:gemini-flash-latest', 'auto', 3],
    ] as const) {
      const before = gateway.server('google').bodies.length
      const [none, words] = await ask(model, choice)
      expect(none, model).to.equal(undefined)
      expect(words, model)
        .to.contain('JSON')
        .and.contain(JSON.stringify(JSON.stringify(schema)).slice(1, -1))
      expect(gateway.server('google').bodies.length - before, model).to.equal(requests)
    }
    expect(await ask('google:gemini-3-flash-preview', 'auto')).to.deep.equal([schema, 'null'])
  })

  it('are read under both spellings that Google takes', async () => {
    const declared = { name: 'weather', parameters: { type: 'OBJECT', properties: { city_name: { type: 'STRING' } } } }
    const asked = await post(content, {
      system_instruction: { parts: [{ text: 'Be brief.' }] },
      contents: [
        { role: 'user', parts: [{ inline_data: { mime_type: 'image/png', data: PIXEL } }, { text: 'This?' }] },
      ],
      tools: [{ function_declarations: [declared] }],
      tool_config: { function_calling_config: { mode: 'ANY' } },
      generation_config: { max_output_tokens: 50 },
    })
    expect(asked.status).to.equal(200)
    const body = sent('openai')
    expect(body.messages[0]).to.deep.equal({ role: 'system', content: 'Be brief.' })
    expect(gateway.lastCall('openai').images).to.deep.equal([`data:image/png;base64,${PIXEL}`])
    expect(body.tools[0].function.parameters.properties).to.deep.equal({ city_name: { type: 'string' } })
    expect(body).to.include({ tool_choice: 'required', max_completion_tokens: 50 })
  })

  it('ask for JSON in words where the provider has no such mode', async () => {
    const asked = { model: MODELS.anthropic, messages: SAID, response_format: { type: 'json_object' } }
    expect((await post('/v1/chat/completions', asked)).status).to.equal(200)
    expect(sent('anthropic').system).to.match(/JSON/)
  })

  it('without a counterpart are refused by name before the call', async () => {
    const chat = { model: MODELS.anthropic, messages: SAID }
    const before = gateway.server('anthropic').bodies.length
    for (const [field, value] of Object.entries({
      logprobs: true,
      logit_bias: { 1: 2 },
      functions: [{ name: 'f' }],
      modalities: ['text', 'audio'],
      web_search_options: { user_location: null, search_context_size: 'low' },
      guided_regex: '[a-z]',
      enable_thinking: false,
    })) {
      const refused = await post('/v1/chat/completions', { ...chat, [field]: value })
      expect([refused.status, refused.body.error.code, refused.body.error.param]).to.deep.equal(
        [400, 'not_translatable', field],
        field,
      )
    }
    const penalty = await post('/v1/chat/completions', { ...chat, presence_penalty: 1 })
    expect([penalty.status, penalty.body.error.code]).to.deep.equal([400, 'not_translatable'])
    expect(penalty.body.error.param).to.equal('presence_penalty')
    const knobs = { contents: CONTENTS, generationConfig: { frequencyPenalty: 1 } }
    const frequency = await post(`/v1beta/models/${MODELS.anthropic}:generateContent`, knobs)
    expect([frequency.status, frequency.body.code]).to.deep.equal([400, 'not_translatable'])
    expect(frequency.body.error.message).to.match(/^generationConfig\.frequencyPenalty\b/)
    expect(gateway.server('anthropic').bodies).to.have.length(before)

    const servers = { mcp_servers: [{ type: 'url', url: 'https://tools.example', name: 'tools' }] }
    const message = await post('/v1/messages', { model: MODELS.openai, max_tokens: 9, messages: SAID, ...servers })
    expect([message.status, message.body.code]).to.deep.equal([400, 'not_translatable'])
    expect(message.body.error.message).to.include('mcp_servers')

    const top = await post('/v1/responses', { model: MODELS.anthropic, input: 'Hi', top_logprobs: 3 })
    expect([top.status, top.body.error.param]).to.deep.equal([400, 'top_logprobs'])

    const voice = { contents: CONTENTS, generationConfig: { responseModalities: ['AUDIO'] } }
    const spoken = await post(content, voice)
    expect([spoken.status, spoken.body.code]).to.deep.equal([400, 'not_translatable'])
    expect(spoken.body.error.message).to.include('generationConfig.responseModalities')

    const tools = [{ functionDeclarations: [{ name: 'weather' }], googleSearch: {} }]
    const searched = await post(content, { contents: CONTENTS, tools })
    expect([searched.status, searched.body.code]).to.deep.equal([400, 'not_translatable'])
    expect(searched.body.error.message).to.include('tools[0].googleSearch')
  })

  it('that are unknown are left out and named in a header, whole and streamed', async () => {
    const asked = { model: MODELS.anthropic, messages: SAID, answer_style: 'dry', 'a, b\nc': 1 }
    for (const stream of [false, true]) {
      const { status, headers } = await post('/v1/chat/completions', { ...asked, stream })
      expect([status, headers.get('x-svc-left-out')]).to.deep.equal([200, 'answer_style, a??b?c'])
    }
    expect(sent('anthropic')).to.have.all.keys(['model', 'max_tokens', 'messages', 'stream'])

    const many = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`member_${i}`, true]))
    const named = await post('/v1/responses', { model: MODELS.anthropic, input: 'Hi', ...many })
    expect(named.headers.get('x-svc-left-out')?.split(', ')).to.have.length(20)

    const tools = [{ functionDeclarations: [{ name: 'weather' }], newTool: {} }]
    const google = await post(content, { contents: CONTENTS, tools, generationConfig: { mood: 'dry' }, wish: 1 })
    expect([google.status, google.headers.get('x-svc-left-out')]).to.deep.equal([
      200,
      'wish, generationConfig.mood, tools[0].newTool',
    ])

    const passed = await post('/v1/chat/completions', { ...asked, model: MODELS.openai })
    expect([passed.status, passed.headers.get('x-svc-left-out')]).to.deep.equal([200, null])
    expect(sent('openai')).to.include({ answer_style: 'dry' })
  })

  it('have no effort of reasoning for a model that does not reason, unless the call asks for reasoning', async () => {
    const asked = { max_tokens: 64, messages: SAID, output_config: { effort: 'medium' } }
    const plain = await post('/v1/messages', { model: MODELS.openai, ...asked })
    expect([plain.status, plain.headers.get('x-svc-left-out')]).to.deep.equal([200, 'output_config.effort'])
    expect(sent('openai')).not.to.have.property('reasoning_effort')

    const reasons = await post('/v1/messages', { model: 'gpt-5-mini', ...asked })
    expect([reasons.status, reasons.headers.get('x-svc-left-out')]).to.deep.equal([200, null])
    expect(sent('openai')).to.include({ reasoning_effort: 'medium' })
  })

  it('do not bring the names of a provider’s own fields into an error', async () => {
    gateway.answer({ status: 400, param: `headers[${gateway.server('openai').apiKey}].${'x'.repeat(300)}` })
    const google = await post(content, { contents: CONTENTS })
    expect(google.status).to.equal(400)
    expect(google.body.details).to.have.all.keys(['provider', 'provider_status', 'provider_request_id'])
    const chat = await post('/v1/chat/completions', { model: MODELS.openai, messages: SAID })
    expect(chat.status).to.equal(400)
    expect(chat.body.error.param)
      .to.match(/^headers\[\[key\]\]\.x+$/)
      .and.have.length(100)
  })

  it('that ask for nothing, or only describe the call, are left out', async () => {
    const idle = { logprobs: false, top_logprobs: 0, logit_bias: {}, functions: [], presence_penalty: 0, audio: null }
    const notes = {
      user: 'u',
      verbosity: 'low',
      metadata: { order: '7' },
      store: false,
      service_tier: 'auto',
      prompt_cache_key: 'k',
    }
    const body = { model: MODELS.anthropic, messages: SAID, modalities: ['text'], seed: 1, top_k: 5, ...idle, ...notes }
    const asked = await post('/v1/chat/completions', body)
    expect([asked.status, asked.headers.get('x-svc-left-out')]).to.deep.equal([200, null])
    expect(sent('anthropic')).to.have.all.keys(['model', 'max_tokens', 'messages', 'top_k']).and.include({ top_k: 5 })
    const brief = { model: MODELS.anthropic, input: 'Hi', text: { verbosity: 'low' } }
    expect((await post('/v1/responses', brief)).status).to.equal(200)
  })
})

describe('ids of a translated answer', () => {
  const gateway = useGateway()

  it('differ from call to call, where the provider gives none', async () => {
    const { api, tenant } = gateway
    // Google's older models name no call.
    gateway.answer({ texts: ['Sunny'], calls: [{ id: '', name: 'weather', input: {} }] })
    const ask = async (stream: boolean) => {
      const tools = [{ name: 'weather', input_schema: { type: 'object' } }]
      const body = { model: MODELS.google, max_tokens: 64, messages: SAID, tools, stream }
      const { body: answer, text } = await api.call('POST', '/v1/messages', { key: tenant().key, body })
      return stream
        ? /"type":"tool_use","id":"([^"]+)"/.exec(text)?.[1]
        : answer.content.find(({ type }: { type: string }) => type === 'tool_use').id
    }
    const ids = [await ask(false), await ask(false), await ask(true), await ask(true)]
    expect(new Set(ids)).to.have.property('size', 4)
    for (const id of ids) expect(id).to.match(/^[\w-]{1,40}$/)
  })

  it('of output items of a response are those of that response alone', async () => {
    gateway.answer({ texts: ['Paris'] })
    const ask = async () => {
      const body = { model: MODELS.anthropic, input: 'The capital?' }
      const answer = await gateway.api.call('POST', '/v1/responses', { key: gateway.tenant().key, body })
      return answer.body.output[0].id
    }
    const ids = [await ask(), await ask()]
    expect(ids[0]).to.match(/^msg_/)
    expect(ids[0]).not.to.equal(ids[1])
  })
})

describe('a translated message', () => {
  const gateway = useGateway()

  it('has the members of a text that Anthropic sends, and no empty ones: strict readers refuse them', async () => {
    gateway.answer({ texts: ['Paris'] })
    const body = { model: MODELS.openai, max_tokens: 64, messages: SAID }
    const answer = await gateway.api.call('POST', '/v1/messages', { key: gateway.tenant().key, body })
    expect(answer.body.content).to.deep.equal([{ type: 'text', text: 'Paris' }])
  })
})
