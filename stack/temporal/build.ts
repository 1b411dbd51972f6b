import { execFile } from 'node:child_process'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { errorCode } from '../process/process-identity.ts'

const execute = promisify(execFile)
const BUILD_TIMEOUT_MS = 30 * 60_000
const NOTE_INTERVAL_MS = 30_000

/** Throws an `Error` that says why nothing can be built here, when there is no Go that runs. */
export async function requireGo(): Promise<void> {
  try {
    await execute('go', ['version'], { timeout: 15_000 })
  } catch (error) {
    throw new Error(errorCode(error) === 'ENOENT' ? 'Go is not installed' : 'Go does not run', { cause: error })
  }
}

/**
 * Builds the CLI with the Go that is installed and puts it at `target` in one step. Takes minutes, once. Throws an
 * `Error` that says why it cannot.
 */
export async function buildTemporal(version: string, target: string, log: (line: string) => void): Promise<void> {
  await requireGo()
  const folder = dirname(target)
  const draft = `${folder}.build-${process.pid}`
  const startedAt = Date.now()
  log(`building the Temporal CLI ${version} with Go: about 4 minutes, this once`)
  const notes = setInterval(() => {
    log(`still building the Temporal CLI (${Math.round((Date.now() - startedAt) / 1000)} s)`)
  }, NOTE_INTERVAL_MS)
  try {
    await mkdir(draft, { recursive: true })
    // `env` sets the one variable and leaves the operator's own (proxies, module mirrors) as they are.
    const install = ['go', 'install', `github.com/temporalio/cli/cmd/temporal@v${version}`]
    await execute('env', [`GOBIN=${draft}`, ...install], { timeout: BUILD_TIMEOUT_MS, maxBuffer: 64 * 1024 * 1024 })
    await mkdir(folder, { recursive: true })
    await rename(join(draft, 'temporal'), target)
  } catch (error) {
    const reason = error instanceof Error ? (error.message.trim().split('\n').at(-1) ?? '') : String(error)
    throw new Error(`the build failed: ${reason}`, { cause: error })
  } finally {
    clearInterval(notes)
    await rm(draft, { recursive: true, force: true })
  }
}
