import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { DEFAULT_LIMITS } from '../../../core/limits.ts'
import { signUpClient } from '../../harness/client.ts'
import { quantile } from '../../harness/report.ts'
import type { Attack } from '../attack.ts'

const SOCKETS = 1500
const BYTE_EVERY_MS = 6000
const UPLOAD_BYTES_PER_S = 64 * 1024
const UPLOAD_S = 25
/** From the last byte that a caller may be silent after: a sweep each second, and a busy machine. */
const SLACK_S = 5
const HEAD = 'Host: x\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n{'

/**
 * 1,500 connections that send a byte each six seconds: all are ended in time, while an upload of 64 KB/s, which takes
 * longer than that, and ordinary calls continue.
 */
export const SLOW_BODIES: Attack = {
  name: 'slow-bodies',
  async run({ apiUrl }) {
    const client = await signUpClient(apiUrl)
    const { hostname, port } = new URL(apiUrl)
    // Before the others: their address is its own, and its connections will all be taken.
    const upload = steadyUpload(apiUrl, client.key)
    await sleep(500)
    const startedAt = performance.now()
    const open = new Set<Socket>()
    let lastEndMs = 0
    for (let i = 0; i < SOCKETS; i++) {
      const socket = connect(Number(port), hostname, () => socket.write(`POST /v1/receipts/verify HTTP/1.1\r\n${HEAD}`))
      open.add(socket)
      socket.on('error', () => undefined)
      socket.resume()
      socket.on('close', () => {
        open.delete(socket)
        lastEndMs = performance.now() - startedAt
      })
    }
    const bytes = setInterval(() => {
      for (const socket of open) socket.write(' ')
    }, BYTE_EVERY_MS)
    const latenciesMs: number[] = []
    let failures = 0
    const mostMs = (DEFAULT_LIMITS.body_silence_s + SLACK_S) * 1000
    while (performance.now() - startedAt < mostMs && open.size > 0) {
      const at = performance.now()
      // Over the connection of the sign-up, for the same reason.
      const { status } = await client.call('GET', '/v1/whoami')
      if (status !== 200) failures++
      latenciesMs.push(performance.now() - at)
      await sleep(50)
    }
    const left = open.size
    clearInterval(bytes)
    for (const socket of open) socket.destroy()
    const uploadStatus = await upload
    await client.close()
    return [
      { what: 'connections left after 20 s', value: left, limit: 0, bound: 'at-most' },
      { what: 'last connection ended after, s', value: lastEndMs / 1000, limit: mostMs / 1000, bound: 'at-most' },
      { what: 'p99 of an ordinary call, ms', value: quantile(latenciesMs, 0.99), limit: 100, bound: 'at-most' },
      { what: 'ordinary calls that failed', value: failures, limit: 0, bound: 'at-most' },
      { what: `status of an upload of 64 KB/s for ${UPLOAD_S} s`, value: uploadStatus, limit: 202, bound: 'at-most' },
      { what: 'that upload was accepted', value: uploadStatus === 202 ? 1 : 0, limit: 1, bound: 'at-least' },
    ]
  },
}

/** Uploads a file at a steady rate; answers the status. */
async function steadyUpload(apiUrl: string, key: string): Promise<number> {
  const part = (disposition: string) => `--Y\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`
  const spec = '{"task":"Write it in capitals","mode":"async"}'
  const head = `${part('name="spec"')}${spec}\r\n${part('name="file"; filename="rows.jsonl"')}`
  async function* body(): AsyncGenerator<Buffer> {
    yield Buffer.from(head)
    for (let second = 0; second < UPLOAD_S; second++) {
      const rows = Array.from({ length: 64 }, (_, i) => `{"input":"in ${second} ${i}","output":"OUT ${second} ${i}"}\n`)
      const lines = rows.join('')
      yield Buffer.from(lines + '//'.padEnd(UPLOAD_BYTES_PER_S - lines.length - 1, 'x') + '\n')
      await sleep(1000)
    }
    yield Buffer.from('\r\n--Y--\r\n')
  }
  const headers = { 'x-api-key': key, 'content-type': 'multipart/form-data; boundary=Y' }
  const answer = await fetch(`${apiUrl}/v1/compile`, { method: 'POST', headers, body: body(), duplex: 'half' }).catch(
    () => undefined,
  )
  return answer?.status ?? 599
}
