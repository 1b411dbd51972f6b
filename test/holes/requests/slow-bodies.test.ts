import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { useApi } from '../../support/api.ts'

const HEAD = 'POST /v1/receipts/verify HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n'

interface Ended {
  readonly answer: string
}

/** Opens a connection, hands it to `send`, and reads until it ends. */
async function exchange(url: string, send: (socket: Socket) => void, signal?: AbortSignal): Promise<Ended> {
  const { hostname, port } = new URL(url)
  return await new Promise((resolve) => {
    let answer = ''
    const socket = connect(Number(port), hostname, () => send(socket))
    socket.on('data', (data) => (answer += data.toString()))
    socket.on('error', () => undefined)
    socket.on('close', () => resolve({ answer }))
    signal?.addEventListener('abort', () => socket.destroy())
  })
}

describe('a body that comes too slowly', () => {
  const limits = { body_silence_s: 2, body_bytes_per_s: 64 * 1024 }
  const api = useApi({ limits })

  for (const [what, more] of [
    ['of an announced length', 'Content-Length: 1000\r\n\r\n{"receipt"'],
    ['in chunks', 'Transfer-Encoding: chunked\r\n\r\nffff\r\n{"r'],
    ['of a call that was refused before its body', 'Content-Length: 900000000\r\n\r\n{'],
  ] as const) {
    it(`ends its connection with 408: ${what}`, async () => {
      let timer: NodeJS.Timeout | undefined
      const { answer } = await exchange(api.url, (socket) => {
        socket.write(HEAD + more)
        timer = setInterval(() => socket.write(' '), 500)
      })
      clearInterval(timer)
      // The answer of a refused call has left before; then the connection just ends.
      expect(answer).to.match(what.includes('refused') ? /^HTTP\/1.1 413 / : /^HTTP\/1.1 408 [^]*"request_timeout"/)
    })
  }
})

describe('a body that keeps its rate', () => {
  // A busy machine keeps caller and service waiting for less than this.
  const api = useApi({ limits: { body_silence_s: 5, body_bytes_per_s: 64 * 1024 } })

  it('goes on for longer than the silence that is allowed', async () => {
    const piece = ' '.repeat(30 * 1024)
    const pieces = 28
    const body = `{"receipt":1}`
    const { answer } = await exchange(api.url, (socket) => {
      socket.write(`${HEAD}Connection: close\r\nContent-Length: ${body.length + piece.length * pieces}\r\n\r\n`)
      void (async () => {
        for (let i = 0; i < pieces; i++) {
          socket.write(piece)
          await sleep(250)
        }
        socket.write(body)
      })()
    })
    expect(answer).to.match(/^HTTP\/1.1 400 [^]*malformed_receipt/)
  })
})

describe('connections of one address', () => {
  describe('without a proxy', () => {
    const api = useApi({ limits: { connections_per_ip: 20 } })

    it('are capped, in our envelope, and free again when they close', async () => {
      const done = new AbortController()
      const held = Array.from({ length: 60 }, async () => await exchange(api.url, () => undefined, done.signal))
      const first = await Promise.race(held)
      expect(first.answer).to.match(/^HTTP\/1.1 429 [^]*Retry-After: \d+[^]*"rate_limited"/)
      done.abort()
      await Promise.all(held)
      let status = 0
      while (status !== 200) status = (await api.call('GET', '/health').catch(() => ({ status: 0 }))).status
    })
  })

  describe('behind a trusted proxy', () => {
    const api = useApi({ limits: { connections_per_ip: 5, body_silence_s: 600 }, settings: { trustedProxyHops: 1 } })
    const waiting = (ip: string | undefined, signal: AbortSignal) =>
      exchange(
        api.url,
        (socket) => {
          const forwarded = ip === undefined ? '' : `X-Forwarded-For: ${ip}\r\n`
          socket.write(`${HEAD}${forwarded}Content-Length: 100\r\n\r\n{`)
        },
        signal,
      )

    it('count as those of the client that the proxy names, and the proxy itself is not capped', async () => {
      const done = new AbortController()
      const crowd = Array.from({ length: 12 }, async () => await waiting('203.0.113.7', done.signal))
      const own = Array.from({ length: 30 }, async () => await waiting(undefined, done.signal))
      expect((await Promise.race(crowd)).answer).to.match(/^HTTP\/1.1 429 /)
      const other = await api.call('GET', '/health', { headers: { 'x-forwarded-for': '203.0.113.8' } })
      expect(other.status).to.equal(200)
      done.abort()
      const answers = await Promise.all(own)
      expect(answers.filter(({ answer }) => answer.includes(' 429 '))).to.deep.equal([])
    })
  })
})
