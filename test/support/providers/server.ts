import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { z } from 'zod'
import type { DialectName } from '../../../core/gateway/provider.ts'
import { chatCompletionsProtocol } from './chat-completions.ts'
import { generateContentProtocol } from './generate-content.ts'
import { messagesProtocol } from './messages.ts'
import { Refusal, type Protocol, type SpokenAnswer } from './protocol.ts'
import type { ScriptedCall, ScriptedModel } from './scripted-model.ts'

const PROTOCOLS: Readonly<Record<DialectName, Protocol>> = {
  'chat-completions': chatCompletionsProtocol,
  messages: messagesProtocol,
  'generate-content': generateContentProtocol,
}

/** A provider's server: its protocol, with a model whose answers the test supplies. */
export interface ProviderServer {
  /** The base address as clients of the dialect write it. */
  readonly baseUrl: string
  readonly apiKey: string
  /** Calls that reached the model, in order. */
  readonly calls: readonly ScriptedCall[]
  /** Most calls that were with the model at once. */
  readonly mostAtOnce: () => number
  close(): Promise<void>
}

/** Starts a provider on a free port of this machine. */
export async function startProvider(dialect: DialectName, model: ScriptedModel): Promise<ProviderServer> {
  const protocol = PROTOCOLS[dialect]
  const apiKey = `key-of-${dialect}-0123456789abcdef`
  const calls: ScriptedCall[] = []
  let atOnce = 0
  let most = 0

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const raw = await readAll(request)
    const requestId = `req_${calls.length}`
    const send = (status: number, body: object, headers: Readonly<Record<string, string>> = {}): void => {
      response.writeHead(status, { 'content-type': 'application/json', ...protocol.headers(requestId), ...headers })
      response.end(JSON.stringify(body))
    }
    try {
      const { method = '', url = '', headers } = request
      const path = new URL(url, 'http://server').pathname
      const read = protocol.read({ method, path, headers, body: parse(raw) }, apiKey)
      const call: ScriptedCall = { ...read, index: calls.length, raw }
      calls.push(call)
      most = Math.max(most, ++atOnce)
      const answered = await Promise.resolve(model(call)).finally(() => atOnce--)
      if ('fault' in answered) {
        if (answered.fault === 'cut') request.socket.destroy()
        return
      }
      if ('status' in answered) {
        const { status, message = 'scripted', code } = answered
        return send(status, protocol.writeError(status, message, code), answered.headers)
      }
      checkAnswer(call, answered)
      send(200, protocol.write(call, answered))
    } catch (error) {
      if (error instanceof Refusal) {
        return send(error.status, protocol.writeError(error.status, error.message, error.code))
      }
      send(500, protocol.writeError(500, error instanceof Error ? error.message : String(error), undefined))
    }
  }

  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `${urlOf(server)}${dialect === 'chat-completions' ? '/v1' : ''}`,
    apiKey,
    calls,
    mostAtOnce: () => most,
    async close() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

/** Under strict output a whole answer always fits its schema: one that does not is a mistake of the test. */
function checkAnswer(call: ScriptedCall, { texts, finish = 'stop' }: SpokenAnswer): void {
  if (finish !== 'stop' || call.structure === 'none') return
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

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString('utf8')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
