import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import { Webhook } from 'standardwebhooks'

/** A message as a receiver got it. */
export interface ReceivedMessage {
  readonly id: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The answer of a receiver; `hang` never answers. */
export type ReceiverReply = { readonly status: number; readonly headers?: Readonly<Record<string, string>> } | 'hang'

/** A receiver of hooks on this machine. */
export interface HookReceiver {
  readonly url: string
  readonly received: readonly ReceivedMessage[]
  /** Answers the next messages so, one after another; after them 204. */
  answer(...replies: readonly ReceiverReply[]): void
  /** Ends when so many messages have arrived. */
  arrived(count: number): Promise<readonly ReceivedMessage[]>
}

/** Runs a receiver for the surrounding suite. */
export function useHookReceiver(): HookReceiver {
  const received: ReceivedMessage[] = []
  let replies: ReceiverReply[] = []
  const waiting: (() => void)[] = []
  let server: Server | undefined
  let url = ''
  before(async () => {
    server = createServer((request, response) => {
      const chunks: Uint8Array[] = []
      request.on('data', (chunk: Uint8Array) => chunks.push(chunk))
      request.on('end', () => {
        const headers = Object.fromEntries(
          Object.entries(request.headers).flatMap(([name, value]) =>
            typeof value === 'string' ? [[name, value]] : [],
          ),
        )
        received.push({ id: headers['webhook-id'] ?? '', headers, body: Buffer.concat(chunks).toString() })
        for (const wake of waiting.splice(0)) wake()
        const reply = replies.shift() ?? { status: 204 }
        if (reply !== 'hang') response.writeHead(reply.status, reply.headers).end()
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('the receiver has no port')
    url = `http://127.0.0.1:${address.port}/deploy?token=private`
  })
  after(() => {
    server?.closeAllConnections()
    server?.close()
  })
  return {
    get url() {
      return url
    },
    received,
    answer: (...given) => {
      replies = [...given]
    },
    async arrived(count) {
      while (received.length < count) await new Promise<void>((resolve) => waiting.push(resolve))
      return received.slice(0, count)
    },
  }
}

/** Verifies a message with the published library of Standard Webhooks, and returns its body. Throws for a forged one. */
export function verifyMessage(secret: string, { headers, body }: ReceivedMessage): unknown {
  return new Webhook(secret).verify(body, { ...headers })
}
