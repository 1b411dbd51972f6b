import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { compileCacheFolder } from '../stack/caches.ts'
import { runInHost } from './hosts.ts'

const MAIN = fileURLToPath(new URL('../../../cli/main.ts', import.meta.url))

/** How one call of the CLI ended. */
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

function environmentOf({ folder, profileDir, env }: CliOptions): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    NODE_COMPILE_CACHE: compileCacheFolder(),
    HOME: folder,
    XDG_CONFIG_HOME: profileDir,
    ...env,
  }
}
