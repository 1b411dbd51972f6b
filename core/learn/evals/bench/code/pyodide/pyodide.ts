import { fork, type ChildProcess } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { access, mkdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import {
  GRACE_MS,
  PROGRAM_BYTES,
  START_MS,
  verdictOf,
  type CodeReport,
  type CodeRun,
  type CodeSandbox,
  type CodeVerdict,
} from '../sandbox.ts'
import type { ChildMessage, ChildTask, ProgramMessage } from './child.ts'

const CHILD = fileURLToPath(new URL('./child.ts', import.meta.url))
const PYTHON = fileURLToPath(new URL('../python/', import.meta.url))
const HEAP_MB = 160
const Package = z.object({ version: z.string() })

/** Files of an interpreter. */
interface Files {
  /** Folder of the package. */
  readonly folder: string
  /** The state of an interpreter that has just started: from it a new one is there in a tenth of the time. */
  readonly snapshot: string
}

/**
 * Opens the sandbox that runs each program in a Pyodide interpreter of its own, in a child process under Node's permission model:
 * it may read Pyodide's files, start nothing and write nowhere, and JavaScript is out of the program's reach. `cacheFolder` keeps
 * the snapshot, which is made where there is none.
 */
export async function openPyodide(cacheFolder: string): Promise<CodeSandbox> {
  const folder = dirname(fileURLToPath(import.meta.resolve('pyodide')))
  const { version } = Package.parse(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')))
  const digest = createHash('sha256').update(await readFile(CHILD))
  const name = `pyodide-${version}-${process.version}-${digest.digest('hex').slice(0, 16)}.snapshot`
  const files = { folder, snapshot: join(cacheFolder, name) }
  await access(files.snapshot).catch(async () => await makeSnapshot(files))
  return { name: 'pyodide', version: `Pyodide ${version}`, run: async (run) => await runInChild(files, run) }
}

async function makeSnapshot({ folder, snapshot }: Files): Promise<void> {
  await mkdir(dirname(snapshot), { recursive: true })
  const making = `${snapshot}.${randomUUID()}`
  const child = start('make', { folder, snapshot: making }, [`--allow-fs-write=${making}`])
  const timer = setTimeout(() => child.kill('SIGKILL'), START_MS)
  try {
    const [code] = z.tuple([z.number().nullable(), z.string().nullable()]).parse(await once(child, 'exit'))
    if (code !== 0) throw new Error('Pyodide wrote no snapshot')
    await rename(making, snapshot)
  } finally {
    clearTimeout(timer)
    await rm(making, { force: true })
  }
}

function start(task: ChildTask, { folder, snapshot }: Files, more: readonly string[] = []): ChildProcess {
  const reads = [`${folder}/`, CHILD, PYTHON, snapshot].map((path) => `--allow-fs-read=${path}`)
  return fork(CHILD, [task, folder, PYTHON, snapshot, String(PROGRAM_BYTES)], {
    execArgv: [
      '--permission',
      ...reads,
      ...more,
      '--disallow-code-generation-from-strings',
      '--no-wasm-tier-up',
      '--disable-warning=ExperimentalWarning',
      `--max-old-space-size=${HEAP_MB}`,
    ],
    env: {},
    serialization: 'json',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
}

async function runInChild(files: Files, { program, timeoutMs, signal }: CodeRun): Promise<CodeVerdict> {
  signal.throwIfAborted()
  const child = start('run', files)
  const kill = (): void => void child.kill('SIGKILL')
  signal.addEventListener('abort', kill)
  let timer = setTimeout(kill, START_MS)
  let isReady = false
  let report: CodeReport = { hasPassed: false, failure: null }
  child.on('message', (message: ChildMessage) => {
    if (message.type === 'report') {
      report = message.report
      return kill()
    }
    isReady = true
    clearTimeout(timer)
    timer = setTimeout(kill, timeoutMs + GRACE_MS)
    child.send({ program, timeoutMs } satisfies ProgramMessage, (error) => (error === null ? undefined : kill()))
  })
  try {
    await once(child, 'exit')
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', kill)
  }
  signal.throwIfAborted()
  if (!isReady) throw new Error('Pyodide did not start')
  return verdictOf(report)
}
