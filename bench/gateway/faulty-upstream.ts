import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline, Readable } from 'node:stream'
import { z } from 'zod'

/** The answer that a caller has to get for a fault: its status, or an error within the stream of an answer that had begun. */
export interface Fault {
  readonly statuses: readonly number[]
  /** Outcome of the capture. */
  readonly outcome: 'whole' | 'interrupted' | 'failed'
  readonly isStreamed?: boolean
  /** Of a hundred calls. */
  readonly share: number
  readonly answer: (response: ServerResponse) => void
}

const CONTENT = 'Your parcel arrives today.'
const usage = { prompt_tokens: 24, completion_tokens: 6, total_tokens: 30 }
const facts = { id: 'chatcmpl-bench', created: 1_700_000_000, model: 'gpt-4o-mini' }
const WHOLE = JSON.stringify({
  ...facts,
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: CONTENT }, finish_reason: 'stop' }],
  usage,
})
const JSON_TYPE = { 'content-type': 'application/json' }
const EVENTS_TYPE = { 'content-type': 'text/event-stream' }
const EVENT = `data: ${JSON.stringify({ ...facts, object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: CONTENT }, finish_reason: null }] })}\n\n`
const HUGE_CHUNK = Buffer.alloc(1024 * 1024, 0x20)
const HUGE_CHUNKS = 100

const refusal =
  (status: number, headers: Readonly<Record<string, string>> = {}) =>
  (response: ServerResponse) =>
    response
      .writeHead(status, { ...JSON_TYPE, ...headers })
      .end(JSON.stringify({ error: { message: 'no', type: 'no' } }))

/** The faults by their names, which the last message of a call holds. */
export const FAULTS: Readonly<Record<string, Fault>> = {
  none: { statuses: [200], outcome: 'whole', share: 30, answer: (to) => to.writeHead(200, JSON_TYPE).end(WHOLE) },
  'no-answer': { statuses: [502], outcome: 'failed', share: 10, answer: (to) => to.destroy() },
  'slow-headers': { statuses: [504], outcome: 'failed', share: 4, answer: () => undefined },
  'slow-body': {
    statuses: [504],
    outcome: 'failed',
    share: 4,
    answer: (to) => to.writeHead(200, JSON_TYPE).write(WHOLE.slice(0, 50)),
  },
  'cut-body': { statuses: [502], outcome: 'failed', share: 8, answer: (to) => cut(to, JSON_TYPE, WHOLE.slice(0, 50)) },
  'cut-stream': {
    statuses: [200],
    outcome: 'interrupted',
    isStreamed: true,
    share: 8,
    answer: (to) => cut(to, EVENTS_TYPE, EVENT),
  },
  'limit-soon': { statuses: [429], outcome: 'failed', share: 4, answer: refusal(429) },
  'limit-later': { statuses: [429], outcome: 'failed', share: 8, answer: refusal(429, { 'retry-after': '30' }) },
  broken: { statuses: [503], outcome: 'failed', share: 8, answer: refusal(500) },
  'no-json': {
    statuses: [502],
    outcome: 'failed',
    share: 6,
    answer: (to) => to.writeHead(200, JSON_TYPE).end('{"id":'),
  },
  'no-events': {
    statuses: [200],
    outcome: 'interrupted',
    isStreamed: true,
    share: 5,
    answer: (to) => to.writeHead(200, EVENTS_TYPE).end(`${EVENT}data: {"choices":\n\n`),
  },
  'wrong-length': {
    statuses: [502],
    outcome: 'failed',
    share: 4,
    answer: (to) =>
      to.socket?.end(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 40\r\n\r\n${WHOLE}`),
  },
  huge: { statuses: [502], outcome: 'failed', share: 1, answer: (to) => writeHuge(to) },
}

/** Sends a beginning, and ends the connection in its midst. */
function cut(response: ServerResponse, headers: Readonly<Record<string, string>>, text: string): void {
  response.writeHead(200, headers)
  response.write(text, () => response.destroy())
}

function writeHuge(response: ServerResponse): void {
  const chunks = Array.from({ length: HUGE_CHUNKS }, () => HUGE_CHUNK)
  // Who reads it may leave before its end.
  pipeline(Readable.from(chunks), response.writeHead(200, JSON_TYPE), () => undefined)
}

/** Starts the upstream; `open` counts its connections. */
export async function startFaultyUpstream(): Promise<{ url: string; open(): Promise<number>; stop(): void }> {
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => (body += chunk))
    request.on('end', () => FAULTS[/fault: ([a-z-]+)/.exec(body)?.[1] ?? 'none']?.answer(response))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address: AddressInfo | string | null = server.address()
  const { port } = z.object({ port: z.number() }).parse(address)
  return {
    url: `http://127.0.0.1:${port}`,
    open: async () =>
      await new Promise((resolve, reject) => {
        server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
      }),
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
