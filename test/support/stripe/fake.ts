import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readForm } from './form.ts'
import { answerOf, StripeRefusal } from './protocol.ts'
import type { StripeCall, StripeState } from './state.ts'

/** A server that speaks as much of Stripe's protocol as the service uses. */
export interface FakeStripe {
  readonly url: string
  readonly calls: readonly StripeCall[]
  readonly state: StripeState
  /** While it is down every call ends with a status of 500. */
  setDown(isDown: boolean): void
  /** The next calls that change something are carried out, but their answers are lost. The SDK sends each three times. */
  loseAnswers(count: number): void
  /** The next call of this method whose path has this end is carried out and never answered; ends when it was. */
  neverAnswer(method: string, pathEnd: string): Promise<void>
}

/** Runs such a server for the surrounding suite. Declare it before what needs its address. */
export function useFakeStripe(): FakeStripe {
  const { fake, listen, close } = createFakeStripe()
  before(listen)
  after(close)
  return fake
}

/** Starts such a server on a free port. */
export async function startFakeStripe(): Promise<{ readonly fake: FakeStripe; readonly close: () => Promise<void> }> {
  const { fake, listen, close } = createFakeStripe()
  await listen()
  return { fake, close }
}

function createFakeStripe(): {
  readonly fake: FakeStripe
  readonly listen: () => Promise<void>
  readonly close: () => Promise<void>
} {
  const calls: StripeCall[] = []
  const state: StripeState = {
    subscriptions: new Map(),
    customers: new Map(),
    taxIds: new Map(),
    charges: new Map(),
    paymentIntents: new Map(),
    invoicePayments: new Map(),
    checkouts: new Map(),
    refunds: new Map(),
  }
  const answered = new Map<string, { readonly request: string; readonly status: number; readonly body: object }>()
  let isDown = false
  let losses = 0
  const unanswered: { readonly method: string; readonly pathEnd: string; readonly reached: () => void }[] = []
  const server = createServer((request, response) => {
    void answer(request).then(({ status, body, isLost }) => {
      const { pathname } = new URL(request.url ?? '', 'http://server')
      const silent = unanswered.findIndex((each) => each.method === request.method && pathname.endsWith(each.pathEnd))
      if (silent >= 0) {
        unanswered.splice(silent, 1)[0]?.reached()
        return
      }
      if (isLost) {
        request.socket.destroy()
        return
      }
      response.writeHead(status, { 'content-type': 'application/json', 'request-id': `req_${calls.length}` })
      response.end(JSON.stringify(body))
    })
  })

  async function answer(request: IncomingMessage) {
    const { method = '', url = '', headers } = request
    const { pathname, search } = new URL(url, 'http://server')
    const text = await readAll(request)
    const form = readForm(method === 'GET' || method === 'DELETE' ? search.slice(1) || text : text)
    const key = headers['idempotency-key']
    const idempotencyKey = typeof key === 'string' ? key : undefined
    calls.push({ method, path: pathname, form, idempotencyKey })
    if (isDown) return { status: 500, body: failure('api_error', 'down for a test'), isLost: false }
    if (headers.authorization !== 'Bearer sk_test_0123456789abcdef') {
      return { status: 401, body: failure('invalid_request_error', 'no such key'), isLost: false }
    }
    const isLost = losses > 0 && method !== 'GET'
    if (isLost) losses--
    const asked = `${method} ${pathname} ${text}`
    const before = idempotencyKey === undefined ? undefined : answered.get(idempotencyKey)
    if (before !== undefined && before.request !== asked) {
      return { status: 400, body: failure('idempotency_error', 'another request had this key'), isLost: false }
    }
    const made = before ?? { request: asked, ...carryOut({ method, path: pathname, form, idempotencyKey }) }
    if (idempotencyKey !== undefined && method === 'POST') answered.set(idempotencyKey, made)
    return { status: made.status, body: made.body, isLost }
  }

  function carryOut(call: StripeCall): { readonly status: number; readonly body: object } {
    try {
      return { status: 200, body: answerOf(state, call) }
    } catch (error) {
      if (!(error instanceof StripeRefusal)) throw error
      const { status, message, code, param } = error
      return { status, body: failure('invalid_request_error', message, { code, param }) }
    }
  }

  const fake: FakeStripe = {
    get url() {
      const address = server.address() as AddressInfo | null
      if (address === null) throw new Error('the server is there once the tests run')
      return `http://127.0.0.1:${address.port}`
    },
    calls,
    state,
    setDown(wanted) {
      isDown = wanted
    },
    loseAnswers(count) {
      losses = count
    },
    neverAnswer: async (method, pathEnd) =>
      await new Promise((reached) => unanswered.push({ method, pathEnd, reached })),
  }
  return {
    fake,
    listen: async () => await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)),
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function failure(type: string, message: string, more: object = {}): object {
  return { error: { type, message, ...more } }
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString('utf8')
}
