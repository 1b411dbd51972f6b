import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** A process that answers each line it is given with one line of JSON. */
export interface LineProcess {
  /** Sends a line and waits for the answer. Throws when the process ends instead. */
  ask(line: string): Promise<unknown>
  end(): Promise<void>
}

/** Starts a program in that manner; what it writes to stderr is kept for the message when it fails. */
export function startLineProcess(
  command: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): LineProcess {
  const child = spawn(command, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...options.env },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  })
  let complaints = ''
  child.stderr.on('data', (data: Buffer) => {
    complaints = (complaints + data.toString()).slice(-4000)
  })
  child.stdin.on('error', () => undefined)
  const exited = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    async ask(line) {
      child.stdin.write(`${line}\n`)
      const { value, done } = await lines.next()
      if (done === true) throw new Error(`${command} ${args[0] ?? ''} ended:\n${complaints}`)
      const answer: unknown = JSON.parse(value)
      return answer
    },
    async end() {
      child.stdin.end()
      await exited
    },
  }
}
