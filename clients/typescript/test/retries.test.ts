import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { QuotaError, RateLimitError, ServerError, Svc, UnreachableError } from '../src/index.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** Serves the answers in turn, and hands on the headers of each call. */
async function withServer(answers: readonly Answer[], run: (url: string) => Promise<void>): Promise<IncomingMessage[]> {
  const calls: IncomingMessage[] = []
  const server = createServer((request, response) => {
    request.resume().on('end', () => answers[calls.push(request) - 1]?.(request, response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    await run(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
  return calls
}

const drop: Answer = (request) => request.socket.destroy()
const refuse =
  (status: number, headers: Record<string, string> = {}, code = 'no'): Answer =>
  (_, response) =>
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify({ error: 'no', code }))
const json =
  (body: unknown): Answer =>
  (_, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))

describe('repetitions', () => {
  it('send the same Idempotency-Key until the call is answered', async () => {
    const calls = await withServer([drop, refuse(502), json({ output: 1 })], async (url) => {
      const answer = await new Svc({ url, apiKey: 'k' }).version('ver_1').run('x')
      assert.equal(answer.output, 1)
    })
    assert.equal(calls.length, 3)
    assert.equal(new Set(calls.map(({ headers }) => headers['idempotency-key'])).size, 1)
  })

  it('keep Retry-After, and end after as many as were asked for', async () => {
    const startedAt = Date.now()
    const calls = await withServer([refuse(429, { 'retry-after': '1' }), refuse(429)], async (url) => {
      await assert.rejects(new Svc({ url, retries: 1 }).version('ver_1').run('x'), RateLimitError)
    })
    assert.equal(calls.length, 2)
    assert.ok(Date.now() - startedAt >= 1000)
  })

  it('do not wait longer than was asked for', async () => {
    const calls = await withServer([refuse(503, { 'retry-after': '3600' })], async (url) => {
      await assert.rejects(new Svc({ url }).version('ver_1').run('x'), { status: 503, retryAfterS: 3600 })
    })
    assert.equal(calls.length, 1)
  })

  it('leave a call alone that may have done something and has no key', async () => {
    const calls = await withServer([drop], async (url) => {
      await assert.rejects(new Svc({ url }).job('cmp_1').cancel(), UnreachableError)
    })
    assert.equal(calls.length, 1)
  })

  it('repeat a call without a key only when the service says that it is busy', async () => {
    const busy = refuse(503, { 'retry-after': '0' }, 'busy')
    const calls = await withServer([busy, json({}), refuse(503)], async (url) => {
      await new Svc({ url }).job('cmp_1').cancel()
      await assert.rejects(new Svc({ url }).job('cmp_1').cancel(), ServerError)
    })
    assert.equal(calls.length, 3)
  })

  it('end a batch that the quota stopped with its error, and send no batch without inputs', async () => {
    const stop: Answer = (_, response) => {
      const line = { error: { code: 'quota_exhausted', message: 'no units' }, resume_row: 1, row: 1 }
      response.writeHead(200).end(`${JSON.stringify(line)}\n`)
    }
    const calls = await withServer([stop], async (url) => {
      const version = new Svc({ url }).version('ver_1')
      for await (const _ of version.runMany([])) assert.fail('a row of nothing')
      await assert.rejects(async () => {
        for await (const _ of version.runMany([1])) assert.fail('a row without units')
      }, QuotaError)
    })
    assert.equal(calls.length, 1)
  })

  it('continue a batch after the last row that came', async () => {
    const rows = (from: number, to: number): string =>
      Array.from({ length: to - from + 1 }, (_, i) => `{"row":${from + i},"output":${from + i}}\n`).join('')
    const cut: Answer = (request, response) => {
      response.writeHead(200).write(`${rows(1, 3)}{"row":4,"out`, () => request.socket.destroy())
    }
    const rest: Answer = (_, response) => response.writeHead(200).end(`${rows(4, 5)}{"batch":{}}\n`)
    const outputs: unknown[] = []
    const calls = await withServer([cut, rest], async (url) => {
      for await (const row of new Svc({ url }).version('ver_1').runMany([1, 2, 3, 4, 5])) {
        outputs.push('output' in row && row.output)
      }
    })
    assert.deepEqual(outputs, [1, 2, 3, 4, 5])
    assert.equal(new Set(calls.map(({ headers }) => headers['idempotency-key'])).size, 1)
  })
})
