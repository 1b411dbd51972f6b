import { isErrorCode } from '../../../../core/compile/errors.ts'
import type { FitProgress } from '../../../../core/model/training/loop/history.ts'
import { reportTraining } from '../../../../db/compile/progress/training/report-training.ts'
import { signalFitProgress } from '../../../../temporal/compile-progress.ts'
import { codeOfError } from '../../../kernel/failures.ts'
import { operationOf, type CompileDeps } from '../deps.ts'
import type { JobRef } from '../results.ts'

/** Minimum milliseconds between two events of one fit, and the approximate maximum number of events. */
const EVENT_EVERY_MS = 2000
const MOST_EVENTS = 300
/** Signals stay in the workflow's history for good, so few are sent. */
const SIGNAL_EVERY_MS = 10_000
const MOST_SIGNALS = 40

/** Reports the progress of a fit: `metric` events for the job's stream and occasional signals to its workflow. */
export interface ProgressTeller {
  tell(progress: FitProgress): void
  /** Resolves when all reports under way are done. */
  settle(): Promise<void>
}

/** Makes a reporter for one fit of a job. Calls `onOver` when the job turns out to be over. */
export function createProgressTeller(
  deps: Pick<CompileDeps, 'db' | 'temporal' | 'now'>,
  ref: JobRef,
  onOver: () => void,
): ProgressTeller {
  const event = throttle(EVENT_EVERY_MS, MOST_EVENTS)
  let lookedAt = -1
  let looksLeft = MOST_EVENTS
  const signal = throttle(SIGNAL_EVERY_MS, MOST_SIGNALS)
  const underWay = new Set<Promise<void>>()
  let reported: Promise<void> = Promise.resolve()
  const begin = (work: Promise<void>): Promise<void> => {
    const task = work
      .catch((error: unknown) => {
        const code = codeOfError(error, isErrorCode)
        if (code === 'compile_cancelled' || code === 'already_finished') onOver()
        // Any other failure costs one line of progress; the fit continues.
      })
      .finally(() => underWay.delete(task))
    underWay.add(task)
    return task
  }
  return {
    tell(progress) {
      const fraction = progress.steps > 0 ? progress.step / progress.steps : 0
      const { validations = [], ...figures } = progress
      const checkpoints = validations.filter(({ step }) => step > lookedAt)
      const isDue = event(progress)
      // A look is reported with its step, however soon it comes; those beyond the bound with the next event.
      if (isDue || (checkpoints.length > 0 && looksLeft-- > 0)) {
        lookedAt = checkpoints.at(-1)?.step ?? lookedAt
        const report = { jobId: ref.jobId, fraction, progress: { ...figures, checkpoints }, now: deps.now() }
        // One after the other: of two at once the later step could be the earlier event.
        reported = begin(reported.then(async () => await reportTraining(operationOf(deps, ref), report)))
      }
      if (signal(progress)) void begin(signalFitProgress(deps.temporal, ref.jobId, signalOf(progress)))
    },
    async settle() {
      while (underWay.size > 0) await Promise.all(underWay)
    },
  }
}

function signalOf({ step, steps, loss, validationLoss, tokensPerSecond, etaSeconds }: FitProgress) {
  return { step, steps, loss, validationLoss, tokensPerSecond, etaSeconds }
}

/** Returns true at the first and the last step and about `most` times in between. */
function throttle(everyMs: number, most: number): (progress: FitProgress) => boolean {
  let toldAt = -Infinity
  let left = most
  return ({ step, steps, etaSeconds }) => {
    const now = performance.now()
    const spacingMs = Math.max(everyMs, (etaSeconds * 1000) / Math.max(1, left))
    if (left <= 0 || (now - toldAt < spacingMs && step !== steps)) return false
    toldAt = now
    left--
    return true
  }
}
