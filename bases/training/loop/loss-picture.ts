import { lossCurveSvg } from '../../../core/model/training/loss-curve.ts'
import type { HistoryEntry } from './run-state.ts'

/** The loss over the steps of a run as an SVG picture; each point is the mean since the one before. */
export const lossPicture = (history: readonly HistoryEntry[]): string =>
  lossCurveSvg({ steps: history, validations: [] })
