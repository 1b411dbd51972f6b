import { spawn } from 'node:child_process'
import { open, stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode, identifyProcess, type ProcessIdentity } from './process-identity.ts'
import { letAnswersGoFirst } from './priority.ts'
import { StackError } from '../stack-error.ts'

/** A log larger than this is emptied before the next start. */
const LOG_LIMIT_BYTES = 20 * 1024 * 1024

/** The command that starts a server of the stack. */
export interface ServerCommand {
  /** The name for people. */
  readonly name: string
  readonly file: string
  readonly args: readonly string[]
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  readonly account?: { readonly uid: number; readonly gid: number }
  readonly logPath: string
  /** Whether its work may wait for that of the API. */
  readonly isBehindAnswers?: boolean
}

/** A server process that was started and may not answer yet. */
export interface ServerProcess {
  readonly identity: ProcessIdentity
  /** True once it has ended. */
  hasEnded(): boolean
  /** Returns the lines of its log since this start. */
  readLog(): Promise<string>
}

/**
 * Starts a server in a session of its own, with its output in a file: Ctrl-C in a terminal does not reach it, and it
 * outlives the process that started it. Throws `StackError` when it cannot be executed or ends at once.
 */
export async function spawnServer(command: ServerCommand): Promise<ServerProcess> {
  const log = await open(command.logPath, 'a', 0o600)
  try {
    if ((await log.stat()).size > LOG_LIMIT_BYTES) await log.truncate()
    const logStart = (await log.stat()).size
    const child = spawn(command.file, command.args, {
      cwd: command.folder,
      env: command.env,
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
      ...(command.account !== undefined && { uid: command.account.uid, gid: command.account.gid }),
    })
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve)
      child.once('error', (error) => reject(describeSpawnError(command, error)))
    })
    child.unref()
    if (command.isBehindAnswers === true && child.pid !== undefined) letAnswersGoFirst(child.pid)
    const readLog = () => readFrom(command.logPath, logStart)
    const identity = child.pid === undefined ? undefined : await identifyProcess(child.pid)
    if (identity === undefined) {
      await sleep(50)
      throw new StackError('start_failed', `${command.name} ended at once.\n${tailOf(await readLog())}`)
    }
    return { identity, hasEnded: () => child.exitCode !== null || child.signalCode !== null, readLog }
  } finally {
    await log.close()
  }
}

/** The last lines of a log, indented for an error message. */
export function tailOf(log: string, lines = 12): string {
  return log
    .trimEnd()
    .split('\n')
    .slice(-lines)
    .map((line) => `    ${line}`)
    .join('\n')
}

/** The text of a file from a position on; nothing when the file is absent. */
async function readFrom(path: string, start: number): Promise<string> {
  if ((await stat(path).catch(() => undefined)) === undefined) return ''
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const length = Math.min(Math.max(size - start, 0), 256 * 1024)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}

function describeSpawnError(command: ServerCommand, error: Error): StackError {
  const code = errorCode(error)
  if (code === 'EACCES' || code === 'ENOEXEC') {
    return new StackError('not_executable', `${command.name} cannot be executed: ${command.file} (${code})`, error)
  }
  return new StackError('start_failed', `${command.name} cannot be started: ${error.message}`, error)
}
