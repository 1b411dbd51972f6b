import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { access, constants } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import {
  GRACE_MS,
  PROGRAM_BYTES,
  START_MS,
  verdictOf,
  type CodeRun,
  type CodeSandbox,
  type CodeVerdict,
} from '../sandbox.ts'
import { seccompFilter } from './seccomp.ts'

const PYTHON_FILES = fileURLToPath(new URL('../python/', import.meta.url))
/** Where they are inside of the sandbox. */
const INNER = '/harness'
const DESCRIBE = 'import sys; print(sys.executable); print(sys.base_prefix); print(sys.version.split()[0])'
const DESCRIBE_MS = 20_000
/** Folders that an interpreter and its libraries need, read-only. */
const SYSTEM_FOLDERS = ['/usr', '/lib', '/lib64']
const FILES_BYTES = 64 * 1024 * 1024

/** The programs of the sandbox. */
interface Programs {
  readonly bwrap: string
  readonly python: string
  readonly prefix: string
  readonly filter: Buffer<ArrayBuffer>
}

/**
 * Opens the sandbox that runs each program with the system's Python in namespaces of its own: no network, no process but
 * its own, no file but the interpreter's and an empty folder. Null where bubblewrap or Python is not installed.
 */
export async function openBubblewrap(searchPath: string): Promise<CodeSandbox | null> {
  const filter = process.platform === 'linux' ? seccompFilter(process.arch) : null
  const bwrap = await findExecutable('bwrap', searchPath)
  const found = await findExecutable('python3', searchPath)
  if (filter === null || bwrap === null || found === null) return null
  const described = await promisify(execFile)(found, ['-I', '-S', '-c', DESCRIBE], { timeout: DESCRIBE_MS }).catch(
    () => null,
  )
  const [python, prefix, version] = described?.stdout.split('\n') ?? []
  if (python === undefined || prefix === undefined || version === undefined) return null
  const programs = { bwrap, python, prefix, filter }
  return { name: 'bubblewrap', version: `Python ${version}`, run: async (run) => await runInside(programs, run) }
}

async function findExecutable(name: string, searchPath: string): Promise<string | null> {
  for (const folder of searchPath.split(delimiter).filter(isAbsolute)) {
    const path = join(folder, name)
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (isThere) return path
  }
  return null
}

function argumentsOf({ python, prefix }: Programs): readonly string[] {
  const ground = ['--unshare-all', '--die-with-parent', '--new-session', '--clearenv', '--cap-drop', 'ALL']
  const folders = SYSTEM_FOLDERS.flatMap((folder) => ['--ro-bind-try', folder, folder])
  const files = ['--ro-bind', prefix, prefix, '--ro-bind', PYTHON_FILES, INNER]
  const work = ['--size', String(FILES_BYTES), '--tmpfs', '/tmp', '--chdir', '/tmp', '--seccomp', '3']
  return [...ground, ...folders, ...files, ...work, python, '-I', '-S', '-B', join(INNER, 'bubblewrap.py')]
}

async function runInside(programs: Programs, { program, timeoutMs, signal }: CodeRun): Promise<CodeVerdict> {
  signal.throwIfAborted()
  const word = randomBytes(24).toString('hex')
  const child = spawn(programs.bwrap, argumentsOf(programs), {
    env: {},
    cwd: '/',
    stdio: ['pipe', 'pipe', 'ignore', 'pipe'],
  })
  const kill = (): void => void child.kill('SIGKILL')
  signal.addEventListener('abort', kill)
  const timer = setTimeout(kill, timeoutMs + GRACE_MS + START_MS / 20)
  let isStarted = false
  let verdict: string | null = null
  // A program may close its end at any time.
  for (const stream of child.stdio) stream?.on('error', () => undefined)
  try {
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', () => resolve())
      const { stdin, stdout } = child
      const filter = child.stdio[3]
      if (stdin === null || stdout === null) return reject(new Error('bubblewrap has no pipes'))
      createInterface({ input: stdout }).on('line', (line) => {
        const [first, second = ''] = line.split(' ')
        if (first !== word) return
        if (second === 'ready') {
          isStarted = true
          return
        }
        verdict ??= second === 'passed' ? 'passed' : Buffer.from(second, 'hex').toString()
        kill()
      })
      if (filter !== null && filter !== undefined && 'end' in filter) filter.end(programs.filter)
      const request = { program, seconds: timeoutMs / 1000, memory_bytes: PROGRAM_BYTES, word }
      stdin.end(`${JSON.stringify(request)}\n`)
    })
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', kill)
    kill()
  }
  signal.throwIfAborted()
  if (!isStarted) throw new Error('the sandbox ended before it began the program')
  return verdictOf(verdict)
}
