import { softmax } from './logistic-regression.ts'

/** A model's scores for a row outside its fit. */
export interface HeldOutScores {
  readonly scores: Float64Array
  readonly target: number
}

const SHARPEST = 0.02
const FLATTEST = 20
const SEARCH_STEPS = 40
/** Maximum number of probabilities that each search step computes; beyond it, every n-th prediction is sampled. */
const PROBABILITIES = 500_000
/** Cost of a probability and its part of the loss, in multiply-adds. */
const WORK_PER_PROBABILITY = 10

/** Bounds of a fit of a temperature. */
export interface TemperatureBounds {
  /** Share of the usual number of probabilities, above 0 up to 1. */
  readonly share: number
  /** Called before each search step; ends the fit by throwing. */
  readonly checkpoint: () => void
}

/** Returns the work of `fitTemperature`, in multiply-adds. */
export function temperatureWork(predictions: number, labels: number): number {
  return 2 * SEARCH_STEPS * Math.min(PROBABILITIES, predictions * labels) * WORK_PER_PROBABILITY
}

/**
 * The log loss of each prediction against softened targets: with n predictions the right label counts (n + 1) / (n + 2), the
 * others share the rest (Platt 1999). Without that, a few held-back rows that are all right would call for certainty.
 */
export function logLosses(predictions: readonly HeldOutScores[], temperature: number): Float64Array {
  const right = (predictions.length + 1) / (predictions.length + 2)
  return Float64Array.from(predictions, ({ scores, target }) => {
    const probabilities = scores.slice()
    softmax(probabilities, temperature)
    const other = (1 - right) / Math.max(1, probabilities.length - 1)
    let sum = 0
    probabilities.forEach((probability, label) => {
      sum -= (label === target ? right : other) * Math.log(Math.max(1e-12, probability))
    })
    return sum
  })
}

function meanLogLoss(predictions: readonly HeldOutScores[], temperature: number): number {
  return logLosses(predictions, temperature).reduce((sum, loss) => sum + loss, 0) / Math.max(1, predictions.length)
}

/**
 * Returns the temperature with the best fit of held-out probabilities (temperature scaling: Guo et al., ICML 2017):
 * golden section search for the least log loss over the logarithm of the temperature. 1 without predictions.
 */
export function fitTemperature(
  predictions: readonly HeldOutScores[],
  { share, checkpoint }: TemperatureBounds = { share: 1, checkpoint: () => undefined },
): { temperature: number; logLoss: number } {
  const [first] = predictions
  if (first === undefined) return { temperature: 1, logLoss: Infinity }
  const stride = Math.ceil((predictions.length * first.scores.length) / (PROBABILITIES * share))
  const judged = stride <= 1 ? predictions : predictions.filter((_, i) => i % stride === 0)
  const ratio = (Math.sqrt(5) - 1) / 2
  let low = Math.log(SHARPEST)
  let high = Math.log(FLATTEST)
  for (let i = 0; i < SEARCH_STEPS; i++) {
    checkpoint()
    const left = high - ratio * (high - low)
    const right = low + ratio * (high - low)
    if (meanLogLoss(judged, Math.exp(left)) <= meanLogLoss(judged, Math.exp(right))) high = right
    else low = left
  }
  // Rounded so that the recipe is readable and a last-bit difference cannot change its hash.
  const temperature = Number(Math.exp((low + high) / 2).toPrecision(4))
  return { temperature, logLoss: meanLogLoss(judged, temperature) }
}

/** The most probable label of held-out scores and its calibrated probability. */
export function predict({ scores }: HeldOutScores, temperature: number): { label: number; confidence: number } {
  const probabilities = scores.slice()
  softmax(probabilities, temperature)
  let label = 0
  for (let i = 1; i < probabilities.length; i++) if ((probabilities[i] ?? 0) > (probabilities[label] ?? 0)) label = i
  return { label, confidence: probabilities[label] ?? 0 }
}
