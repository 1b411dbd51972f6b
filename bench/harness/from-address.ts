import { Pool } from 'undici'
import type { Answer, CallOptions } from '../../test/support/api.ts'

/** A caller at an address of this machine. */
export interface AddressCaller {
  call(method: string, path: string, options?: Pick<CallOptions, 'key' | 'body' | 'headers'>): Promise<Answer>
  close(): Promise<void>
}

let serial = 0

/** A loopback address that this process has not called from yet. All of 127.0.0.0/8 is on this machine under Linux. */
export function nextAddress(): string {
  serial++
  return `127.77.${serial >> 8}.${serial & 255}`
}

/** Returns a caller at `address`, with so many connections. */
export function callerAt(apiUrl: string, address: string, connections = 1): AddressCaller {
  const pool = new Pool(apiUrl, { connections, pipelining: 1, localAddress: address })
  return {
    async call(method, path, { key, body, headers = {} } = {}) {
      const answer = await pool.request({
        method: method as 'GET',
        path,
        headers: {
          ...(key !== undefined && { 'x-api-key': key }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const bytes = Buffer.from(await answer.body.arrayBuffer())
      const text = bytes.toString('utf8')
      const lines = Object.entries(answer.headers).flatMap(([name, value]) =>
        [value ?? []].flat().map((one): [string, string] => [name, one]),
      )
      return { status: answer.statusCode, headers: new Headers(lines), text, bytes, body: parse(text) }
    },
    close: async () => await pool.close(),
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
