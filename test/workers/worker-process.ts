import { spawn, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { builtFile } from '../../core/kernel/threads/built-file.ts'
import { cacheVariables, workerDataFolder } from '../support/stack/caches.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const MAIN = fileURLToPath(builtFile(new URL('../../workers/main.ts', import.meta.url)))

/** A worker in a process of its own, as it is in production. */
export interface WorkerProcess {
  readonly child: ChildProcess
  /** Everything it has logged so far. */
  output(): string
  /** Ends once it polls for work. Throws when it ends before that. */
  readonly ready: Promise<void>
  readonly ended: Promise<ProcessEnd>
  /** Sends the signal and answers how the process ended. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<ProcessEnd>
}

/** The outcome of a process. */
export interface ProcessEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** Starts a worker process with this environment, and the caches of the tests. */
export function startWorkerProcess(env: Readonly<Record<string, string>>): WorkerProcess {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN], {
    cwd: ROOT,
    env: {
      PATH: process.env['PATH'],
      SVC_DATA_DIR: workerDataFolder(),
      // Each trial of the sandbox takes two seconds of a core.
      SVC_CODE_SANDBOX: 'off',
      ...cacheVariables(),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const lines: string[] = []
  child.stdout?.on('data', (data: Buffer) => lines.push(data.toString()))
  child.stderr?.on('data', (data: Buffer) => lines.push(data.toString()))
  const ended = new Promise<ProcessEnd>((resolve) => {
    child.on('exit', (code, signal) => resolve({ code, signal }))
  })
  const ready = new Promise<void>((resolve, reject) => {
    child.on('message', () => resolve())
    void ended.then(() => reject(new Error(`the worker ended before it was ready:\n${lines.join('')}`)))
  })
  ready.catch(() => undefined)
  return {
    child,
    ready,
    ended,
    output: () => lines.join(''),
    end: async (signal) => {
      child.kill(signal)
      return await ended
    },
  }
}
