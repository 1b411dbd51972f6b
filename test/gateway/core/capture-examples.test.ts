import { expect } from 'chai'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { ownQuestion } from '../../../core/gateway/routing/own-input.ts'
import { CALLER_TABLE } from '../../../core/gateway/protocol/dialects/table.ts'
import { captureExample, type LearnedCapture } from '../../../core/gateway/captures/learning/capture-example.ts'

const BOUNDS = { exampleBytes: 1000, jsonDepth: 20 }
const TEXT_ANSWER = { choices: [{ parts: [{ kind: 'text', text: 'billing' }], finish: 'stop' }] }

function asked(messages: readonly object[], given: Partial<LearnedCapture> & { readonly more?: object } = {}) {
  const { more = {}, ...capture } = given
  return captureExample(
    {
      kind: 'chat',
      dialect: 'chat-completions',
      outcome: 'whole',
      prompt: '',
      response: 'billing',
      body: { model: 'gpt-4o-mini', messages: JSON.parse(JSON.stringify(messages)), ...more },
      answer: TEXT_ANSWER,
      fixedOutput: null,
      ...capture,
    },
    BOUNDS,
  )
}
const bodyOf = (more: JsonObject): JsonObject => ({ model: 'm', messages: [{ role: 'user', content: 'hi' }], ...more })
const user = (content: unknown) => ({ role: 'user', content })

describe('the example of a capture', () => {
  it('is the text of the only turn without instructions, with the answer or what a reviewer wrote', () => {
    const turns = [{ role: 'system', content: 'Name the queue.' }, user('The invoice of VAR_EMAIL_1 is wrong')]
    const input = 'The invoice of VAR_EMAIL_1 is wrong'
    expect(asked(turns)).to.deep.equal({ input, output: 'billing' })
    expect(asked(turns, { fixedOutput: 'refunds' })).to.deep.equal({ input, output: 'refunds' })
    expect(asked(turns, { outcome: 'interrupted', fixedOutput: 'refunds' })).to.deep.equal({ input, output: 'refunds' })
  })

  it('is JSON where a text is an object', () => {
    const example = asked([user('{"subject": "invoice"}')], { response: '{"queue": "billing"}' })
    expect(example).to.deep.equal({ input: { subject: 'invoice' }, output: { queue: 'billing' } })
    expect(asked([user('{ a: 1')])).to.deep.include({ input: '{ a: 1' })
  })

  it('is read in the dialect of the call', () => {
    const given = {
      dialect: 'generate-content',
      body: { model: 'g', contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
    }
    expect(asked([], given)).to.deep.equal({ input: 'hi', output: 'billing' })
    const logged = { dialect: null, body: { messages: [{ role: 'user', content: 'hi' }] } }
    expect(asked([], logged)).to.deep.equal({ input: 'hi', output: 'billing' })
  })

  it('is that of a call whose members only its own provider knows', () => {
    const more = { chat_template_kwargs: { enable_thinking: false }, min_p: 0.1, logprobs: true, of_next_year: 1 }
    expect(asked([user('hi')], { more })).to.deep.equal({ input: 'hi', output: 'billing' })
    expect(ownQuestion(CALLER_TABLE['chat-completions'], bodyOf({ min_p: 0.1, of_next_year: 1 }))).to.deep.equal({
      input: 'hi',
      instructions: '',
      leftOut: ['of_next_year', 'min_p'],
    })
  })

  it('is none of what an artifact would not be asked', () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }
    const tool = { type: 'function', function: { name: 'find', parameters: { type: 'object' } } }
    const called = { choices: [{ parts: [{ kind: 'tool_call', id: '1', name: 'find', arguments: '{}' }] }] }
    const turns = [user('a'), { role: 'assistant', content: 'b' }, user('c')]
    for (const [example, reason] of [
      [asked([user('a')], { kind: 'embeddings' }), 'no_conversation'],
      [asked([user('a')], { outcome: 'interrupted' }), 'interrupted'],
      [asked([user('a')], { dialect: 'no-such' }), 'unreadable'],
      [asked([user('a')], { body: null }), 'unreadable'],
      [asked([user('a')], { more: { tools: [tool] } }), 'tools'],
      [asked([user('a')], { more: { functions: [{ name: 'find' }] } }), 'tools'],
      [asked([user('a')], { answer: called }), 'tools'],
      [asked([user([{ type: 'text', text: 'a' }, image])]), 'media'],
      [asked(turns), 'more_turns'],
      [asked([], { dialect: null, body: { messages: JSON.parse(JSON.stringify(turns)) } }), 'more_turns'],
      [asked([user(' ')]), 'no_input'],
      [asked([user('a')], { response: '' }), 'no_output'],
      [asked([user('a'.repeat(1000))]), 'too_large'],
    ] as const) {
      expect(example).to.deep.equal({ skipped: reason })
    }
    for (const more of [{ functions: [{ name: 'find' }] }, { logprobs: true }, { guided_regex: 'a+' }]) {
      expect(ownQuestion(CALLER_TABLE['chat-completions'], bodyOf(more)), JSON.stringify(more)).to.equal(null)
    }
  })
})
