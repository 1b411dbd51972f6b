import { condition } from '@temporalio/workflow'
import type { OpenQuestion } from '../../../activities/compile/compile/results.ts'

/** First and longest time after which an open question is looked at without a signal, milliseconds. */
const FIRST_LOOK_MS = 60_000
const LONGEST_LOOK_MS = 15 * 60_000

/**
 * Waits for answers. The answer itself is a row: the signal only says that there is one. A signal that was lost, because
 * the API ended after its commit, costs a minute at first and a quarter of an hour at most.
 */
export class AnswerWait {
  #isAwake = false
  #number = 0
  #lookMs = FIRST_LOOK_MS

  /** Forgets earlier signals: what they say is read now. */
  begin(): void {
    this.#isAwake = false
  }

  /** Says that an answer was stored. */
  wake(): void {
    this.#isAwake = true
  }

  /** Waits until the question may have an answer or its time is over. */
  async wait({ number, waitMs }: OpenQuestion): Promise<void> {
    this.#lookMs = number === this.#number ? Math.min(2 * this.#lookMs, LONGEST_LOOK_MS) : FIRST_LOOK_MS
    this.#number = number
    await condition(() => this.#isAwake, Math.min(waitMs, this.#lookMs))
  }
}
