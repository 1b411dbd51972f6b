import Anthropic from '@anthropic-ai/sdk'
import { ApiError, GoogleGenAI } from '@google/genai'
import { expect } from 'chai'
import OpenAI from 'openai'
import { answering, type ScriptedModel } from '../../support/providers/scripted-model.ts'
import { ANSWER_SCHEMA, useProviders } from './given.ts'

/** Answers the first call, and then says that there were too many. */
const once: ScriptedModel = (call) =>
  call.index === 0
    ? answering(call.structure === 'none' ? 'Paris' : { answer: 'Paris' })
    : { status: 429, message: 'slow down', headers: { 'retry-after': '1' } }

const caught = async (call: Promise<unknown>): Promise<unknown> =>
  await call.then(
    () => undefined,
    (error: unknown) => error,
  )

describe('the protocol servers of the tests, as the published SDKs see them', () => {
  const given = useProviders()

  it('serves chat completions to the SDK of OpenAI', async () => {
    const { baseUrl: baseURL, apiKey, calls } = await given.server('chat-completions', once)
    const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 })
    const ask = () =>
      client.chat.completions.create({
        model: 'test-model',
        messages: [{ role: 'user', content: 'The capital of France, as JSON?' }],
        response_format: { type: 'json_schema', json_schema: { ...ANSWER_SCHEMA, strict: true } },
      })
    const answer = await ask()
    expect(answer.choices[0]?.message.content).to.equal('{"answer":"Paris"}')
    expect(answer.usage?.completion_tokens).to.be.greaterThan(0)
    expect(calls[0]?.messages).to.deep.equal([{ role: 'user', text: 'The capital of France, as JSON?' }])
    expect(await caught(ask())).to.be.instanceOf(OpenAI.RateLimitError)
    const stranger = new OpenAI({ baseURL, apiKey: 'another', maxRetries: 0 })
    expect(await caught(stranger.chat.completions.create({ model: 'm', messages: [] }))).to.be.instanceOf(
      OpenAI.AuthenticationError,
    )
  })

  it('refuses a schema that strict output does not take, as OpenAI does', async () => {
    const { baseUrl: baseURL, apiKey } = await given.server('chat-completions', once)
    const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 })
    const schema = { type: 'object', properties: { a: { type: 'string' } }, required: [], additionalProperties: false }
    const refused = await caught(
      client.chat.completions.create({
        model: 'm',
        messages: [{ role: 'user', content: 'x' }],
        response_format: { type: 'json_schema', json_schema: { name: 'x', strict: true, schema } },
      }),
    )
    expect(refused).to.be.instanceOf(OpenAI.BadRequestError)
    expect(refused).to.have.property('code', 'invalid_json_schema')
  })

  it('serves messages to the SDK of Anthropic', async () => {
    const { baseUrl: baseURL, apiKey } = await given.server('messages', once)
    const client = new Anthropic({ baseURL, apiKey, maxRetries: 0 })
    const ask = () =>
      client.messages.create({
        model: 'test-model',
        max_tokens: 64,
        messages: [{ role: 'user', content: 'The capital of France?' }],
        tools: [{ name: 'answer', input_schema: { ...ANSWER_SCHEMA.schema, required: ['answer'] } }],
        tool_choice: { type: 'tool', name: 'answer' },
      })
    const answer = await ask()
    expect(answer.content[0]).to.deep.include({ type: 'tool_use', name: 'answer', input: { answer: 'Paris' } })
    expect(answer.stop_reason).to.equal('tool_use')
    expect(await caught(ask())).to.be.instanceOf(Anthropic.RateLimitError)
    const stranger = new Anthropic({ baseURL, apiKey: 'another', maxRetries: 0 })
    expect(await caught(stranger.messages.create({ model: 'm', max_tokens: 1, messages: [] }))).to.be.instanceOf(
      Anthropic.AuthenticationError,
    )
  })

  it('serves generate-content to the SDK of Google', async () => {
    const { baseUrl, apiKey } = await given.server('generate-content', once)
    const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl } })
    const ask = () =>
      client.models.generateContent({
        model: 'test-model',
        contents: 'The capital of France?',
        config: { responseMimeType: 'application/json', responseJsonSchema: ANSWER_SCHEMA.schema },
      })
    const answer = await ask()
    expect(answer.text).to.equal('{"answer":"Paris"}')
    expect(answer.usageMetadata?.candidatesTokenCount).to.be.greaterThan(0)
    const limited = await caught(ask())
    expect(limited).to.be.instanceOf(ApiError)
    expect(limited).to.have.property('status', 429)
  })
})
