import type { ActivityLog } from '../activity-log.ts'
import type { ChoreActivity } from '../chores/chore.ts'

/** Result of reconciling a family, in numbers of rows. */
export interface FamilyReport {
  /** Rows that waited for their turn and were admitted. */
  readonly admitted: number
  /** Outbox requests that were carried out. */
  readonly started: number
  /** Rows whose run was gone and was started again, or that had work due. */
  readonly restarted: number
  /** Rows whose run had ended without ending them. */
  readonly finished: number
  /** Rows and requests that failed; the next tick tries again. */
  readonly failed: number
}

/** Number of concurrent calls to Temporal. */
const PARALLEL = 8

/** Processes items a few at a time and counts the results. A failed item is logged and left to the next tick. */
export class Tally {
  readonly #log: ActivityLog
  readonly #activity: ChoreActivity
  readonly #counts = { admitted: 0, started: 0, restarted: 0, finished: 0, failed: 0 }

  constructor(log: ActivityLog, activity: ChoreActivity) {
    this.#log = log
    this.#activity = activity
  }

  get report(): FamilyReport {
    return { ...this.#counts }
  }

  add(counted: keyof FamilyReport, count: number): void {
    this.#counts[counted] += count
  }

  async each<T>(
    items: readonly T[],
    counted: keyof FamilyReport | null,
    work: (item: T) => Promise<boolean>,
  ): Promise<void> {
    const queue = items.values()
    const worker = async (): Promise<void> => {
      for (const item of queue) {
        if (this.#activity.signal.aborted) return
        try {
          const isDone = await work(item)
          if (isDone && counted !== null) this.add(counted, 1)
        } catch (error) {
          this.add('failed', 1)
          this.#log.warn({ err: error }, 'a row could not be reconciled; the next tick tries again')
        } finally {
          this.#activity.progress()
        }
      }
    }
    await Promise.all(Array.from({ length: Math.min(PARALLEL, items.length) }, worker))
  }
}
