import { setTimeout as sleep } from 'node:timers/promises'
import type { NewCapture } from '../../../../core/gateway/captures/capture.ts'
import { DomainError, KERNEL_ERRORS } from '../../../../core/kernel/errors.ts'
import { failureCode } from '../../../kernel/faults/failures.ts'
import { groupsOf } from './group.ts'
import type { Spill, SpillFile } from './spill.ts'

/**
 * Pause between two commits: each costs this process and the database as much as some ten captures. It is four times as long as
 * the last commit took, within bounds: on a busy machine, where commits take longer, each then holds more captures.
 */
const LEAST_PAUSE_MS = 50
const PAUSE_PER_COMMIT = 4
const MOST_PAUSE_MS = 250
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5000
/** Interval at which folders of dead processes are looked for. */
const LOOK_MS = 10_000

/** Reports of the drain. */
export interface DrainReports {
  /** The database cannot be reached, or is again. */
  readonly onAway: (isAway: boolean, error: unknown) => void
  /** A capture that the database refuses; it is dropped, since it would hold up all others. */
  readonly onRefused: (capture: NewCapture, error: unknown) => void
  readonly onTorn: (bytes: number) => void
}

/** Commits what the spill holds, in the background, until it is closed. */
export class Drain {
  readonly #spill: Spill
  readonly #commit: (captures: readonly NewCapture[]) => Promise<void>
  readonly #reports: DrainReports
  readonly #stop = new AbortController()
  #files: SpillFile[] = []
  #lookAt = 0
  #isAway = false
  readonly #running: Promise<void>

  constructor(spill: Spill, commit: (captures: readonly NewCapture[]) => Promise<void>, reports: DrainReports) {
    this.#spill = spill
    this.#commit = commit
    this.#reports = reports
    this.#running = this.#run()
  }

  /** Commits what there is when the database answers, and ends. */
  async close(): Promise<void> {
    this.#stop.abort()
    await this.#running
    await this.#once().catch((error: unknown) => this.#reports.onAway(true, error))
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    let pauseMs = FIRST_PAUSE_MS
    while (!signal.aborted) {
      try {
        const startedAt = performance.now()
        await this.#once()
        if (this.#isAway) this.#reports.onAway(false, undefined)
        this.#isAway = false
        pauseMs = FIRST_PAUSE_MS
        await sleep(pauseAfter(performance.now() - startedAt), undefined, { signal, ref: false }).catch(() => undefined)
      } catch (error) {
        if (!this.#isAway) this.#reports.onAway(true, error)
        this.#isAway = true
        await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => undefined)
        pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
      }
    }
  }

  /** Commits all files that are there. A file that cannot be committed now stays the first. */
  async #once(): Promise<void> {
    if (this.#files.length === 0) this.#files.push(...(await this.#spill.takeFiles()))
    if (performance.now() >= this.#lookAt) {
      this.#lookAt = performance.now() + LOOK_MS
      this.#files.push(...(await this.#spill.takeLeft()))
    }
    for (let [file] = this.#files; file !== undefined; [file] = this.#files) {
      const { captures, tornBytes } = await file.read()
      if (tornBytes > 0) this.#reports.onTorn(tornBytes)
      for (const group of groupsOf(captures)) await this.#commitAll(group)
      await file.done()
      this.#files.shift()
    }
  }

  /** A group that the database refuses is halved until the capture is found that it does not take. */
  async #commitAll(group: readonly NewCapture[]): Promise<void> {
    try {
      await this.#commit(group)
    } catch (error) {
      if (isPassing(error)) throw error
      const [only] = group
      if (group.length === 1 && only !== undefined) return this.#reports.onRefused(only, error)
      const half = Math.ceil(group.length / 2)
      await this.#commitAll(group.slice(0, half))
      await this.#commitAll(group.slice(half))
    }
  }
}

function pauseAfter(commitMs: number): number {
  return Math.min(MOST_PAUSE_MS, Math.max(LEAST_PAUSE_MS, PAUSE_PER_COMMIT * commitMs))
}

/** SQLSTATE classes of a value that a table does not take: data, constraints, limits of the program. */
const OF_VALUES = /^(?:22|23|54)/

/** Returns false for a failure that repeating cannot mend: of the capture itself. */
function isPassing(error: unknown): boolean {
  if (error instanceof DomainError) return !KERNEL_ERRORS.validation_failed.matches(error)
  const code = failureCode(error)
  return code !== '' && !OF_VALUES.test(code)
}
