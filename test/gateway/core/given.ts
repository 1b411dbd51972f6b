import { createProvider } from '../../../core/gateway/providers/http-provider.ts'
import type { DialectName, Provider, ProviderRequest } from '../../../core/gateway/providers/provider.ts'
import type { ScriptedModel } from '../../support/providers/scripted-model.ts'
import { startProvider, type ProviderServer } from '../../support/providers/server.ts'

/** Starts servers and clients for the surrounding suite, and closes them after each test. */
export function useProviders() {
  const closers: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const close of closers.splice(0).toReversed()) await close()
  })
  return {
    async server(dialect: DialectName, model: ScriptedModel): Promise<ProviderServer> {
      const server = await startProvider(dialect, model)
      closers.push(() => server.close())
      return server
    },
    async pair(
      dialect: DialectName,
      model: ScriptedModel,
      timeoutMs = 5000,
    ): Promise<{ readonly server: ProviderServer; readonly provider: Provider }> {
      const server = await startProvider(dialect, model)
      const { baseUrl, apiKey } = server
      const provider = createProvider({ dialect, baseUrl, apiKey, model: 'test-model', timeoutMs, connections: 4 })
      closers.push(
        () => server.close(),
        () => provider.close(),
      )
      return { server, provider }
    },
  }
}

/** A short question. */
export function aRequest(changes: Partial<ProviderRequest> = {}): ProviderRequest {
  return {
    messages: [
      { role: 'system', text: 'Answer with JSON.' },
      { role: 'user', text: 'What is the capital of France?' },
    ],
    temperature: 0.7,
    maxTokens: 64,
    n: 1,
    ...changes,
  }
}

/** A structured answer with one text in it. */
export const ANSWER_SCHEMA = {
  name: 'answer',
  schema: {
    type: 'object',
    properties: { answer: { type: 'string' } },
    required: ['answer'],
    additionalProperties: false,
  },
} as const

/** A signal that is never aborted. */
export const NEVER = new AbortController().signal
