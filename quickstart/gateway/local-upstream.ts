import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { z } from 'zod'

/** The name that it answers under. */
export const LOCAL_MODEL = 'local-upstream'

/** The rule: the first kind of ticket with one of its words in the text. */
const RULE = [
  ['billing', /\b(invoice|refund|charged|payment|card)/i],
  ['login', /\b(password|sign(ing)? in|log(ging)? in|login|locked|code)\b/i],
  ['shipping', /\b(parcel|packages?|delivery|courier|tracking)\b/i],
] as const

/** Answers a ticket by the rule; `other` for one without any of the words. */
export function triage(ticket: string): string {
  return RULE.find(([, words]) => words.test(ticket))?.[0] ?? 'other'
}

const ChatRequest = z.object({
  model: z.string(),
  messages: z.array(z.object({ role: z.string(), content: z.string() })).min(1),
  stream: z.literal(false).optional(),
})

/** A running server. */
export interface LocalUpstream {
  /** Without `/v1`. */
  readonly baseUrl: string
  close(): Promise<void>
}

/**
 * Starts a server that speaks the part of OpenAI's chat completions that the demonstration needs, without streams. It is no
 * language model: it answers the last user message by the rule above, and its answers name it as their model.
 */
export async function startLocalUpstream(): Promise<LocalUpstream> {
  const server = createServer((request, response) => {
    answer(request).then(
      ({ status, body }) => send(response, status, body),
      () => send(response, 400, failure('the body is not JSON')),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

interface Answer {
  readonly status: number
  readonly body: object
}

async function answer(request: IncomingMessage): Promise<Answer> {
  const { method, url } = request
  if (method === 'GET' && url === '/v1/models') {
    return {
      status: 200,
      body: { object: 'list', data: [{ id: LOCAL_MODEL, object: 'model', owned_by: 'quickstart' }] },
    }
  }
  if (method !== 'POST' || url !== '/v1/chat/completions') return { status: 404, body: failure('no such path') }
  const { data, error } = ChatRequest.safeParse(await json(request))
  if (data === undefined) return { status: 400, body: failure(z.prettifyError(error)) }
  const content = triage(data.messages.findLast(({ role }) => role === 'user')?.content ?? '')
  const asked = data.messages.reduce((sum, message) => sum + countWords(message.content), 0)
  const body = {
    id: `chatcmpl-${crypto.randomUUID()}`,
    object: 'chat.completion',
    created: Math.floor(Date.now() / 1000),
    model: LOCAL_MODEL,
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    // It has no tokens; it counts words.
    usage: { prompt_tokens: asked, completion_tokens: 1, total_tokens: asked + 1 },
  }
  return { status: 200, body }
}

function countWords(text: string): number {
  return text.split(/\s+/).filter((word) => word !== '').length
}

function failure(message: string): object {
  return { error: { message: `${LOCAL_MODEL}: ${message}`, type: 'invalid_request_error', param: null, code: null } }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
