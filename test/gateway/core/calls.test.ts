import { expect } from 'chai'
import { answerTo } from '../../../api/kernel/reply/errors.ts'
import { callersError } from '../../../core/gateway/calls/answer-error.ts'
import { charsIn, charsOf, costOf, frontierCostOf } from '../../../core/gateway/calls/estimate.ts'
import { preparePlain } from '../../../core/gateway/calls/prepare-plain.ts'
import { refuseKept } from '../../../core/gateway/calls/refuse-kept.ts'
import { targetOf } from '../../../core/gateway/calls/target.ts'
import { CALLER_TABLE, DIALECT_TABLE } from '../../../core/gateway/protocol/dialects/table.ts'
import { usageOf } from '../../../core/gateway/protocol/exchange/answer.ts'
import type { Json, JsonObject } from '../../../core/kernel/json/json.ts'
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

  it('have one vector for each input, in the order of the inputs, or an invalid answer', () => {
    const [one, two] = ['one', 'two'].map((text) => ({ content: { parts: [{ text }] } }))
    const readOf = (model: string, body: JsonObject) => {
      const reach = { target: targetOf(model), baseUrl: 'http://127.0.0.1:1', apiKey: 'k', callerHeaders: {} }
      const { readPlain } = preparePlain('embeddings', CALLER_TABLE['generate-content'], body, reach)
      return (answer: Json) => readPlain?.(answer)
    }
    const vector = (index: number, value: number) => ({ index, embedding: [value] })
    const openai = readOf('text-embedding-3-small', { requests: [one ?? {}, two ?? {}] })
    expect(openai({ data: [vector(1, 20), vector(0, 10)] })?.written).to.deep.equal({
      embeddings: [{ values: [10] }, { values: [20] }],
    })
    const single = readOf('text-embedding-3-small', one ?? {})
    const google = readOf('text-embedding-004', one ?? {})
    const batch = readOf('text-embedding-004', { requests: [one ?? {}, two ?? {}] })
    expect(google({ embedding: { values: [1] } })?.usage).to.equal(null)
    expect(batch({ embeddings: [{ values: [1] }, { values: [2] }] })?.usage).to.equal(null)
    const wrong: readonly (readonly [(answer: Json) => unknown, Json])[] = [
      [openai, { data: [vector(0, 1)] }],
      [openai, { data: [vector(0, 1), vector(0, 2)] }],
      [openai, { data: [vector(1, 1), vector(2, 2)] }],
      [single, { data: [] }],
      [single, { data: [{ embedding: [] }] }],
      [google, {}],
      [google, { embedding: { values: [] } }],
      [google, { embeddings: [{ values: [1] }] }],
      [batch, { embedding: { values: [1] } }],
      [batch, { embeddings: [{ values: [1] }] }],
    ]
    for (const [read, answer] of wrong) {
      expect(() => read(answer), JSON.stringify(answer))
        .to.throw()
        .with.property('failure', 'invalid_response')
    }
  })

  it('name nothing that a provider keeps for the operator, whose account all tenants share', () => {
    const user = (part: JsonObject): JsonObject[] => [{ role: 'user', content: [part] }]
    const fileUri = 'https://generativelanguage.googleapis.com/v1beta/files/1'
    const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'open', arguments: '{}' }
    const refused: Readonly<Record<string, JsonObject>> = {
      'contents[0].parts[0].fileData.fileUri': { contents: [{ parts: [{ fileData: { fileUri } }] }] },
      'messages[0].content[0].image_url.url': { messages: user({ type: 'image_url', image_url: { url: fileUri } }) },
      'content.parts[0].fileData.fileUri': { content: { parts: [{ fileData: { fileUri } }] } },
      'requests[1].content.parts[0].file_data.file_uri': {
        requests: [{}, { content: { parts: [{ file_data: { file_uri: fileUri } }] } }],
      },
      'systemInstruction.parts[0].fileData.fileUri': { systemInstruction: { parts: [{ fileData: { fileUri } }] } },
      'system_instruction.parts[0].fileData.fileUri': { system_instruction: { parts: [{ fileData: { fileUri } }] } },
      'contents[0].parts[0].functionResponse.parts[0].fileData.fileUri': {
        contents: [{ parts: [{ functionResponse: { name: 'open', parts: [{ fileData: { fileUri } }] } }] }],
      },
      'generateContentRequest.systemInstruction.parts[0].fileData.fileUri': {
        generateContentRequest: { systemInstruction: { parts: [{ fileData: { fileUri } }] } },
      },
      'generateContentRequest.cachedContent': { generateContentRequest: { cachedContent: 'cachedContents/1' } },
      'input[4].id': {
        input: [
          { role: 'user', content: 'x' },
          call,
          { type: 'message', role: 'assistant', content: [] },
          { type: 'function_call_output', id: 'fco_1', call_id: 'call_1', output: 'x' },
          { type: 'message', id: 'msg_1' },
        ],
      },
      'input[5].id': { input: [call, call, call, call, call, { type: 'function_call', id: 'fc_1' }] },
      previous_response_id: { previous_response_id: 'resp_1' },
      cachedContent: { cachedContent: 'cachedContents/1' },
      'input[1]': {
        input: [
          { role: 'user', content: 'x' },
          { type: 'item_reference', id: 'msg_1' },
        ],
      },
      'input[0].id': { input: [{ id: 'msg_1' }] },
      'input[2].id': { input: [{ role: 'user', content: 'x' }, call, { type: 'reasoning', id: 'rs_1', summary: [] }] },
      'input[3].container_id': { input: [call, call, call, { type: 'code_interpreter_call', container_id: 'cntr_1' }] },
      'input[0].environment.container_id': {
        input: [{ type: 'shell_call', call_id: 'call_1', environment: { container_id: 'cntr_1' } }],
      },
      'input[0].approval_request_id': {
        input: [{ type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true }],
      },
      'messages[0].audio.id': { messages: [{ role: 'assistant', audio: { id: 'audio_1' } }] },
      container: { container: 'container_1' },
      'tools[0].input_image_mask.file_id': {
        tools: [{ type: 'image_generation', input_image_mask: { file_id: 'f' } }],
      },
      'tools[0].environment.container_id': { tools: [{ type: 'shell', environment: { container_id: 'cntr_1' } }] },
      'tools[0].fileSearch.fileSearchStoreNames': { tools: [{ fileSearch: { fileSearchStoreNames: ['s'] } }] },
      'input[0].content[0].file_id': { input: user({ type: 'input_file', file_id: 'file-1' }) },
      'messages[0].content[0].file.file_id': { messages: user({ type: 'file', file: { file_id: 'file-1' } }) },
      'messages[0].content[0].source.file_id': { messages: user({ source: { type: 'file', file_id: 'file_1' } }) },
      'tools[0].vector_store_ids': { tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] },
      'tools[0].container': { tools: [{ type: 'code_interpreter', container: 'cntr_1' }] },
    }
    for (const [field, body] of Object.entries(refused)) expect(() => refuseKept(body)).to.throw(`${field}: names what`)
    const whole = { generateContentRequest: { cachedContent: 'cachedContents/1' } }
    expect(() => refuseKept(whole)).to.throw('cachedContent: names what')
    expect(() => refuseKept({ background: true })).to.throw('background: is billed')
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
      return answerTo(callersError(error, { provider: 'openai', isOwnKey, isTranslated: false }), 'req_1')
    })
    expect(own?.envelope.error).to.contain('org-of-the-operator')
    expect(operators?.envelope.error).to.equal("openai: the operator's key has reached a limit")
    for (const answer of [own, operators]) {
      expect(answer).to.include({ status: 429, retryAfterS: 3, logText: 'a provider failed' })
    }
  })
})
