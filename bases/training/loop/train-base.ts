import { createTrainingEngine } from '../../../core/model/llama/engine/training-engine.ts'
import type { Parameter } from '../../../core/model/llama/parameters.ts'
import type { ModelConfig } from '../../../core/model/config/model-config.ts'
import type { Tokenizer } from '../../../core/model/tokenizer/tokenizer.ts'
import { clippingScale, createMoments, globalNorm, stepAdamW } from '../../../core/model/training/optimizer/adamw.ts'
import { initialWeights } from '../../../core/model/training/optimizer/initial-values.ts'
import { learningRateFactor, SETTINGS, type Schedule } from '../settings.ts'
import { isHiddenMatrix, openMuon } from './muon.ts'
import { packStep, type StepShape } from './packed-steps.ts'
import type { HistoryEntry, RunState } from './run-state.ts'

/** Inputs of a training run. */
export interface TrainingRun {
  readonly config: ModelConfig
  readonly tokenizer: Tokenizer
  readonly threads: number
  readonly schedule: Schedule
  readonly shape: StepShape
  /** Fills in a saved state before the first step. */
  readonly restore?: (state: RunState) => void
  /** Called after every `reportEvery` steps and at the end. */
  readonly report: (entry: HistoryEntry, state: RunState, parameters: readonly Parameter[]) => void
  readonly reportEvery: number
}

/** Result of a training run. */
export interface TrainedBase {
  readonly parameters: readonly Parameter[]
  readonly values: Float32Array
  readonly history: readonly HistoryEntry[]
}

const GRADIENT_LIMIT = 1

/** A running mean of the losses since the last report. */
function createMeter(): {
  readonly add: (loss: number, answers: readonly number[]) => void
  readonly take: () => { loss: number; answerLoss: number }
} {
  let [loss, steps, answerLoss, answers] = [0, 0, 0, 0]
  return {
    add: (stepLoss, answerLosses) => {
      loss += stepLoss
      steps++
      for (const each of answerLosses) answerLoss += each
      answers += answerLosses.length
    },
    take: () => {
      const means = { loss: loss / Math.max(1, steps), answerLoss: answerLoss / Math.max(1, answers) }
      ;[loss, steps, answerLoss, answers] = [0, 0, 0, 0]
      return means
    },
  }
}

/**
 * Trains the base from the seed, or from a saved state, and gives back all weights in one array. Throws an Error when
 * the loss is no longer a number.
 */
export async function trainBase(run: TrainingRun): Promise<TrainedBase> {
  const { config, tokenizer, threads, schedule, shape } = run
  const weights = initialWeights(config, SETTINGS.seed)
  const engine = createTrainingEngine({ config, weights, trainable: { mode: 'full' }, threads })
  const { parameters, values, gradients } = engine
  const moments = createMoments(values.length)
  const muon = await openMuon(parameters, values.length, threads)
  const others = parameters
    .filter((parameter) => !isHiddenMatrix(parameter))
    .map(({ offset, size, shape: { length } }) => ({ offset, size, isDecayed: length > 1 }))
  const state: RunState = {
    step: 0,
    tokens: 0,
    seconds: 0,
    history: [],
    arrays: { values, ...moments, momentum: muon.momentum },
  }
  run.restore?.(state)
  const meter = createMeter()
  while (state.step < schedule.steps) {
    const started = performance.now()
    const { batch, tokens } = packStep(tokenizer, SETTINGS.seed, state.step, shape)
    const { loss, scores } = await engine.step(batch)
    if (!Number.isFinite(loss)) throw new Error(`the loss of step ${state.step} is ${loss}`)
    const factor = learningRateFactor(state.step, schedule)
    const { learningRate, ...settings } = SETTINGS.adamw
    stepAdamW(values, gradients, moments, others, settings, {
      step: state.step + 1,
      learningRate: learningRate * factor,
      gradientScale: clippingScale(globalNorm(gradients), GRADIENT_LIMIT),
    })
    await muon.step(values, gradients, { ...SETTINGS.muon, learningRate: SETTINGS.muon.learningRate * factor })
    const heaviest = batch.weights.reduce((a, b) => Math.max(a, b), 0)
    meter.add(
      loss,
      [...scores].filter((_, i) => (batch.weights[i] ?? 0) > 0.99 * heaviest).map((p) => -p),
    )
    state.step++
    state.tokens += tokens
    state.seconds += (performance.now() - started) / 1000
    if (state.step % run.reportEvery === 0 || state.step === schedule.steps) {
      const entry = { step: state.step, ...meter.take(), tokens: state.tokens, seconds: Math.round(state.seconds) }
      state.history = [...state.history, entry]
      run.report(entry, state, parameters)
    }
  }
  await engine.release()
  await muon.release()
  return { parameters, values, history: state.history }
}
