import type { Sha256 } from '../../../kernel/json/json.ts'
import type { TrainingEngine } from '../../llama/engine/engine.ts'
import { createMoments, type Moments } from '../optimizer/adamw.ts'
import { readCheckpoint, writeCheckpoint, type Checkpoint } from './checkpoint.ts'
import type { FitHistory } from './history.ts'
import { createPace, type Pace } from './pace.ts'

/** State that changes from step to step, besides the engine's values. */
export interface TrainingState {
  /** Steps that are done. */
  step: number
  readonly moments: Moments
  best: Checkpoint['best']
  looksWithoutGain: number
  readonly history: FitHistory
  readonly pace: Pace
}

/**
 * Opens the initial state of a job or, with a checkpoint, the saved one, including the engine's values. Throws
 * `invalid_checkpoint`.
 */
export function openState(engine: TrainingEngine, job: Sha256, checkpoint: Uint8Array | undefined): TrainingState {
  const parameters = engine.values.length
  if (checkpoint === undefined) {
    const history: FitHistory = { steps: [], validations: [] }
    const moments = createMoments(parameters)
    return { step: 0, moments, best: null, looksWithoutGain: 0, history, pace: createPace(0, 0) }
  }
  const { values, usefulTokens, trainingSeconds, step, moments, best, looksWithoutGain, history } = readCheckpoint(
    checkpoint,
    job,
    parameters,
  )
  engine.values.set(values)
  return { step, moments, best, looksWithoutGain, history, pace: createPace(usefulTokens, trainingSeconds) }
}

/** The state and the engine's values as a checkpoint. */
export function saveState(state: TrainingState, values: Float32Array, job: Sha256): Uint8Array<ArrayBuffer> {
  const { step, moments, best, looksWithoutGain, history, pace } = state
  const { usefulTokens, seconds: trainingSeconds } = pace.total()
  return writeCheckpoint({
    job,
    step,
    values,
    moments,
    best,
    looksWithoutGain,
    usefulTokens,
    trainingSeconds,
    history,
  })
}
