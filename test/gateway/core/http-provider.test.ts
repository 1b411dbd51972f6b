import { expect } from 'chai'
import { createProvider } from '../../../core/gateway/providers/http-provider.ts'
import { DIALECTS } from '../../../core/gateway/providers/provider.ts'
import { ProviderError } from '../../../core/gateway/providers/provider-error.ts'
import { answering, type ScriptedAnswer } from '../../support/providers/scripted-model.ts'
import { ANSWER_SCHEMA, aRequest, NEVER, useProviders } from './given.ts'

describe('a provider over HTTP', () => {
  const given = useProviders()

  const failure = async (call: Promise<unknown>): Promise<ProviderError> => {
    const error = await call.then(
      () => undefined,
      (reason: unknown) => reason,
    )
    expect(error).to.be.instanceOf(ProviderError)
    if (error instanceof ProviderError) return error
    throw new Error('no provider error')
  }

  for (const dialect of DIALECTS) {
    describe(dialect, () => {
      it('asks and reads the answer with its tokens', async () => {
        const { server, provider } = await given.pair(dialect, () => ({
          texts: ['Paris'],
          usage: { input: 100, cached: 40, output: 7 },
        }))
        const reply = await provider.ask(aRequest(), NEVER)
        expect(reply).to.deep.include({
          samples: [{ text: 'Paris', finish: 'stop' }],
          usage: { inputTokens: 100, cachedTokens: 40, outputTokens: 7 },
          model: 'test-model',
        })
        expect(server.calls[0]).to.deep.include({ temperature: 0.7, maxTokens: 64, n: 1, structure: 'none' })
        expect(server.calls[0]?.messages).to.deep.equal([
          { role: 'system', text: 'Answer with JSON.' },
          { role: 'user', text: 'What is the capital of France?' },
        ])
      })

      it('carries a conversation', async () => {
        const { server, provider } = await given.pair(dialect, () => answering('ok'))
        const messages = [
          { role: 'user', text: 'one' },
          { role: 'assistant', text: 'two' },
          { role: 'user', text: 'three' },
        ] as const
        await provider.ask(aRequest({ messages }), NEVER)
        expect(server.calls[0]?.messages).to.deep.equal(messages)
      })

      it('asks for a structured answer by its schema', async () => {
        const { server, provider } = await given.pair(dialect, () => answering({ answer: 'Paris' }))
        const reply = await provider.ask(aRequest({ schema: ANSWER_SCHEMA }), NEVER)
        expect(JSON.parse(reply.samples[0]?.text ?? '')).to.deep.equal({ answer: 'Paris' })
        expect(server.calls[0]?.structure).to.equal('schema')
      })

      it('reports answers that were cut off or declined, and missing token counts', async () => {
        const answers: ScriptedAnswer[] = [
          { texts: ['Par'], finish: 'length', usage: null },
          { texts: [''], finish: 'refusal' },
        ]
        const { provider } = await given.pair(dialect, ({ index }) => answers[index] ?? answering(''))
        expect(await provider.ask(aRequest(), NEVER)).to.deep.include({
          samples: [{ text: 'Par', finish: 'length' }],
          usage: null,
        })
        expect((await provider.ask(aRequest(), NEVER)).samples[0]?.finish).to.equal('refusal')
      })

      it('tells failures apart', async () => {
        const expected = [
          [{ status: 429, headers: { 'retry-after': '7' } }, 'rate_limited', true, false],
          [{ status: 503 }, 'overloaded', true, false],
          [{ status: 500 }, 'overloaded', true, true],
          [{ status: 403 }, 'auth', false, false],
          [{ status: 400, message: 'no such field' }, 'invalid_request', false, false],
          [{ fault: 'cut' }, 'connection', true, true],
        ] as const
        const { provider } = await given.pair(dialect, ({ index }) => expected[index]?.[0] ?? answering(''))
        for (const [, kind, isTransient, mayBeBilled] of expected) {
          const error = await failure(provider.ask(aRequest(), NEVER))
          expect(error).to.include({ failure: kind, isTransient, mayBeBilled })
          if (kind === 'rate_limited') expect(error.retryAfterS).to.equal(7)
        }
      })

      it('refuses to go on with a wrong key, and never says the key', async () => {
        const { server } = await given.pair(dialect, () => answering(''))
        const wrong = createProvider({
          dialect,
          baseUrl: server.baseUrl,
          apiKey: 'sk-wrong-key',
          model: 'm',
          timeoutMs: 1000,
          connections: 1,
        })
        const error = await failure(wrong.ask(aRequest(), NEVER))
        expect(error.failure).to.equal('auth')
        expect(JSON.stringify([error, error.message, wrong])).to.not.include('sk-wrong-key')
        await wrong.close()
      })
    })
  }

  it('gives several samples of one call, where the dialect has that', async () => {
    for (const dialect of ['chat-completions', 'generate-content'] as const) {
      const { provider } = await given.pair(dialect, ({ n }) => ({ texts: Array.from({ length: n }, String) }))
      expect((await provider.ask(aRequest({ n: 3 }), NEVER)).samples).to.have.length(3)
    }
  })

  it('ends a call that takes too long, and one that is cancelled', async () => {
    const { provider } = await given.pair('messages', () => ({ fault: 'hang' }), 60)
    expect(await failure(provider.ask(aRequest(), NEVER))).to.include({ failure: 'timeout', mayBeBilled: true })
    const abort = new AbortController()
    const call = provider.ask(aRequest(), abort.signal)
    abort.abort(new Error('cancelled'))
    expect(await call.catch((error: unknown) => error)).to.have.property('message', 'cancelled')
  })

  it('reports that no request was sent when no server listens', async () => {
    const { server } = await given.pair('messages', () => answering(''))
    await server.close()
    const provider = createProvider({
      dialect: 'messages',
      baseUrl: server.baseUrl,
      apiKey: 'k',
      model: 'm',
      timeoutMs: 1000,
      connections: 1,
    })
    expect(await failure(provider.ask(aRequest(), NEVER))).to.include({ failure: 'connection', mayBeBilled: false })
    await provider.close()
  })

  it('leaves out what a model or a compatible server refuses, from then on', async () => {
    const { server, provider } = await given.pair('chat-completions', ({ raw }) => {
      const body: Record<string, unknown> = JSON.parse(raw)
      if (body['max_tokens'] !== undefined) {
        return { status: 400, message: "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead." }
      }
      if (body['temperature'] !== undefined) return { status: 400, message: "Unsupported value: 'temperature'" }
      if (body['response_format'] !== undefined) return { status: 400, message: 'response_format is not supported' }
      return answering({ answer: 'Paris' })
    })
    const asked = aRequest({ schema: ANSWER_SCHEMA })
    expect((await provider.ask(asked, NEVER)).samples[0]?.text).to.equal('{"answer":"Paris"}')
    expect(server.calls.map(({ structure }) => structure)).to.deep.equal(['schema', 'schema', 'schema', 'json', 'none'])
    await provider.ask(asked, NEVER)
    expect(server.calls).to.have.length(6)
  })

  it('reads a refusal by what its own attempt sent, when calls at the same time learn the same', async () => {
    let waiting = 0
    let release = (): void => undefined
    const both = new Promise<void>((resolve) => {
      release = resolve
    })
    const { server, provider } = await given.pair('chat-completions', async ({ raw }) => {
      if (!('seed' in JSON.parse(raw))) return answering('Paris')
      if (++waiting === 2) release()
      await both
      return { status: 400, message: "Unsupported parameter: 'seed'" }
    })
    const ask = async () => (await provider.ask(aRequest({ seed: 7 }), NEVER)).samples[0]?.text
    expect(await Promise.all([ask(), ask()])).to.deep.equal(['Paris', 'Paris'])
    expect(server.calls).to.have.length(4)
  })

  it('takes what is no answer for what it is', async () => {
    const { provider } = await given.pair('chat-completions', () => ({ texts: [] }))
    expect(await failure(provider.ask(aRequest(), NEVER))).to.include({
      failure: 'invalid_response',
      mayBeBilled: true,
      isTransient: false,
    })
  })
})
