import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { z } from 'zod'
import type { DialectName } from '../../../core/gateway/providers/provider.ts'
import { answerAudio } from './audio.ts'
import { chatCompletionsProtocol } from './chat-completions.ts'
import { generateContentProtocol } from './generate-content.ts'
import { messagesProtocol } from './messages.ts'
import { methodAnswer } from './methods.ts'
import { plainAnswer } from './plain.ts'
import { openResponsesStore } from './responses.ts'
import { Refusal, type Protocol, type SpokenAnswer } from './protocol.ts'
import type { ScriptedCall, ScriptedModel } from './scripted-model.ts'

const PROTOCOLS: Readonly<Record<DialectName, Protocol>> = {
  'chat-completions': chatCompletionsProtocol,
  messages: messagesProtocol,
  'generate-content': generateContentProtocol,
}

/** Lists of models as the providers write them. */
const MODEL_LISTS: Readonly<Record<DialectName, object>> = {
  'chat-completions': {
    object: 'list',
    data: [
      { id: 'gpt-4o-mini', object: 'model', created: 1_721_172_741, owned_by: 'system' },
      { id: 'llama3.2:1b', object: 'model', created: 1_730_000_000, owned_by: 'library' },
    ],
  },
  messages: {
    data: [
      { type: 'model', id: 'claude-haiku-4-5', display_name: 'Claude Haiku 4.5', created_at: '2025-10-01T00:00:00Z' },
    ],
    has_more: false,
    first_id: 'claude-haiku-4-5',
    last_id: 'claude-haiku-4-5',
  },
  'generate-content': {
    models: [
      {
        name: 'models/gemini-2.5-flash',
        version: '001',
        displayName: 'Gemini 2.5 Flash',
        supportedGenerationMethods: ['generateContent', 'countTokens'],
      },
    ],
  },
}

/** A provider's server: its protocol, with a model whose answers the test supplies. */
export interface ProviderServer {
  /** The base address as clients of the dialect write it. */
  readonly baseUrl: string
  readonly apiKey: string
  /** Calls that reached the model, in order. */
  readonly calls: readonly ScriptedCall[]
  /** Bodies of all requests as they came, also of those that reach no model. */
  readonly bodies: readonly string[]
  /** Most calls that were with the model at once. */
  readonly mostAtOnce: () => number
  /** Calls whose caller left before the end of the answer. */
  readonly leavers: () => number
  /** Open connections. */
  readonly connections: () => Promise<number>
  close(): Promise<void>
}

/**
 * Starts a provider on a free port of this machine. `refusals` holds the statuses with which the next calls of embeddings and
 * moderations are refused.
 */
export async function startProvider(
  dialect: DialectName,
  model: ScriptedModel,
  refusals: number[] = [],
): Promise<ProviderServer> {
  const apiKey = `key-of-${dialect}-0123456789abcdef`
  const calls: ScriptedCall[] = []
  const bodies: string[] = []
  const responses = openResponsesStore()
  let atOnce = 0
  let most = 0

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const bytes = await readAll(request)
    const raw = bytes.toString('utf8')
    bodies.push(raw)
    const requestId = `req_${calls.length}`
    const { method = '', url = '', headers } = request
    const { protocol, path } = spokenAt(dialect, new URL(url, 'http://server').pathname)
    const send = (status: number, body: object, headers: Readonly<Record<string, string>> = {}): void => {
      response.writeHead(status, { 'content-type': 'application/json', ...protocol.headers(requestId), ...headers })
      response.end(JSON.stringify(body))
    }
    try {
      if (dialect === 'chat-completions' && path.startsWith('/v1/audio/')) {
        return await answerAudio(path, request, bytes, { response, apiKey })
      }
      const isKeyed = dialect === 'chat-completions' && headers.authorization === `Bearer ${apiKey}`
      const plain = isKeyed ? (plainAnswer(path, parse(raw)) ?? responses.answer(method, path, parse(raw))) : undefined
      if (plain !== undefined) {
        const refused = refusals.shift()
        if (refused !== undefined) return send(refused, protocol.writeError(refused, 'scripted', undefined))
        if (!Array.isArray(plain)) return send(200, plain)
        response.writeHead(200, { 'content-type': 'text/event-stream' }).end(plain.join(''))
        return
      }
      // The list of models, which every provider has behind a key, and methods that reach no model.
      const isList = method === 'GET' && path.endsWith('/models')
      const other = isList ? MODEL_LISTS[dialect] : methodAnswer(dialect, path, parse(raw))
      if (other !== undefined) {
        const { authorization, 'x-api-key': own, 'x-goog-api-key': google } = headers
        const isRight = [authorization, own, google].some((given) => given === apiKey || given === `Bearer ${apiKey}`)
        return isRight ? send(200, other) : send(401, protocol.writeError(401, 'wrong key', 'invalid_api_key'))
      }
      const read = protocol.read({ method, path, headers, body: parse(raw) }, apiKey)
      const call: ScriptedCall = { ...read, index: calls.length, raw }
      calls.push(call)
      most = Math.max(most, ++atOnce)
      const answered = await Promise.resolve(model(call)).finally(() => atOnce--)
      if ('fault' in answered) {
        if (answered.fault === 'cut') request.socket.destroy()
        if (answered.fault === 'garbage')
          response.writeHead(200, { 'content-type': 'application/json' }).end('{"choices": [')
        return
      }
      if ('status' in answered) {
        const { status, message = 'scripted', code, param } = answered
        return send(status, protocol.writeError(status, message, code, param), answered.headers)
      }
      checkAnswer(call, answered)
      if (call.isStreamed) {
        const head = { 'content-type': 'text/event-stream', ...protocol.headers(requestId) }
        return await sendStream(protocol, call, answered, response.writeHead(200, head))
      }
      send(200, protocol.write(call, answered))
    } catch (error) {
      if (error instanceof Refusal) {
        return send(error.status, protocol.writeError(error.status, error.message, error.code, error.param))
      }
      send(500, protocol.writeError(500, error instanceof Error ? error.message : String(error), undefined))
    }
  }

  let leavers = 0
  const server = createServer((request, response) => {
    response.once('close', () => {
      if (!response.writableFinished) leavers++
    })
    void answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `${urlOf(server)}${dialect === 'chat-completions' ? '/v1' : ''}`,
    apiKey,
    calls,
    bodies,
    mostAtOnce: () => most,
    leavers: () => leavers,
    connections: async () =>
      await new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count))),
    async close() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

const COMPATIBLE = '/v1beta/openai/'

/** Google also speaks chat completions, below a path of its own. */
function spokenAt(dialect: DialectName, path: string): { readonly protocol: Protocol; readonly path: string } {
  if (dialect !== 'generate-content' || !path.startsWith(COMPATIBLE)) return { protocol: PROTOCOLS[dialect], path }
  return { protocol: chatCompletionsProtocol, path: `/v1/${path.slice(COMPATIBLE.length)}` }
}

/** Waits until more can be written, or never again. */
async function drained(response: ServerResponse): Promise<void> {
  const over = new AbortController()
  const { signal } = over
  const waits = [once(response, 'drain', { signal }), once(response, 'close', { signal })]
  for (const wait of waits) wait.catch(() => undefined)
  await Promise.race(waits).finally(() => over.abort())
}

/** Sends the events of a streamed answer one by one, with the faults that the test asks for. */
async function sendStream(
  protocol: Protocol,
  call: ScriptedCall,
  answer: SpokenAnswer,
  response: ServerResponse,
): Promise<void> {
  const { cutAfter, endAfter, garbageAfter, errorAfter, before } = answer.stream ?? {}
  response.flushHeaders()
  for (const [i, text] of protocol.frames(call, answer).entries()) {
    await before?.(i)
    if (i === cutAfter) {
      // What was written is on its way before the connection goes.
      await new Promise<void>((resolve) => response.write(': cut\n', () => resolve()))
      response.socket?.destroy()
      return
    }
    if (i === endAfter || response.destroyed) break
    if (i === garbageAfter) response.write('data: {"broken": \n\n')
    if (i === errorAfter) {
      response.write(protocol.errorFrame('scripted'))
      break
    }
    if (!response.write(text)) await drained(response)
  }
  response.end()
}

/** Under strict output a whole answer always fits its schema: one that does not is a mistake of the test. */
function checkAnswer(call: ScriptedCall, { texts, finish = 'stop', calls = [] }: SpokenAnswer): void {
  if (finish !== 'stop' || call.structure === 'none' || calls.length > 0) return
  for (const text of texts) {
    const value: unknown = JSON.parse(text)
    if (call.structure !== 'schema') continue
    const parsed = z.fromJSONSchema(z.custom<z.core.JSONSchema.JSONSchema>().parse(call.schema)).safeParse(value)
    if (!parsed.success) throw new Error(`the scripted answer does not fit its schema: ${parsed.error.message}`)
  }
}

function urlOf(server: Server): string {
  const address = server.address() satisfies AddressInfo | string | null
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return `http://127.0.0.1:${address.port}`
}

async function readAll(request: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
