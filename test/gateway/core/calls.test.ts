import { expect } from 'chai'
import { answerTo } from '../../../api/kernel/reply/errors.ts'
import { callersError } from '../../../core/gateway/calls/answer-error.ts'
import { charsIn, charsOf, costOf, frontierCostOf } from '../../../core/gateway/calls/estimate.ts'
import { refuseKept } from '../../../core/gateway/calls/refuse-kept.ts'
import { targetOf } from '../../../core/gateway/calls/target.ts'
import { DIALECT_TABLE } from '../../../core/gateway/protocol/dialects/table.ts'
import { usageOf } from '../../../core/gateway/protocol/exchange/answer.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { ProviderError } from '../../../core/gateway/providers/provider-error.ts'

describe('calls of models', () => {
  it('count texts where tokens are estimated, and neither the bytes of an image nor the JSON around them', () => {
    const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(100_000)}` } }
    const parts = [{ type: 'text', text: 'What is it?' }, image, { inlineData: { data: 'B'.repeat(100_000) } }]
    const messages = [{ role: 'user', content: parts }]
    expect(charsIn({ messages })).to.equal('usertextWhat is it?image_url'.length)
    expect(charsIn({ input: 'one two '.repeat(1000) })).to.equal(8000)
    const said = { kind: 'text', text: 'Paris' } as const
    expect(charsOf({ id: '', model: '', usage: null, choices: [{ parts: [said, said], finish: 'stop' }] })).to.equal(10)
  })

  it('cost nothing on a server of the operator’s own, whatever its model is named', () => {
    const usage = usageOf({ inputTokens: 1_000_000 })
    expect(costOf(targetOf('gpt-4o-mini'), usage)).to.equal(150_000)
    expect(costOf(targetOf('local-vllm:gpt-4o-mini'), usage)).to.equal(0)
  })

  it('are compared with the provider that they were meant for, else with the first of the namespace’s fallbacks', () => {
    const usage = usageOf({ inputTokens: 1_000_000 })
    const own = targetOf('local-vllm:qwen')
    expect(frontierCostOf(targetOf('gpt-4o-mini'), ['claude-haiku-4-5'], usage)).to.equal(150_000)
    expect(frontierCostOf(own, ['local-ollama:qwen', 'gpt-4o-mini'], usage)).to.equal(150_000)
    expect(frontierCostOf(own, [], usage)).to.equal(null)
  })

  it('name nothing that a provider keeps for the operator, whose account all tenants share', () => {
    const user = (part: JsonObject): JsonObject[] => [{ role: 'user', content: [part] }]
    const fileUri = 'https://generativelanguage.googleapis.com/v1beta/files/1'
    const refused: Readonly<Record<string, JsonObject>> = {
      'contents[0].parts[0].fileData.fileUri': { contents: [{ parts: [{ fileData: { fileUri } }] }] },
      'messages[0].content[0].image_url.url': { messages: user({ type: 'image_url', image_url: { url: fileUri } }) },
      previous_response_id: { previous_response_id: 'resp_1' },
      cachedContent: { cachedContent: 'cachedContents/1' },
      'input[1]': {
        input: [
          { role: 'user', content: 'x' },
          { type: 'item_reference', id: 'msg_1' },
        ],
      },
      'input[0].content[0].file_id': { input: user({ type: 'input_file', file_id: 'file-1' }) },
      'messages[0].content[0].file.file_id': { messages: user({ type: 'file', file: { file_id: 'file-1' } }) },
      'messages[0].content[0].source.file_id': { messages: user({ source: { type: 'file', file_id: 'file_1' } }) },
      'tools[0].vector_store_ids': { tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] },
      'tools[0].container': { tools: [{ type: 'code_interpreter', container: 'cntr_1' }] },
    }
    for (const [field, body] of Object.entries(refused)) expect(() => refuseKept(body)).to.throw(`${field}: names what`)
    const parameters = { type: 'object', properties: { conversation: {}, file_id: { type: 'string' } } }
    const tools = [{ type: 'function', function: { name: 'open', parameters } }]
    const called: JsonObject[] = [
      { role: 'assistant', tool_calls: [{ function: { name: 'open', arguments: '{"file_id":"1"}' } }] },
    ]
    refuseKept({ tools, messages: [...user({ type: 'text', text: 'x' }), ...called], previous_response_id: null })
  })

  it('fail in translation when the provider gave the answer up, whole and streamed', () => {
    const asked = { model: 'm', messages: [{ role: 'user', content: 'x' }] }
    const request = DIALECT_TABLE['chat-completions'].readRequest(asked)
    const content = { parts: [{ text: 'half' }] }
    const half = { role: 'assistant', content: 'half' }
    const given = [
      [
        'chat-completions',
        { choices: [{ message: half, delta: half, finish_reason: 'insufficient_system_resource' }] },
      ],
      ['generate-content', { candidates: [{ content, finishReason: 'OTHER' }] }],
    ] as const
    for (const [name, body] of given) {
      const dialect = DIALECT_TABLE[name]
      const sent = { data: JSON.stringify(body) }
      expect(() => dialect.readAnswer(body, request)).to.throw(ProviderError, 'gave the answer up')
      expect(() => dialect.readStream(request)(sent)).to.throw(ProviderError, 'gave the answer up')
      // In the caller's own dialect the word itself is passed on.
      expect(dialect.readAnswer(body, null).choices).to.have.length(1)
      expect(dialect.readStream(null)(sent)).to.have.length(3)
    }
  })

  it('say nothing of the operator’s account, and keep what a provider says out of the log', () => {
    const told = 'Rate limit reached in organization org-of-the-operator by "a prompt"'
    const error = new ProviderError('rate_limited', `the provider answered 429: ${told}`, {
      status: 429,
      retryAfterS: 3,
    })
    const [own, operators] = [true, false].map((isOwnKey) => {
      return answerTo(callersError(error, { provider: 'openai', isOwnKey }), 'req_1')
    })
    expect(own?.envelope.error).to.contain('org-of-the-operator')
    expect(operators?.envelope.error).to.equal("openai: the operator's key has reached a limit")
    for (const answer of [own, operators]) {
      expect(answer).to.include({ status: 429, retryAfterS: 3, logText: 'a provider failed' })
    }
  })
})
