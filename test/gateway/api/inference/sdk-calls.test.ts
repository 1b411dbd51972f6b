import Anthropic from '@anthropic-ai/sdk'
import { ApiError, GoogleGenAI } from '@google/genai'
import { expect } from 'chai'
import OpenAI from 'openai'
import { ANSWER_SCHEMA } from '../../core/given.ts'
import { MODELS, PIXEL, thrownBy, TWO_CALLS, useGateway, WEATHER, type TestProvider } from './given-gateway.ts'

const PROVIDERS: readonly TestProvider[] = ['openai', 'anthropic', 'google']
const DATA_URL = `data:image/png;base64,${PIXEL}`

describe('the published SDKs, with only their base address changed', () => {
  const gateway = useGateway()
  const key = () => gateway.tenant().key
  const openai = () => new OpenAI({ baseURL: `${gateway.api.url}/v1`, apiKey: key(), maxRetries: 0 })
  const anthropic = () => new Anthropic({ baseURL: gateway.api.url, apiKey: key(), maxRetries: 0 })
  const google = () => new GoogleGenAI({ apiKey: key(), httpOptions: { baseUrl: gateway.api.url } })
  const usage = { input: 100, cached: 40, output: 7 }

  for (const provider of PROVIDERS) {
    const model = MODELS[provider]

    describe(`to ${provider}`, () => {
      it('OpenAI: chat, stream, tools, image, structured answer', async () => {
        gateway.answer({ texts: ['Paris it is'], usage })
        const asked = { model, messages: [{ role: 'user' as const, content: 'The capital?' }] }
        const whole = await openai().chat.completions.create(asked)
        expect(whole.choices[0]).to.deep.include({ finish_reason: 'stop' })
        expect(whole.choices[0]?.message.content).to.equal('Paris it is')
        expect(whole.usage).to.deep.include({ prompt_tokens: 100, completion_tokens: 7, total_tokens: 107 })
        expect(whole.usage?.prompt_tokens_details?.cached_tokens).to.equal(40)

        const stream = openai().chat.completions.stream({ ...asked, stream_options: { include_usage: true } })
        const streamed = await stream.finalChatCompletion()
        expect(streamed.choices[0]?.message.content).to.equal('Paris it is')
        expect(streamed.usage).to.deep.include({ prompt_tokens: 100, completion_tokens: 7 })

        gateway.answer({ texts: ['Let me look.'], calls: TWO_CALLS })
        const tools = [{ type: 'function' as const, function: { name: 'weather', parameters: WEATHER } }]
        const calling = await openai()
          .chat.completions.stream({ ...asked, tools })
          .finalChatCompletion()
        const message = calling.choices[0]?.message
        expect(calling.choices[0]?.finish_reason).to.equal('tool_calls')
        const made = (message?.tool_calls ?? []).flatMap((call) => (call.type === 'function' ? [call] : []))
        expect(made.map(({ function: { arguments: text } }) => JSON.parse(text))).to.deep.equal(
          TWO_CALLS.map(({ input }) => input),
        )
        expect(gateway.lastCall(provider).tools).to.deep.equal(['weather'])

        gateway.answer({ texts: ['18 and 4'] })
        await openai().chat.completions.create({
          model,
          tools,
          messages: [
            ...asked.messages,
            { role: 'assistant', content: null, tool_calls: made },
            ...made.map(({ id }, i) => ({ role: 'tool' as const, tool_call_id: id, content: `result ${i}` })),
          ],
        })
        expect(gateway.lastCall(provider).results.join()).to.match(/result 0.*result 1/)

        const parts = [
          { type: 'text' as const, text: 'What is it?' },
          { type: 'image_url' as const, image_url: { url: DATA_URL } },
        ]
        await openai().chat.completions.create({ model, messages: [{ role: 'user', content: parts }] })
        expect(gateway.lastCall(provider).images).to.deep.equal([DATA_URL])

        gateway.answer({ texts: ['{"answer":"Paris"}'] })
        const format = { type: 'json_schema' as const, json_schema: { ...ANSWER_SCHEMA, strict: true } }
        for (const structured of [
          await openai().chat.completions.create({ ...asked, response_format: format }),
          await openai()
            .chat.completions.stream({ ...asked, response_format: format })
            .finalChatCompletion(),
        ]) {
          expect(JSON.parse(structured.choices[0]?.message.content ?? '')).to.deep.equal({ answer: 'Paris' })
          expect(structured.choices[0]?.finish_reason).to.equal('stop')
        }
        expect(gateway.lastCall(provider).structure).to.equal('schema')
      })

      it('Anthropic: messages, stream, tools, image, reasoning', async () => {
        gateway.answer({ texts: ['Paris it is'], thinking: 'I know this one', usage })
        const asked = { model, max_tokens: 64, messages: [{ role: 'user' as const, content: 'The capital?' }] }
        for (const answer of [
          await anthropic().messages.create(asked),
          await anthropic().messages.stream(asked).finalMessage(),
        ]) {
          expect(answer.content.map(({ type }) => type)).to.deep.equal(['thinking', 'text'])
          expect(answer.content[0]).to.include({ thinking: 'I know this one' })
          expect(answer.content[1]).to.include({ text: 'Paris it is' })
          expect(answer.stop_reason).to.equal('end_turn')
          expect(answer.usage).to.deep.include({ input_tokens: 60, cache_read_input_tokens: 40, output_tokens: 7 })
        }

        gateway.answer({ texts: ['Let me look.'], calls: TWO_CALLS })
        const tools = [{ name: 'weather', input_schema: { ...WEATHER, type: 'object' as const } }]
        const calling = await anthropic()
          .messages.stream({ ...asked, tools })
          .finalMessage()
        expect(calling.stop_reason).to.equal('tool_use')
        const uses = calling.content.flatMap((block) => (block.type === 'tool_use' ? [block] : []))
        expect(uses.map(({ input }) => input)).to.deep.equal(TWO_CALLS.map(({ input }) => input))

        gateway.answer({ texts: ['18 and 4'], finish: 'length' })
        const results = uses.map(({ id }, i) => ({
          type: 'tool_result' as const,
          tool_use_id: id,
          content: [{ type: 'text' as const, text: `result ${i}` }],
        }))
        const image = {
          type: 'image' as const,
          source: { type: 'base64' as const, media_type: 'image/png' as const, data: PIXEL },
        }
        const cut = await anthropic().messages.create({
          ...asked,
          tools,
          messages: [
            ...asked.messages,
            { role: 'assistant', content: uses },
            { role: 'user', content: [...results, image] },
          ],
        })
        expect(cut.stop_reason).to.equal('max_tokens')
        expect(gateway.lastCall(provider).results.join()).to.match(/result 0.*result 1/)
        expect(gateway.lastCall(provider).images).to.deep.equal([DATA_URL])
      })

      it('Google: content, stream, tools, image, structured answer', async () => {
        gateway.answer({ texts: ['Paris it is'], usage })
        const asked = { model, contents: 'The capital?' }
        const whole = await google().models.generateContent(asked)
        expect(whole.text).to.equal('Paris it is')
        expect(whole.usageMetadata).to.deep.include({ promptTokenCount: 100, candidatesTokenCount: 7 })
        let text = ''
        for await (const piece of await google().models.generateContentStream(asked)) text += piece.text ?? ''
        expect(text).to.equal('Paris it is')

        gateway.answer({ texts: [''], calls: TWO_CALLS })
        const config = { tools: [{ functionDeclarations: [{ name: 'weather', parametersJsonSchema: WEATHER }] }] }
        const calls: unknown[] = []
        for await (const piece of await google().models.generateContentStream({ ...asked, config })) {
          calls.push(...(piece.functionCalls ?? []).map(({ args }) => args))
        }
        expect(calls).to.deep.equal(TWO_CALLS.map(({ input }) => input))

        gateway.answer({ texts: ['18 and 4'] })
        await google().models.generateContent({
          model,
          config,
          contents: [
            { role: 'user', parts: [{ text: 'Weather?' }, { inlineData: { mimeType: 'image/png', data: PIXEL } }] },
            { role: 'model', parts: TWO_CALLS.map(({ name, input }) => ({ functionCall: { name, args: input } })) },
            {
              role: 'user',
              parts: TWO_CALLS.map(({ name }, i) => ({
                functionResponse: { name, response: { output: `result ${i}` } },
              })),
            },
          ],
        })
        expect(gateway.lastCall(provider).results.join()).to.match(/result 0.*result 1/)
        expect(gateway.lastCall(provider).images).to.deep.equal([DATA_URL])

        gateway.answer({ texts: ['{"answer":"Paris"}'] })
        const structured = await google().models.generateContent({
          ...asked,
          config: { responseMimeType: 'application/json', responseJsonSchema: ANSWER_SCHEMA.schema },
        })
        expect(JSON.parse(structured.text ?? '')).to.deep.equal({ answer: 'Paris' })
      })

      it('throw their own errors: too many calls, refused input', async () => {
        gateway.answer({ status: 429, message: 'slow down', headers: { 'retry-after': '7' } })
        const [chat, message, content] = await errorsOf(model)
        expect(chat).to.be.instanceOf(OpenAI.RateLimitError)
        expect(chat)
          .to.have.nested.property('headers')
          .that.satisfies((given: Headers) => given.get('retry-after') === '7')
        expect(message).to.be.instanceOf(Anthropic.RateLimitError)
        expect(content).to.be.instanceOf(ApiError).and.have.property('status', 429)
        gateway.answer({ status: 400, message: 'no such field' })
        const [bad, alsoBad, badToo] = await errorsOf(model)
        expect(bad).to.be.instanceOf(OpenAI.BadRequestError)
        expect(alsoBad).to.be.instanceOf(Anthropic.BadRequestError)
        expect(badToo).to.be.instanceOf(ApiError).and.have.property('status', 400)
        expect(String(bad)).to.contain('no such field')
      })
    })
  }

  const errorsOf = async (model: string) =>
    await Promise.all([
      thrownBy(openai().chat.completions.create({ model, messages: [{ role: 'user', content: 'x' }] })),
      thrownBy(anthropic().messages.create({ model, max_tokens: 5, messages: [{ role: 'user', content: 'x' }] })),
      thrownBy(google().models.generateContent({ model, contents: 'x' })),
    ])

  it('OpenAI responses: whole and streamed, tools, structured answer', async () => {
    for (const model of [MODELS.anthropic, MODELS.google]) {
      gateway.answer({ texts: ['Paris it is'], usage })
      const asked = { model, input: 'The capital?', instructions: 'Be short.' }
      for (const answer of [
        await openai().responses.create(asked),
        await openai().responses.stream(asked).finalResponse(),
      ]) {
        expect(answer.output_text).to.equal('Paris it is')
        expect(answer.status).to.equal('completed')
        expect(answer.usage).to.deep.include({ input_tokens: 100, output_tokens: 7, total_tokens: 107 })
      }
      gateway.answer({ texts: [''], calls: TWO_CALLS })
      const tools = [{ type: 'function' as const, name: 'weather', parameters: WEATHER, strict: true }]
      const { output } = await openai()
        .responses.stream({ ...asked, tools })
        .finalResponse()
      const calls = output.flatMap((item) => (item.type === 'function_call' ? [item] : []))
      expect(calls.map(({ arguments: text }) => JSON.parse(text))).to.deep.equal(TWO_CALLS.map(({ input }) => input))
      gateway.answer({ texts: ['{"answer":"Paris"}'] })
      const text = { format: { type: 'json_schema' as const, ...ANSWER_SCHEMA } }
      expect(JSON.parse((await openai().responses.create({ ...asked, text })).output_text)).to.deep.equal({
        answer: 'Paris',
      })
      const kept = await thrownBy(openai().responses.create({ ...asked, previous_response_id: 'resp_1' }))
      expect(kept).to.be.instanceOf(OpenAI.BadRequestError).and.include({ param: 'previous_response_id' })
    }
  })

  it('throw when a stream breaks off, in each dialect', async () => {
    for (const provider of PROVIDERS) {
      const model = MODELS[provider]
      for (const stream of [{ cutAfter: 3 }, { endAfter: 3 }, { garbageAfter: 3 }, { errorAfter: 3 }]) {
        gateway.answer({ texts: ['one two three four five six'], stream })
        const name = `${provider} ${Object.keys(stream)[0]}`
        const messages = [{ role: 'user' as const, content: 'x' }]
        const chat = openai().chat.completions.stream({ model, messages })
        expect(await thrownBy(chat.finalChatCompletion()), name).to.be.instanceOf(OpenAI.APIError)
        const message = anthropic().messages.stream({ model, max_tokens: 64, messages })
        expect(await thrownBy(message.finalMessage()), name).to.be.instanceOf(Anthropic.APIError)
        const pieces = async () => {
          for await (const piece of await google().models.generateContentStream({ model, contents: 'x' })) void piece
        }
        expect(await thrownBy(pieces()), name).to.be.instanceOf(Error)
        if (provider === 'openai') continue
        const response = openai().responses.stream({ model, input: 'x' })
        expect(await thrownBy(response.finalResponse()), name).to.be.instanceOf(OpenAI.APIError)
      }
    }
  })

  it('refuse arguments that the provider takes as an object and that nest too deep', async () => {
    const deep = `${'{"a":'.repeat(600)}1${'}'.repeat(600)}`
    const input = [
      { role: 'user' as const, content: 'x' },
      { type: 'function_call' as const, call_id: 'call_1', name: 'weather', arguments: deep },
      { type: 'function_call_output' as const, call_id: 'call_1', output: 'y' },
    ]
    const ask = async (provider: TestProvider) =>
      await thrownBy(openai().responses.create({ model: MODELS[provider], input }))
    for (const provider of ['anthropic', 'google'] as const) {
      const before = gateway.server(provider).calls.length
      const error = await ask(provider)
      expect(error).to.be.instanceOf(OpenAI.BadRequestError).and.include({ code: 'not_translatable' })
      expect(gateway.server(provider).calls.length).to.equal(before)
    }
    gateway.answer({ texts: ['ok'] })
    expect(await ask('openai')).to.equal(undefined)
  })

  it('name the field that the provider refuses', async () => {
    const asked = { model: MODELS.openai, messages: [{ role: 'user' as const, content: 'x' }], temperature: 3 }
    const error = await thrownBy(openai().chat.completions.create(asked))
    expect(error).to.be.instanceOf(OpenAI.BadRequestError).and.include({ code: 'invalid_value', param: 'temperature' })
  })

  it('refuse keys and models that are unknown, with the class of each', async () => {
    const stranger = `ks_${'0'.repeat(12)}_${'0'.repeat(26)}`
    const messages = [{ role: 'user' as const, content: 'x' }]
    const wrong = new OpenAI({ baseURL: `${gateway.api.url}/v1`, apiKey: stranger, maxRetries: 0 })
    expect(await thrownBy(wrong.chat.completions.create({ model: MODELS.openai, messages }))).to.be.instanceOf(
      OpenAI.AuthenticationError,
    )
    const [chat, message, content] = await errorsOf('no-such-model')
    expect(chat).to.be.instanceOf(OpenAI.BadRequestError).and.include({ code: 'unknown_model', param: 'model' })
    expect(message).to.be.instanceOf(Anthropic.BadRequestError)
    expect(content).to.be.instanceOf(ApiError).and.have.property('status', 400)
    const [noKey] = await errorsOf('groq:llama')
    expect(noKey).to.be.instanceOf(OpenAI.InternalServerError).and.include({ status: 503, code: 'no_provider_key' })
  })
})
