import { once } from 'node:events'
import { connect } from 'node:net'
import { expect } from 'chai'
import { ROUTES } from '../../../api/routes.ts'
import { useApi } from '../../support/api.ts'
import { pathOf } from '../../support/wire/declared-routes.ts'

const MB = 1024 * 1024

describe('a large body of a call that was refused', () => {
  const api = useApi()

  for (const [what, path, type] of [
    ['before it was read', '/v1/compile', 'application/octet-stream'],
    ['while it was read', '/v1/receipts/verify', 'application/json'],
  ] as const) {
    it(`gets its answer, and is taken in slowly: ${what}`, async () => {
      const { hostname, port } = new URL(api.url)
      const socket = connect(Number(port), hostname)
      socket.on('error', () => undefined)
      await once(socket, 'connect')
      const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: ${type}\r\n`
      socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`)
      // Twelve of them are more than the buffers of a connection hold.
      const block = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(MB, ' '), Buffer.from('\r\n')])
      const start = performance.now()
      const answered = once(socket, 'data')
      const sent = (async () => {
        for (let i = 0; i < 12; i++) if (!socket.write(block)) await once(socket, 'drain')
      })()
      const [answer]: unknown[] = await answered
      expect(String(answer)).to.match(/^HTTP\/1.1 4(01|13) /)
      await sent
      // As fast as it comes it would be some hundredths of a second; no load makes it faster.
      expect(performance.now() - start).to.be.greaterThan(500)
      socket.destroy()
    })
  }

  it('answers 401 or 403 before the body arrives, on every route', async () => {
    const { hostname, port } = new URL(api.url)
    const closed = ROUTES.filter(({ auth, method }) => method !== 'get' && auth !== 'public' && auth !== 'optional')
    expect(closed).to.have.length.greaterThan(100)
    await Promise.all(
      closed.map(async (route) => {
        const socket = connect(Number(port), hostname)
        const head = `${route.method.toUpperCase()} ${pathOf(route)} HTTP/1.1\r\nHost: 127.0.0.1\r\n`
        const answered = once(socket, 'data')
        // The body is announced, and no byte of it is sent.
        socket.write(`${head}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n`)
        const [answer]: unknown[] = await answered
        expect(String(answer).slice(0, 12), route.operationId).to.match(/ 40[13]$/)
        socket.destroy()
      }),
    )
  })

  it('does not hold up a short one: the connection serves the next call', async () => {
    const { hostname, port } = new URL(api.url)
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    const call = (length: number) =>
      `POST /v1/compile HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/plain\r\nContent-Length: ${length}\r\n\r\n${' '.repeat(length)}`
    let text = ''
    socket.on('data', (data) => (text += data.toString()))
    socket.write(call(200_000))
    socket.write(call(10))
    while (text.split('HTTP/1.1 401').length < 3) await once(socket, 'data')
    socket.destroy()
  })
})
