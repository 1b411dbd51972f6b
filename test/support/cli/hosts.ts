import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import pLimit from 'p-limit'
import { cacheVariables } from '../stack/caches.ts'

const HOST = fileURLToPath(new URL('host.ts', import.meta.url))
/** Calls at the same time; more would only share the same cores. */
const MOST_HOSTS = 2
/**
 * Milliseconds after which a call that waits for another one gets a process of its own: its start takes as long as dozens of
 * calls, and few of them wait for what another one does.
 */
const PATIENCE_MS = 1000

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
const waiting: ((host: ChildProcess) => void)[] = []

/** Runs a call in a process that serves one call after the other. Throws when that process ends during the call. */
export async function runInHost(call: HostedCall): Promise<HostedRun> {
  return await limit(async () => {
    const host = await takeHost()
    const run = await callHost(host, call)
    const next = waiting.shift()
    if (next === undefined) idle.push(host)
    else next(host)
    return run
  })
}

/** Ends the processes but one, which is warm for the calls of the next test file. */
export async function endSpareHosts(): Promise<void> {
  await Promise.all(idle.splice(1).map(endHost))
}

/** Ends the processes of all calls. */
export async function endHosts(): Promise<void> {
  idle.length = 0
  await Promise.all([...hosts].map(endHost))
}

/** The ids of the processes that run calls. */
export function hostIds(): readonly number[] {
  return [...hosts].flatMap(({ pid }) => pid ?? [])
}

async function takeHost(): Promise<ChildProcess> {
  const host = idle.pop()
  if (host !== undefined) return host
  if (hosts.size === 0) return startHost()
  return await new Promise((resolve) => {
    const take = (free: ChildProcess): void => {
      clearTimeout(timer)
      resolve(free)
    }
    const timer = setTimeout(() => {
      waiting.splice(waiting.indexOf(take), 1)
      resolve(startHost())
    }, PATIENCE_MS)
    waiting.push(take)
  })
}

async function endHost(host: ChildProcess): Promise<void> {
  const ended = once(host, 'exit')
  host.disconnect()
  await ended
}

function startHost(): ChildProcess {
  const host = fork(HOST, {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    env: { PATH: process.env['PATH'], ...cacheVariables() },
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
