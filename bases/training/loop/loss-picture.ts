import { lossCurveSvg } from '../../../core/model/training/loss-curve.ts'
import { learningRateFactor, SETTINGS, type Schedule } from '../settings.ts'
import type { HistoryEntry } from './run-state.ts'

/** The loss over the steps of a run as an SVG picture; each point is the mean since the one before. */
export const lossPicture = (history: readonly HistoryEntry[], schedule: Schedule): string =>
  lossCurveSvg({
    steps: history.map(({ step, loss }) => ({
      step,
      epoch: 1,
      loss,
      learningRate: SETTINGS.muon.learningRate * learningRateFactor(step, schedule),
      gradientNorm: 0,
    })),
    validations: [],
  })
