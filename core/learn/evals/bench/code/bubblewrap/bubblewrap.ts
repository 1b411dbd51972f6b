import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { access, constants } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
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
import { seccompFilter } from './seccomp.ts'

const PYTHON_FILES = fileURLToPath(new URL('../python/', import.meta.url))
/** Their folder inside the sandbox. */
const INNER = '/harness'
const DESCRIBE = 'import sys; print(sys.executable); print(sys.base_prefix); print(sys.version.split()[0])'
const DESCRIBE_MS = 20_000
/** Folders that an interpreter and its libraries need, read-only. */
const SYSTEM_FOLDERS = ['/usr', '/lib', '/lib64']
const FILES_BYTES = 64 * 1024 * 1024
/** Most bytes of reports that are read. */
const OUTPUT_BYTES = 64 * 1024
/** As `bubblewrap.py` has them. */
const WORD_BYTES = 48
const LENGTH_DIGITS = 10

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
  const work = ['--size', String(FILES_BYTES), '--tmpfs', '/tmp', '--remount-ro', '/', '--chdir', '/tmp']
  return [
    ...ground,
    ...folders,
    ...files,
    ...work,
    '--seccomp',
    '3',
    python,
    '-I',
    '-S',
    '-B',
    join(INNER, 'bubblewrap.py'),
  ]
}

async function runInside(programs: Programs, { program, timeoutMs, signal }: CodeRun): Promise<CodeVerdict> {
  signal.throwIfAborted()
  const [word, passWord] = [createWord(), createWord()]
  const child = spawn(programs.bwrap, argumentsOf(programs), {
    env: {},
    cwd: '/',
    stdio: ['pipe', 'pipe', 'ignore', 'pipe'],
  })
  const kill = (): void => void child.kill('SIGKILL')
  signal.addEventListener('abort', kill)
  let timer = setTimeout(kill, START_MS)
  let isStarted = false
  let report: CodeReport = { hasPassed: false, failure: null }
  // A program may close its end at any time.
  for (const stream of child.stdio) stream?.on('error', () => undefined)
  try {
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', () => resolve())
      const { stdin, stdout } = child
      const filter = child.stdio[3]
      if (stdin === null || stdout === null) return reject(new Error('bubblewrap has no pipes'))
      const onLine = (line: string): void => {
        if (line === `${word}ready`) {
          isStarted = true
          clearTimeout(timer)
          timer = setTimeout(kill, timeoutMs + GRACE_MS)
          return
        }
        const failed = `${word}failed `
        if (line === `${passWord}passed`) report = { hasPassed: true, failure: null }
        else if (line.startsWith(failed)) report = { hasPassed: false, failure: fromHex(line.slice(failed.length)) }
        else return
        kill()
      }
      readLines(stdout, onLine, kill)
      if (filter !== null && filter !== undefined && 'end' in filter) filter.end(programs.filter)
      stdin.end(requestOf({ program, seconds: timeoutMs / 1000, memory_bytes: PROGRAM_BYTES, word }, passWord))
    })
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', kill)
    kill()
  }
  signal.throwIfAborted()
  if (!isStarted) throw new Error('the sandbox ended before it began the program')
  return verdictOf(report)
}

function fromHex(text: string): string {
  return Buffer.from(text, 'hex').toString()
}

function createWord(): string {
  return randomBytes(WORD_BYTES / 2).toString('hex')
}

/** The request with its length before it and the word that reports `passed` after it, as `bubblewrap.py` reads them. */
function requestOf(request: object, passWord: string): Buffer {
  const body = Buffer.from(JSON.stringify(request))
  return Buffer.concat([Buffer.from(String(body.length).padStart(LENGTH_DIGITS, '0')), body, Buffer.from(passWord)])
}

/** Reads the lines of a sandbox. A program that finds the descriptor may write without end: after `OUTPUT_BYTES` no more is read. */
function readLines(stream: Readable, onLine: (line: string) => void, onOverflow: () => void): void {
  let bytes = 0
  let rest = ''
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > OUTPUT_BYTES) {
      stream.destroy()
      return onOverflow()
    }
    const lines = (rest + chunk.toString('latin1')).split('\n')
    rest = lines.pop() ?? ''
    lines.forEach(onLine)
  })
}
