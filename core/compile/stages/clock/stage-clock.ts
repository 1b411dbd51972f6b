import { MODEL_ERRORS } from '../../../model/errors.ts'
import type { WorkStage } from '../../rows/task.ts'
import { startCpuTime } from './cpu-time.ts'
import type { StageCost, StageHooks } from '../stage-types.ts'

/** Measures a stage, reports its progress and ends it when it was cancelled. */
export interface StageClock {
  /** Throws `compile_cancelled` when the caller has cancelled. */
  checkpoint(): void
  /** Reports progress in hundredths of the stage. */
  report(step: string, percent: number): void
  /** Milliseconds since the start: by the clock on the wall, and of the thread's processor. */
  wallMs(): number
  cpuMs(): number
  cost(work: { readonly searchSteps: number; readonly trainingSteps: number }): StageCost
}

/** Starts measuring a stage: wall clock, and processor time of the current thread. */
export function startClock(stage: WorkStage, hooks: StageHooks): StageClock {
  const startedAt = performance.now()
  const cpuMs = startCpuTime()
  return {
    checkpoint() {
      if (hooks.isCancelled?.() === true) throw MODEL_ERRORS.compile_cancelled('the compile was cancelled')
    },
    report(step, percent) {
      hooks.onProgress?.({ stage, step, done: Math.round(percent), total: 100 })
    },
    wallMs: () => performance.now() - startedAt,
    cpuMs,
    cost({ searchSteps, trainingSteps }) {
      return {
        stage,
        status: 'done',
        reason: null,
        wall_ms: Math.round(performance.now() - startedAt),
        cpu_ms: Math.round(cpuMs()),
        search_steps: searchSteps,
        training_steps: trainingSteps,
        provider_tokens: 0,
        cost_usd: 0,
      }
    },
  }
}

/** The cost record of a stage that did not run. */
export function skippedCost(stage: WorkStage, reason: string): StageCost {
  return {
    stage,
    status: 'skipped',
    reason,
    wall_ms: 0,
    cpu_ms: 0,
    search_steps: 0,
    training_steps: 0,
    provider_tokens: 0,
    cost_usd: 0,
  }
}
