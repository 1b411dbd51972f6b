import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { compileCacheFolder } from './stack/caches.ts'

const MAIN = fileURLToPath(new URL('../../cli/main.ts', import.meta.url))

/** How one call of the CLI ended. */
export interface CliRun {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs the CLI as a user does: a process of its own, with nothing of this machine's profile or settings. */
export async function runCli(
  args: readonly string[],
  options: {
    readonly profileDir: string
    readonly folder: string
    readonly stdin?: string
    readonly env?: NodeJS.ProcessEnv
  },
): Promise<CliRun> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: options.folder,
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: compileCacheFolder(),
      HOME: options.folder,
      XDG_CONFIG_HOME: options.profileDir,
      ...options.env,
    },
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
