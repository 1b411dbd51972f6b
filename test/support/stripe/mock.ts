import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Stripe's own mock of its interface, checked against its OpenAPI document; undefined where it is not installed. */
export function findStripeMock(): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...goFolders()]
  return folders.map((folder) => join(folder, 'stripe-mock')).find(isExecutable)
}

function goFolders(): readonly string[] {
  try {
    const [bin = '', path = ''] = execFileSync('go', ['env', 'GOBIN', 'GOPATH'], { encoding: 'utf8' }).split('\n')
    return [bin, path === '' ? '' : join(path, 'bin')].filter((folder) => folder !== '')
  } catch {
    const home = process.env['HOME']
    return home === undefined ? [] : [join(home, 'go', 'bin')]
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** A stripe-mock that runs. */
export interface StripeMock {
  readonly url: string
  stop(): Promise<void>
}

/** Starts it on a free port and waits until it answers. */
export async function startStripeMock(binary: string): Promise<StripeMock> {
  const port = await freePort()
  const child = spawn(binary, ['-http-port', String(port)], { stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  const stop = (): Promise<void> => ended(child)
  for (let attempt = 0; attempt < 200; attempt++) {
    const isUp = await fetch(`${url}/v1/balance`, { headers: { authorization: 'Bearer sk_test_123' } }).then(
      (answer) => answer.ok,
      () => false,
    )
    if (isUp) return { url, stop }
    if (child.exitCode !== null) break
    await sleep(100)
  }
  await stop()
  throw new Error('stripe-mock did not come up')
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.kill('SIGKILL')
  await exit
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
