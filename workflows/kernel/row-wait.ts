import { condition } from '@temporalio/workflow'

/** First and longest time after which rows are looked at without a signal, milliseconds. */
const FIRST_LOOK_MS = 60_000
const LONGEST_LOOK_MS = 15 * 60_000

/** The event that a workflow waits for: an answer to a question, or a worker for an attempt. */
export interface AwaitedRow {
  /** Counts what was waited for before. */
  readonly number: number
  /** Longest duration. */
  readonly waitMs: number
}

/**
 * Waits until rows have changed. The change itself is a row: the signal only says that there is one. A signal that was lost,
 * because the API ended after its commit, costs a minute at first and a quarter of an hour at most.
 */
export class RowWait {
  #isAwake = false
  #number = 0
  #lookMs = FIRST_LOOK_MS

  /** Forgets earlier signals: what they say is read now. */
  begin(): void {
    this.#isAwake = false
  }

  /** Says that rows have changed. */
  wake(): void {
    this.#isAwake = true
  }

  /** Waits until the row may have changed or its time is over. */
  async wait({ number, waitMs }: AwaitedRow): Promise<void> {
    this.#lookMs = number === this.#number ? Math.min(2 * this.#lookMs, LONGEST_LOOK_MS) : FIRST_LOOK_MS
    this.#number = number
    await condition(() => this.#isAwake, Math.min(waitMs, this.#lookMs))
  }
}
