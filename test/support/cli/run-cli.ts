import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { cacheVariables } from '../stack/caches.ts'
import { runInHost } from './hosts.ts'

const MAIN = fileURLToPath(new URL('../../../cli/main.ts', import.meta.url))

/** The outcome of one call of the CLI. */
export interface CliRun {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Where a call of the CLI runs. */
export interface CliOptions {
  readonly profileDir: string
  readonly folder: string
  readonly stdin?: string
  readonly env?: NodeJS.ProcessEnv
}

/**
 * Runs the CLI as a user does, with nothing of this machine's profile or settings, in a process that stays for the next
 * calls of the file: the start of a process takes most of a call's time.
 */
export async function runCli(args: readonly string[], options: CliOptions): Promise<CliRun> {
  const { folder, stdin = '' } = options
  return await runInHost({ args, folder, stdin, env: environmentOf(options) })
}

/** Runs the CLI in a process of its own, for calls that start services or look at what a new process leaves behind. */
export async function runCliProcess(args: readonly string[], options: CliOptions): Promise<CliRun> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: options.folder,
    env: environmentOf(options),
    stdio: 'pipe',
  })
  child.stdin.end(options.stdin ?? '')
  const [stdout, stderr, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('close', resolve)),
  ])
  return { code, stdout, stderr }
}

/** A question of the CLI, and the keys that answer it. */
export interface TypedAnswer {
  readonly after: string
  readonly keys: string
}

/**
 * Runs the CLI on a terminal of its own, in a process of its own, and answers its question. Returns all that the terminal
 * showed, with its control characters.
 */
export async function runCliOnTerminal(
  args: readonly string[],
  options: CliOptions,
  { after, keys }: TypedAnswer,
): Promise<{ readonly code: number | null; readonly text: string }> {
  const command = [process.execPath, MAIN, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    cwd: options.folder,
    env: { ...environmentOf(options), TERM: 'xterm' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let shown = ''
  let isAnswered = false
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    shown += part
    if (isAnswered || !shown.includes(after)) return
    isAnswered = true
    child.stdin.write(keys)
  })
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, text: shown }
}

function environmentOf({ folder, profileDir, env }: CliOptions): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    ...cacheVariables(),
    HOME: folder,
    XDG_CONFIG_HOME: profileDir,
    ...env,
  }
}
