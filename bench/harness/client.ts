import { randomBytes } from 'node:crypto'
import { Pool } from 'undici'
import { z } from 'zod'

const SignupAnswer = z.object({ api_key: z.string(), tenant: z.object({ id: z.string() }) })
const BootstrapAnswer = z.object({ anon_token: z.string() })

/** One caller of the API with a key of its own. */
export interface BenchClient {
  readonly key: string
  call(method: 'GET' | 'POST', path: string, body?: unknown): Promise<{ status: number; body: unknown }>
  close(): Promise<void>
}

/** Signs a new tenant up and answers a client for it. */
export async function signUpClient(apiUrl: string, plan = 'free', connections = 16): Promise<BenchClient> {
  const name = `bench-${randomBytes(4).toString('hex')}`
  return await openClient(apiUrl, connections, async (call) => {
    const signed = await call('POST', '/v1/signup', { email: `${name}@example.com`, name, plan })
    return SignupAnswer.parse(signed.body).api_key
  })
}

/** Opens an anonymous workspace and answers a client for it. */
export async function anonymousClient(apiUrl: string, connections = 4): Promise<BenchClient> {
  return await openClient(apiUrl, connections, async (call) => {
    const opened = await call('POST', '/v1/anon/bootstrap', {})
    return BootstrapAnswer.parse(opened.body).anon_token
  })
}

type Call = (
  method: 'GET' | 'POST',
  path: string,
  body?: unknown,
  key?: string,
) => Promise<{ status: number; body: unknown }>

async function openClient(
  apiUrl: string,
  connections: number,
  begin: (call: Call) => Promise<string>,
): Promise<BenchClient> {
  const pool = new Pool(apiUrl, { connections, pipelining: 1 })
  const call: Call = async (method, path, body, key) => {
    const answer = await pool.request({
      method,
      path,
      headers: {
        ...(key !== undefined && { 'x-api-key': key }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await answer.body.text()
    return { status: answer.statusCode, body: text.startsWith('{') ? (JSON.parse(text) as unknown) : text }
  }
  const key = await begin(call)
  return {
    key,
    call: async (method, path, body) => await call(method, path, body, key),
    close: async () => await pool.close(),
  }
}
