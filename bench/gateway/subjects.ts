import { fork, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Pool, type Dispatcher } from 'undici'
import { z } from 'zod'

/** One way to the upstream: direct, or through a gateway. */
export interface Subject {
  readonly name: string
  /** The process of the gateway; undefined for a direct call. */
  readonly pid: number | undefined
  readonly pool: Pool
  readonly headers: Readonly<Record<string, string>>
}

const PATH = '/v1/chat/completions'
const MESSAGE = 'Where is my parcel? I ordered it on Monday, and the tracking page shows nothing since then.'
const Address = z.object({ port: z.number() })

/** Starts the upstream in a process of its own. */
export async function startUpstream(): Promise<{ readonly url: string; stop(): void }> {
  const child = fork(fileURLToPath(new URL('upstream.ts', import.meta.url)))
  const [message]: readonly unknown[] = await once(child, 'message')
  return { url: `http://127.0.0.1:${Address.parse(message).port}`, stop: () => child.kill() }
}

/** Opens a way over these connections. */
export function openSubject(
  { name, pid }: Pick<Subject, 'name' | 'pid'>,
  url: string,
  connections: number,
  headers: Subject['headers'] = {},
): Subject {
  return {
    name,
    pid,
    pool: new Pool(url, { connections, pipelining: 1, bodyTimeout: 0, headersTimeout: 0 }),
    headers: { 'content-type': 'application/json', ...headers },
  }
}

/** Sends a call. Throws for another status than 200. */
export async function send(subject: Subject, body: string): Promise<Dispatcher.ResponseData> {
  const answer = await subject.pool.request({ method: 'POST', path: PATH, headers: subject.headers, body })
  if (answer.statusCode === 200) return answer
  throw new Error(`${subject.name} answered ${answer.statusCode}: ${await answer.body.text()}`)
}

/** A call of a model whose answer is whole. */
export const WHOLE_CALL = JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: MESSAGE }] })

/** A call of a model whose answer is a stream. */
export function streamCall(events: number, pauseMs: number): string {
  const content = `${MESSAGE} (stream ${events} events, ${pauseMs} ms)`
  return JSON.stringify({ model: 'gpt-4o-mini', stream: true, messages: [{ role: 'user', content }] })
}

/** Starts Portkey's gateway out of the folder in which it is installed. */
export async function startPortkey(
  folder: string,
): Promise<{ readonly url: string; readonly pid: number | undefined; stop(): Promise<void> }> {
  const port = await freePort()
  const main = join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js')
  const child: ChildProcess = spawn(process.execPath, [main, `--port=${port}`, '--headless'], {
    stdio: 'ignore',
    env: { ...process.env, NODE_ENV: 'production', TRUSTED_CUSTOM_HOSTS: '127.0.0.1,localhost' },
  })
  const url = `http://127.0.0.1:${port}`
  for (let tries = 0; tries < 100; tries++) {
    if (child.exitCode !== null) throw new Error(`Portkey's gateway ended with ${child.exitCode}`)
    if (await fetch(url).then(isOpen, () => false)) break
    await sleep(100)
  }
  return {
    url,
    pid: child.pid,
    async stop() {
      child.kill()
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
}

function isOpen(): boolean {
  return true
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address: AddressInfo | string | null = server.address()
  server.close()
  return Address.parse(address).port
}
