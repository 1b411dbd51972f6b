import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import pLimit from 'p-limit'
import { compileCacheFolder } from '../stack/caches.ts'

const HOST = fileURLToPath(new URL('host.ts', import.meta.url))
/** Calls of one test file at the same time; more would only share the same cores. */
const MOST_HOSTS = 2

/** A call of the CLI, as a host receives it. */
export interface HostedCall {
  readonly args: readonly string[]
  /** Its working folder. */
  readonly folder: string
  readonly stdin: string
  /** Its whole environment. */
  readonly env: NodeJS.ProcessEnv
}

/** The outcome of a hosted call. */
export interface HostedRun {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const limit = pLimit(MOST_HOSTS)
const hosts = new Set<ChildProcess>()
const idle: ChildProcess[] = []

/** Runs a call in a process that serves one call after the other. Throws when that process ends during the call. */
export async function runInHost(call: HostedCall): Promise<HostedRun> {
  return await limit(async () => {
    const host = idle.pop() ?? startHost()
    const run = await callHost(host, call)
    idle.push(host)
    return run
  })
}

/** Ends the processes of the calls that a test file made. */
export async function endHosts(): Promise<void> {
  idle.length = 0
  const ending = [...hosts].map(async (host) => {
    const ended = once(host, 'exit')
    host.disconnect()
    await ended
  })
  await Promise.all(ending)
}

function startHost(): ChildProcess {
  const host = fork(HOST, {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: compileCacheFolder() },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  hosts.add(host)
  host.once('exit', () => hosts.delete(host))
  return host
}

async function callHost(host: ChildProcess, call: HostedCall): Promise<HostedRun> {
  const { promise, resolve, reject } = Promise.withResolvers<HostedRun>()
  const onExit = (code: number | null, signal: string | null): void =>
    reject(new Error(`svc ${call.args.join(' ')} ended its process: ${code ?? signal}`))
  host.once('exit', onExit)
  host.once('message', (run: HostedRun) => resolve(run))
  host.send(call)
  try {
    return await promise
  } finally {
    host.off('exit', onExit)
  }
}
