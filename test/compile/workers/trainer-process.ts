import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const TRAINER = fileURLToPath(new URL('../../../workers/trainer', import.meta.url))

/** The Python worker in a process of its own. */
export interface TrainerProcess {
  /** Ends once it listens. Throws when it ends before that, with what it said. */
  readonly ready: Promise<void>
  output(): string
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
}

/** Starts the worker with this interpreter, this environment and nothing else of ours. */
export function startTrainer(python: string, env: Readonly<Record<string, string>>): TrainerProcess {
  const child = spawn(python, ['-W', 'ignore', '-m', 'svc_trainer'], {
    cwd: TRAINER,
    env: { PATH: process.env['PATH'], OMP_NUM_THREADS: '1', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const exited = once(child, 'exit')
  let text = ''
  const ready = new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (data: Buffer) => {
      text += data.toString()
      if (text.includes('listening on')) resolve()
    })
    void exited.then(() => reject(new Error(`the trainer ended before it was ready:\n${text}`)))
  })
  ready.catch(() => undefined)
  return {
    ready,
    output: () => text,
    end: async (signal) => {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal)
      await exited
    },
  }
}
