import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { identifyProcess, type ProcessIdentity } from '../process/process-identity.ts'
import { letAnswersGoFirst } from '../process/priority.ts'
import { StackError } from '../stack-error.ts'

const FIRST_BACK_OFF_MS = 250
const LONGEST_BACK_OFF_MS = 15_000
/** A child that lived this long starts over with the first back-off. */
const HEALTHY_AFTER_MS = 60_000
/** Ends in a row before the first readiness after which the start has failed. */
const START_ATTEMPTS = 3
/** Exit code of a process whose settings are wrong (EX_CONFIG of sysexits.h): another attempt would end the same way. */
const WRONG_SETTINGS_EXIT = 78
const KEPT_LINES = 30

/** Arguments and environment of a process. */
export interface Launch {
  /** Arguments of Node: the script and its own. */
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
}

/** A process of the service that is kept running. */
export interface ChildOptions {
  readonly name: string
  /** Called before each start. */
  readonly launch: () => Promise<Launch>
  readonly folder: string
  /** True once it does its work; asked again and again after each start. */
  readonly isReady: (messages: readonly unknown[]) => Promise<boolean>
  readonly drainTimeoutMs: number
  /** Whether its work may wait for that of the API. */
  readonly isBehindAnswers?: boolean
  readonly onLine: (line: string) => void
  /** Called with each new process. */
  readonly onStart: (identity: ProcessIdentity) => Promise<void>
  readonly log: (line: string) => void
}

/** A child process that is restarted, with a growing pause, whenever it ends without having been stopped. */
export class SupervisedChild {
  readonly #options: ChildOptions
  #process: ChildProcess | undefined
  #messages: unknown[] = []
  #lastLines: string[] = []
  #endsBeforeReady = 0
  #hasBeenReady = false
  readonly #stopping = new AbortController()
  #loop: Promise<void> = Promise.resolve()

  constructor(options: ChildOptions) {
    this.#options = options
  }

  /**
   * Starts it and waits until it is ready. Throws `StackError`: with its last lines when it keeps ending or takes too
   * long, and at once when it is stopped meanwhile.
   */
  async start(timeoutMs: number): Promise<void> {
    this.#loop = this.#run()
    const deadline = Date.now() + timeoutMs
    while (!(await this.#options.isReady(this.#messages))) {
      const { name } = this.#options
      if (this.#stopping.signal.aborted) throw new StackError('start_failed', `${name} was stopped before it was ready`)
      if (this.#endsBeforeReady >= START_ATTEMPTS) throw this.#failure(`${name} ends whenever it starts`)
      if (Date.now() > deadline) throw this.#failure(`${name} is not ready after ${Math.round(timeoutMs / 1000)} s`)
      await sleep(50)
    }
    this.#hasBeenReady = true
  }

  /** Tells it to drain, waits, and ends it by force when it takes too long. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    const child = this.#process
    if (child !== undefined && child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM')
      const force = setTimeout(() => {
        this.#options.log(`${this.#options.name} does not drain: ending it`)
        child.kill('SIGKILL')
      }, this.#options.drainTimeoutMs)
      await this.#loop
      clearTimeout(force)
    }
    await this.#loop
  }

  async #run(): Promise<void> {
    let backOffMs = FIRST_BACK_OFF_MS
    while (!this.#stopping.signal.aborted) {
      const startedAt = Date.now()
      const ending = await this.#runOnce()
      if (this.#stopping.signal.aborted) return
      this.#endsBeforeReady += this.#process?.exitCode === WRONG_SETTINGS_EXIT ? START_ATTEMPTS : 1
      if (!this.#hasBeenReady && this.#endsBeforeReady >= START_ATTEMPTS) return
      backOffMs = Date.now() - startedAt > HEALTHY_AFTER_MS ? FIRST_BACK_OFF_MS : backOffMs
      this.#options.log(`${this.#options.name} ended (${ending}): starting it again in ${backOffMs} ms`)
      await sleep(backOffMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined)
      backOffMs = Math.min(backOffMs * 2, LONGEST_BACK_OFF_MS)
    }
  }

  async #runOnce(): Promise<string> {
    const { launch, folder, onLine, isBehindAnswers } = this.#options
    const { args, env } = await launch()
    if (this.#stopping.signal.aborted) return 'stopped'
    this.#messages = []
    // A session of its own: Ctrl-C reaches the supervisor alone, which then ends everything in order.
    const child = spawn(process.execPath, args, {
      cwd: folder,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    if (isBehindAnswers === true && child.pid !== undefined) letAnswersGoFirst(child.pid)
    this.#process = child
    const ended = new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(error.message))
      child.once('close', (code, signal) => resolve(signal ?? `exit code ${code}`))
    })
    child.on('message', (message) => this.#messages.push(message))
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue
      createInterface({ input: stream }).on('line', (line) => {
        this.#lastLines = [...this.#lastLines, line].slice(-KEPT_LINES)
        onLine(line)
      })
    }
    const identity = child.pid === undefined ? undefined : await identifyProcess(child.pid)
    if (identity !== undefined) await this.#options.onStart(identity)
    // A stop that came while it was being started found no process to tell.
    if (this.#stopping.signal.aborted) child.kill('SIGTERM')
    return await ended
  }

  #failure(headline: string): StackError {
    const tail = this.#lastLines.slice(-12).map((line) => `    ${line}`)
    return new StackError('start_failed', [`${headline}:`, ...tail].join('\n'))
  }
}
