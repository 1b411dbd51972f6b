import { expect } from 'chai'
import { createParser } from 'eventsource-parser'
import type { AnswerFacts } from '../../../core/gateway/protocol/dialects/dialect.ts'
import { CALLER_TABLE, DIALECT_TABLE } from '../../../core/gateway/protocol/dialects/table.ts'
import { isCacheable } from '../../../core/gateway/routing/cache-key.ts'
import { ProviderError } from '../../../core/gateway/providers/provider-error.ts'
import { usageOf, type ModelAnswer } from '../../../core/gateway/protocol/exchange/answer.ts'
import type { ModelRequest, Tool } from '../../../core/gateway/protocol/exchange/request.ts'
import type { SentEvent, StreamEvent } from '../../../core/gateway/protocol/exchange/stream.ts'
import { CALLER_DIALECTS, DIALECTS } from '../../../core/gateway/providers/provider.ts'

const SCHEMA = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const WEATHER: Tool = { name: 'weather', description: 'The weather', schema: SCHEMA }
const SHAPE = { maxTokensField: 'max_completion_tokens', sendsTemperature: true, structure: 'schema' } as const
const FACTS: AnswerFacts = { id: 'answer_1', model: 'm', createdS: 1_700_000_000, includesUsage: true }

const REQUEST: ModelRequest = {
  model: 'm',
  system: ['Be short.'],
  turns: [
    {
      role: 'user',
      parts: [
        { kind: 'text', text: 'What is this?' },
        { kind: 'image', image: { kind: 'data', mediaType: 'image/png', base64: 'aGVsbG8=' } },
        { kind: 'image', image: { kind: 'url', url: 'https://example.org/a.png' } },
      ],
    },
    {
      role: 'assistant',
      parts: [
        { kind: 'text', text: 'I look.' },
        { kind: 'tool_call', id: 'call_1', name: 'weather', arguments: '{"city":"Paris"}' },
        { kind: 'tool_call', id: 'call_2', name: 'weather', arguments: '{"city":"Oslo"}' },
      ],
    },
    {
      role: 'user',
      parts: [
        { kind: 'tool_result', callId: 'call_1', content: [{ kind: 'text', text: '{"c":18}' }], isError: false },
        { kind: 'tool_result', callId: 'call_2', content: [{ kind: 'text', text: '{"c":4}' }], isError: false },
        { kind: 'text', text: 'And now?' },
      ],
    },
  ],
  tools: [WEATHER],
  toolChoice: { name: 'weather' },
  maxTokens: 500,
  temperature: 0.5,
  stop: ['END'],
  n: 1,
  isStreamed: false,
  leftOut: [],
  refused: [],
}

const USAGE = usageOf({ inputTokens: 100, cachedTokens: 40, outputTokens: 20 })

const ANSWER: ModelAnswer = {
  id: 'id_1',
  model: 'm-2026',
  choices: [
    {
      parts: [
        { kind: 'text', text: 'I look.' },
        { kind: 'tool_call', id: 'call_1', name: 'weather', arguments: '{"city":"Paris"}' },
        { kind: 'tool_call', id: 'call_2', name: 'weather', arguments: '{"city":"Oslo"}' },
      ],
      finish: 'tool_calls',
    },
  ],
  usage: USAGE,
}

const EVENTS: readonly StreamEvent[] = [
  { kind: 'start', id: 'id_1', model: 'm-2026' },
  { kind: 'text', text: 'I ' },
  { kind: 'text', text: 'look.' },
  { kind: 'tool_call', key: 0, id: 'call_1', name: 'weather' },
  { kind: 'arguments', key: 0, text: '{"city":' },
  { kind: 'arguments', key: 0, text: '"Paris"}' },
  { kind: 'tool_call', key: 1, id: 'call_2', name: 'weather' },
  { kind: 'arguments', key: 1, text: '{"city":"Oslo"}' },
  { kind: 'finish', finish: 'tool_calls' },
  { kind: 'usage', usage: USAGE },
  { kind: 'end' },
]

function without<T>(value: T): T {
  return JSON.parse(JSON.stringify(value))
}

function sentEvents(text: string): readonly SentEvent[] {
  const sent: SentEvent[] = []
  createParser({ onEvent: ({ event, data }) => sent.push({ event, data }) }).feed(text)
  return sent
}

/** The answer that events amount to. */
function summed(events: readonly StreamEvent[]) {
  const text = events.map((event) => (event.kind === 'text' ? event.text : '')).join('')
  const thinking = events.map((event) => (event.kind === 'thinking' ? event.text : '')).join('')
  const calls = events.flatMap((event) => {
    if (event.kind !== 'tool_call') return []
    const { key, id, name } = event
    const pieces = events.map((one) => (one.kind === 'arguments' && one.key === key ? one.text : ''))
    return [{ id, name, input: JSON.parse(pieces.join('')) as unknown }]
  })
  const finish = events.findLast(({ kind }) => kind === 'finish')
  const usage = events.findLast(({ kind }) => kind === 'usage')
  return { text, thinking, calls, finish, usage }
}

describe('dialects', () => {
  for (const name of DIALECTS) {
    describe(name, () => {
      const dialect = DIALECT_TABLE[name]

      it('writes a request and reads it again: turns, images, parallel calls and their results, tools, bounds', () => {
        const body = { ...dialect.writeRequest(REQUEST, SHAPE), model: 'm' }
        const read = dialect.readRequest(body)
        // Google marks calls whose reasoning it does not know.
        expect(
          JSON.parse(JSON.stringify(read).replaceAll(',"signature":"skip_thought_signature_validator"', '')),
        ).to.deep.equal(without(REQUEST))
      })

      it('asks for a structured answer, with tools too', () => {
        const format = { kind: 'schema', name: 'answer', schema: SCHEMA } as const
        const { toolChoice: _choice, ...free } = REQUEST
        for (const request of [
          { ...free, format },
          { ...free, format, tools: [], turns: REQUEST.turns.slice(0, 1) },
        ]) {
          expect(JSON.stringify(dialect.writeRequest(request, SHAPE))).to.contain(JSON.stringify(SCHEMA))
        }
      })

      it('turns each kind of tool choice into its own word and back', () => {
        for (const toolChoice of ['auto', 'none', 'required', { name: 'weather' }] as const) {
          const body = { ...dialect.writeRequest({ ...REQUEST, toolChoice }, SHAPE), model: 'm' }
          expect(dialect.readRequest(body).toolChoice).to.deep.equal(toolChoice)
        }
      })
    })
  }

  for (const name of CALLER_DIALECTS) {
    describe(`${name}, its answers`, () => {
      const dialect = CALLER_TABLE[name]
      // Responses have the ids of the service, by which later calls name them.
      const facts = name === 'responses' ? { ...FACTS, id: ANSWER.id } : FACTS

      it('writes an answer and reads it again: text, parallel calls, why it ended, counts', () => {
        expect(without(dialect.readAnswer(dialect.writeAnswer(ANSWER, facts), null))).to.deep.equal(without(ANSWER))
      })

      it('keeps why an answer ended', () => {
        for (const finish of ['stop', 'length', 'refusal'] as const) {
          const choices = [{ parts: [{ kind: 'text', text: 'x' } as const], finish }]
          const read = dialect.readAnswer(dialect.writeAnswer({ ...ANSWER, choices }, FACTS), null)
          expect(read.choices[0]?.finish).to.equal(finish)
        }
      })

      it('writes a stream and reads it again, event by event', () => {
        const writer = dialect.writeStream(facts)
        const text = EVENTS.map((event) => writer.write(event)).join('') + writer.end()
        const read = dialect.readStream(null)
        const items = ['msg_', 'fc_', 'fc_'].map((prefix, i) => `${prefix}id_1_${i}`)
        const ids = { response: 'id_1', items, containers: [] }
        const events = sentEvents(text).flatMap((sent) => read(sent))
        const named = EVENTS.map((event) => (event.kind === 'finish' ? { ...event, ids } : event))
        expect(summed(events)).to.deep.equal(summed(name === 'responses' ? named : EVENTS))
        expect(events[0]).to.deep.equal(EVENTS[0])
      })

      it('streams reasoning before the text', () => {
        const writer = dialect.writeStream(FACTS)
        const given: readonly StreamEvent[] = [
          { kind: 'start', id: 'id_1', model: 'm' },
          { kind: 'thinking', text: 'Hm, ' },
          { kind: 'thinking', text: 'yes.' },
          { kind: 'signature', signature: 'sig' },
          { kind: 'text', text: 'Paris' },
          { kind: 'finish', finish: 'stop' },
        ]
        const text = given.map((event) => writer.write(event)).join('') + writer.end()
        const read = dialect.readStream(null)
        expect(summed(sentEvents(text).flatMap((sent) => read(sent)))).to.include({
          text: 'Paris',
          thinking: 'Hm, yes.',
        })
      })

      it('ends a stream with an error that its own reader takes for one', () => {
        const text = dialect.writeStreamError(
          { status: 502, message: 'cut', code: 'provider_interrupted', param: null },
          4,
        )
        const sent = text.startsWith('{') ? [{ data: text }] : sentEvents(text)
        const events = sent.flatMap((one) => dialect.readStream(null)(one))
        expect(events).to.have.length(1)
        expect(events[0]).to.have.property('kind', 'error')
      })

      it('refuses bodies that are none, and names the field', () => {
        for (const body of [{}, { model: 3 }, { model: 'm', messages: [], input: 3, contents: [] }]) {
          expect(() => dialect.readRequest(body))
            .to.throw()
            .with.property('code', 'validation_failed')
        }
        for (const body of [null, {}, [], { choices: 3, content: 3, output: 3, candidates: 3 }]) {
          expect(() => dialect.readAnswer(body, null))
            .to.throw()
            .with.property('failure', 'invalid_response')
        }
      })
    })
  }

  it('gives a call an id of its own where neither it nor the answer has one', () => {
    const call = { functionCall: { name: 'weather', args: {} } }
    const body = { candidates: [{ content: { role: 'model', parts: [call] } }] }
    const google = DIALECT_TABLE['generate-content']
    const ids = [0, 1].map(() => {
      const [part] = google.readAnswer(body, null).choices[0]?.parts ?? []
      return part?.kind === 'tool_call' ? part.id : ''
    })
    for (const id of ids) expect(id).to.match(/^call_\w{24}_0$/)
    expect(ids[0]).not.to.equal(ids[1])
  })

  it('refuses to translate what another dialect has no form for', () => {
    const chat = CALLER_TABLE['chat-completions']
    const video = { type: 'video_url', video_url: { url: 'https://example.org/film.mp4' } }
    const body = { model: 'm', messages: [{ role: 'user', content: [video] }] }
    expect(() => chat.readRequest(body)).to.throw(/messages\[0\]\.content\[0\]\.type/)
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,@@@' } }
    expect(() => chat.readRequest({ model: 'm', messages: [{ role: 'user', content: [image] }] })).to.throw(/base64/)
  })

  it('refuses arguments of a tool that nest too deep for an object, sent and answered, and passes them on as a text', () => {
    const deep = `${'{"a":'.repeat(600)}1${'}'.repeat(600)}`
    const part = { kind: 'tool_call', id: 'c', name: 'weather', arguments: deep } as const
    const request: ModelRequest = { ...REQUEST, turns: [{ role: 'assistant', parts: [part] }], toolChoice: 'auto' }
    const answer: ModelAnswer = { ...ANSWER, choices: [{ parts: [part], finish: 'tool_calls' }] }
    for (const name of ['messages', 'generate-content'] as const) {
      expect(() => DIALECT_TABLE[name].writeRequest(request, SHAPE)).to.throw(/the tool weather nest deeper than 500/)
      expect(() => CALLER_TABLE[name].writeAnswer(answer, FACTS)).to.throw(ProviderError, 'weather nest deeper')
      // A hit of the cache is written anew, so it is not kept.
      expect(isCacheable(answer, 1e6)).to.equal(false)
    }
    const google = CALLER_TABLE['generate-content'].writeStream(FACTS)
    google.write({ kind: 'tool_call', key: 0, id: 'c', name: 'weather' })
    google.write({ kind: 'arguments', key: 0, text: deep })
    expect(() => google.end()).to.throw(ProviderError, 'weather nest deeper')
    const chat = DIALECT_TABLE['chat-completions']
    expect(JSON.stringify(chat.writeRequest(request, SHAPE))).to.include(JSON.stringify(deep))
    expect(JSON.stringify(chat.writeAnswer(answer, FACTS))).to.include(JSON.stringify(deep))
  })

  it('never loses pieces of calls that a provider mixes: it throws', () => {
    const writer = CALLER_TABLE.messages.writeStream(FACTS)
    writer.write({ kind: 'tool_call', key: 0, id: 'a', name: 'x' })
    writer.write({ kind: 'tool_call', key: 1, id: 'b', name: 'x' })
    expect(() => writer.write({ kind: 'arguments', key: 0, text: '{}' })).to.throw(/mixes/)
  })
})
