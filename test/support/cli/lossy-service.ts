import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'

interface Loss {
  readonly method: string
  readonly path: RegExp
  readonly status: number
  readonly body: string
}

/** A proxy in front of a service: what is asked is done, and some answers come out as something else. */
export interface LossyService {
  readonly url: string
  /** Replaces the service's answers by this one from now on. */
  lose(loss: Loss): void
  close(): Promise<void>
}

/** Starts such a proxy of the service at `upstream`. */
export async function startLossyService(upstream: string): Promise<LossyService> {
  let loss: Loss | undefined
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET', url: path = '/' } = request
    const headers = new Headers()
    for (const name of ['authorization', 'content-type', 'cookie']) {
      const value = request.headers[name]
      if (typeof value === 'string') headers.set(name, value)
    }
    const body = await buffer(request)
    const answered = await fetch(`${upstream}${path}`, { method, headers, ...(body.length > 0 && { body }) })
    const text = await answered.text()
    if (loss?.method === method && loss.path.test(path)) {
      response.writeHead(loss.status, { 'content-type': 'text/html' }).end(loss.body)
      return
    }
    response.writeHead(answered.status, {
      'content-type': answered.headers.get('content-type') ?? 'application/json',
      'set-cookie': answered.headers.getSetCookie(),
    })
    response.end(text)
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    lose(changed) {
      loss = changed
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
