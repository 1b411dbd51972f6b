import type { Sha256 } from '../../../kernel/json/json.ts'
import type { DomainError } from '../../../kernel/errors.ts'
import { MODEL_ERRORS } from '../../errors.ts'
import type { Bucket } from '../../llama/batch.ts'
import type { TrainingEngine } from '../../llama/engine/engine.ts'
import { planEpochs, type PlannedStep } from '../data/batches.ts'
import { sizeOf } from '../data/buckets.ts'
import type { OptimizationSettings } from '../hyperparameters.ts'
import type { ObjectiveSettings } from '../objectives/objective.ts'
import { clippingScale, globalNorm, stepAdamW } from '../optimizer/adamw.ts'
import { learningRateAt } from '../optimizer/schedule.ts'
import type { Unit } from '../rows.ts'
import type { AnswerStep, StepRows } from '../onpolicy/answer-step.ts'
import { gradientStep } from './gradient-step.ts'
import { MOST_LOOKS, onPolicyShare, type FitHistory, type FitProgress } from './history.ts'
import { scoreReference } from './score.ts'
import { openState, saveState, type TrainingState } from './state.ts'
import { createValidation } from './validation.ts'

/** Rows and settings of a training. */
export interface TrainingJob {
  readonly units: readonly Unit[]
  /** Units that early stopping looks at; without any the last values are the result. */
  readonly validation: readonly Unit[]
  readonly objective: ObjectiveSettings
  readonly settings: OptimizationSettings
  /** Chosen from all units. */
  readonly buckets: readonly Bucket[]
  /** Hash of the inputs that determine the outcome; a checkpoint with another hash is refused. */
  readonly job: Sha256
  /** Checkpoint of an interrupted job to resume. */
  readonly checkpoint?: Uint8Array
  /** Of on-policy training: replaces answers of a step by the student's own. */
  readonly answerStep?: AnswerStep
}

/** Callbacks of a job. */
export interface TrainingHooks {
  readonly onStep?: (progress: FitProgress) => void
  /** Called after each step; true requests a checkpoint now. */
  readonly wantsCheckpoint?: (step: number) => boolean
  readonly onCheckpoint?: (bytes: Uint8Array<ArrayBuffer>, step: number) => void
  /** Called between two runs of the graph; throws to end the job, after a last checkpoint. */
  readonly onPause?: () => Promise<void>
}

/** Result of a job. The engine holds the values of `bestStep`. */
export interface TrainingOutcome {
  readonly history: FitHistory
  /** Steps that were done. */
  readonly steps: number
  /** The step whose values are the result. */
  readonly bestStep: number
  readonly stoppedEarly: boolean
  /** Tokens that were trained on, padding not counted; a row counts in every epoch. */
  readonly usefulTokens: number
  readonly tokensPerSecond: number
  /** The share of rows that the student answered itself; null for objectives that are never on-policy. */
  readonly onPolicyShare: number | null
}

/** Row ids that an error names. */
const NAMED_ROWS = 20

/**
 * Trains the engine's values. A job resumed from a checkpoint ends with the same bytes as an uninterrupted one, on one
 * machine with one number of threads. Throws `training_diverged` with the step and the rows of its batch when loss or
 * gradients are not finite, `invalid_checkpoint`, or the errors of `onPause`.
 */
export async function train(
  engine: TrainingEngine,
  job: TrainingJob,
  hooks: TrainingHooks = {},
): Promise<TrainingOutcome> {
  const { settings, units, objective } = job
  const state = openState(engine, job.job, job.checkpoint)
  const epochs = planEpochs(units.map(sizeOf), job.buckets, settings)
  const steps = epochs.flatMap((planned, epoch) => planned.map((step) => ({ step, epoch: epoch + 1 })))
  const isOutOfPatience = (): boolean => settings.patience > 0 && state.looksWithoutGain >= settings.patience
  try {
    const onPause = hooks.onPause ?? (async () => {})
    const scoring = { buckets: job.buckets, onPause, evaluationsPerEpoch: settings.evaluationsPerEpoch }
    const reference = await scoreReference(engine, units, objective, scoring)
    const validation = await createValidation(engine, job.validation, objective, epochs, scoring)
    const { answerStep } = job
    const sum = new Float32Array(settings.accumulation > 1 || answerStep !== undefined ? engine.values.length : 0)
    // The job may have been interrupted between a step and its look.
    if (validation.isDue(state)) await validation.look(state)
    while (state.step < steps.length && !isOutOfPatience()) {
      await onPause()
      const started = performance.now()
      const next = steps[state.step]
      if (next === undefined) break
      const answered = await answerStep?.(state.step + 1, steps.length, next.step)
      if (answered !== undefined && answered.answeredRows > 0) await onPause()
      const own = answered ?? { step: next.step, units }
      const gradient = await gradientStep(engine, own.step, own.units, objective, reference, sum)
      update(engine, state, { ...gradient, ...next, ...own, answered, steps: steps.length }, settings)
      state.pace.add(gradient.usefulTokens, (performance.now() - started) / 1000)
      if (validation.isDue(state)) await validation.look(state)
      hooks.onStep?.(progressOf(state, isOutOfPatience() ? state.step : steps.length))
      if (state.step < steps.length && hooks.wantsCheckpoint?.(state.step) === true) {
        hooks.onCheckpoint?.(saveState(state, engine.values, job.job), state.step)
      }
    }
  } catch (error) {
    const isWorthKeeping = !MODEL_ERRORS.training_diverged.matches(error)
    if (isWorthKeeping) hooks.onCheckpoint?.(saveState(state, engine.values, job.job), state.step)
    throw error
  }
  if (state.best !== null) engine.values.set(state.best.values)
  const { usefulTokens, seconds } = state.pace.total()
  return {
    history: state.history,
    steps: state.step,
    bestStep: state.best?.step ?? state.step,
    stoppedEarly: state.step < steps.length,
    usefulTokens,
    tokensPerSecond: seconds > 0 ? usefulTokens / seconds : 0,
    onPolicyShare: onPolicyShare(state.history),
  }
}

/** Applies the step that `gradients` points to. */
function update(
  engine: TrainingEngine,
  state: TrainingState,
  taken: {
    readonly loss: number
    readonly gradients: Float32Array
    readonly step: PlannedStep
    readonly units: readonly Unit[]
    readonly answered: StepRows | undefined
    readonly epoch: number
    readonly steps: number
  },
  settings: OptimizationSettings,
): void {
  const { loss, gradients, epoch } = taken
  const step = state.step + 1
  const gradientNorm = globalNorm(gradients)
  if (!Number.isFinite(loss) || !Number.isFinite(gradientNorm)) {
    throw diverged({ step, epoch, loss, rowIds: rowIds(taken.step, taken.units) })
  }
  const learningRate = learningRateAt(step, taken.steps, settings)
  const ranges = engine.parameters.map(({ offset, size, shape }) => ({ offset, size, isDecayed: shape.length > 1 }))
  stepAdamW(engine.values, gradients, state.moments, ranges, settings, {
    step,
    learningRate,
    gradientScale: clippingScale(gradientNorm, settings.gradClip),
  })
  state.step = step
  const { answered } = taken
  const counts = answered && { rows: answered.rows, answeredRows: answered.answeredRows }
  state.history.steps.push({ step, epoch, loss, learningRate, gradientNorm, ...counts })
}

function progressOf({ history, pace, step }: TrainingState, steps: number): FitProgress {
  const last = history.steps.at(-1)
  const { tokensPerSecond, secondsPerStep } = pace.recent()
  const share = onPolicyShare(history)
  return {
    step,
    steps,
    epoch: last?.epoch ?? 1,
    loss: last?.loss ?? 0,
    validationLoss: history.validations.at(-1)?.loss ?? null,
    validations: history.validations.slice(-MOST_LOOKS),
    learningRate: last?.learningRate ?? 0,
    ...(share !== null && { onPolicyShare: share }),
    tokensPerSecond,
    etaSeconds: secondsPerStep * (steps - step),
  }
}

function rowIds(step: PlannedStep, units: readonly Unit[]): string[] {
  return step.flatMap((batch) => batch.units.flatMap((index) => units[index]?.id ?? []))
}

function diverged(at: { step: number; epoch: number; loss: number; rowIds: readonly string[] }): DomainError {
  const named = at.rowIds.slice(0, NAMED_ROWS)
  const more = at.rowIds.length > named.length ? ', …' : ''
  const what = Number.isFinite(at.loss) ? 'the gradients are' : 'the loss is'
  return MODEL_ERRORS.training_diverged(
    `${what} no longer finite at step ${at.step}; rows of its batch: ${named.join(', ')}${more}`,
    { details: { step: at.step, epoch: at.epoch, rowIds: named, rows: at.rowIds.length } },
  )
}
