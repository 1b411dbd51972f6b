import { mean, standardDeviation, standardError } from '../../../kernel/statistics/means.ts'
import { createPythonRandom } from '../../../kernel/statistics/python-random.ts'
import type { CorpusMetricName } from './metric-names.ts'
import type { MetricValue } from './score-row.ts'
import type { Aggregation } from './task-metrics.ts'

/** A figure over all rows of a task. */
export interface Figure {
  readonly value: number
  /** Standard error as lm-evaluation-harness 0.4.13 gives it; null where it gives none. */
  readonly stderr: number | null
}

const CHUNKS = 100
const CHUNK = 1000
/** Values that are drawn for one bootstrapped error at most: beyond them it would take minutes. */
const MOST_DRAWS = 400_000_000

/** Aggregates the values of a metric over the rows (`lm_eval/api/metrics.py`); those of a corpus are aggregated by `corpusFigure`. */
export function aggregate(aggregation: Exclude<Aggregation, CorpusMetricName>, values: readonly MetricValue[]): Figure {
  const numbers = values.filter((value) => typeof value === 'number')
  switch (aggregation) {
    case 'mean':
      return { value: mean(numbers), stderr: orNull(standardError(numbers)) }
    case 'median':
      return bootstrapped(
        numbers,
        (sample) => sample.toSorted((a, b) => a - b)[Math.floor(sample.length / 2)] ?? Number.NaN,
      )
    case 'perplexity':
      return bootstrapped(numbers, (sample) => Math.exp(-mean(sample)))
    case 'weighted_perplexity':
      return { value: Math.exp(-weightedMean(pairsOf(values))), stderr: null }
    case 'bits_per_byte':
      return { value: -weightedMean(pairsOf(values)) / Math.LN2, stderr: null }
    case 'f1':
      return bootstrapped(pairsOf(values), binaryF1)
    case 'matthews_corrcoef':
      return bootstrapped(pairsOf(values), matthews)
    case 'brier_score':
      return { value: mean(values.flatMap(brierOf)), stderr: null }
  }
}

function orNull(value: number): number | null {
  return Number.isFinite(value) ? value : null
}

type Pair = readonly [number, number]

function pairsOf(values: readonly MetricValue[]): readonly Pair[] {
  return values.flatMap((value): readonly Pair[] => {
    if (typeof value === 'number') return []
    const [first, second] = value
    return typeof second === 'number' ? [[first, second]] : []
  })
}

function weightedMean(pairs: readonly Pair[]): number {
  let sum = 0
  let weights = 0
  for (const [value, weight] of pairs) {
    sum += value
    weights += weight
  }
  return sum / weights
}

/** F1 of the class 1. */
function binaryF1(pairs: readonly Pair[]): number {
  let [both, either] = [0, 0]
  for (const [gold, chosen] of pairs) {
    both += gold === 1 && chosen === 1 ? 2 : 0
    either += Number(gold === 1) + Number(chosen === 1)
  }
  return either === 0 ? 0 : both / either
}

/** Matthews' correlation for any number of classes (Gorodkin, Comput. Biol. Chem. 28, 2004). */
function matthews(pairs: readonly Pair[]): number {
  const golds = new Map<number, number>()
  const chosen = new Map<number, number>()
  let right = 0
  for (const [gold, choice] of pairs) {
    golds.set(gold, (golds.get(gold) ?? 0) + 1)
    chosen.set(choice, (chosen.get(choice) ?? 0) + 1)
    right += Number(gold === choice)
  }
  const n = pairs.length
  let [cross, ofGold, ofChosen] = [0, 0, 0]
  for (const [label, count] of golds) {
    cross += count * (chosen.get(label) ?? 0)
    ofGold += count * count
  }
  for (const count of chosen.values()) ofChosen += count * count
  const scale = Math.sqrt((n * n - ofGold) * (n * n - ofChosen))
  return scale === 0 ? 0 : (right * n - cross) / scale
}

function brierOf(value: MetricValue): readonly number[] {
  if (typeof value === 'number') return []
  const [gold, probabilities] = value
  if (typeof probabilities === 'number') return []
  return [probabilities.reduce((sum, each, place) => sum + (each - Number(place === gold)) ** 2, 0)]
}

/** The deviation of 100,000 resamples, each thousand with the generator of its number, as lm-evaluation-harness draws them. */
function bootstrapped<T>(values: readonly T[], figure: (sample: readonly T[]) => number): Figure {
  const value = figure(values)
  if (values.length < 2 || values.length * CHUNKS * CHUNK > MOST_DRAWS) return { value, stderr: null }
  const drawn: number[] = []
  const sample = [...values]
  for (let chunk = 0; chunk < CHUNKS; chunk++) {
    const random = createPythonRandom(chunk)
    for (let i = 0; i < CHUNK; i++) {
      for (let place = 0; place < sample.length; place++) {
        const each = values[Math.floor(random.random() * values.length)]
        if (each !== undefined) sample[place] = each
      }
      drawn.push(figure(sample))
    }
  }
  return { value, stderr: orNull(standardDeviation(drawn)) }
}
