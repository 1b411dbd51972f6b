import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { builtFile } from '../../../core/kernel/threads/built-file.ts'

const MAIN = fileURLToPath(builtFile(new URL('../../../api/main.ts', import.meta.url)))
const Ready = z.object({ url: z.string() })

/** An API in a process of its own, as it is in production. */
export interface ApiProcess {
  readonly url: string
  readonly child: ChildProcess
  /** Asks it to end; answers its exit code. */
  stop(): Promise<number | null>
}

/** Starts an API process on a free port with this environment, and waits until it listens. */
export async function startApiProcess(env: Readonly<Record<string, string>>): Promise<ApiProcess> {
  const child = spawn(process.execPath, [MAIN], {
    env: { ...process.env, SVC_PORT: '0', SVC_LOG_LEVEL: 'error', ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const ended = once(child, 'exit').then(([code]: readonly (number | null)[]) => code ?? null)
  const [message]: readonly unknown[] = await Promise.race([
    once(child, 'message'),
    ended.then((code) => {
      throw new Error(`the API ended with ${code} before it was ready`)
    }),
  ])
  return {
    url: Ready.parse(message).url,
    child,
    async stop() {
      child.kill('SIGTERM')
      return await ended
    },
  }
}
