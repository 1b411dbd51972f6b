import { fitTemperature } from '../../../model/classifier/calibration.ts'
import {
  fitLogisticRegression,
  scoreRow,
  softmax,
  type FitSettings,
} from '../../../model/classifier/logistic-regression.ts'
import { buildSparseRows } from '../../../model/classifier/sparse-rows.ts'
import { MOST_NAMED, type LabelNoise, type SuspectLabel } from './quality-report.ts'

const FOLDS = 5
/** Rows of which a label must have so many, or its probabilities mean nothing. */
const LEAST_PER_LABEL = 5
const FEATURES = { wordGrams: 2, charGrams: [3, 4] } as const
const FIT: FitSettings = {
  epochs: 12,
  enoughSteps: 60_000,
  leastEpochs: 2,
  inverseStrength: 30,
  workLimit: 2e8,
  seed: 20_260_101,
}
const MAX_COLUMNS = 20_000
const MAX_CHARS = 1_500_000
const METHOD = 'confident learning (Northcutt et al. 2021), 5 folds of groups, n-grams with logistic regression'

/** A row with its label. */
export interface LabelledText {
  readonly id: string
  readonly text: string
  readonly label: number
  /** Rows of a group are in one fold. */
  readonly group: number
}

/** Wrong labels of rows: how many are estimated, and all rows that count against their label, most suspect first. */
export interface SuspectLabels {
  readonly estimated: number
  readonly suspects: readonly SuspectLabel[]
}

/** Estimates wrong labels as `findSuspects` does, for a report, which names some of them. */
export function findLabelNoise(rows: readonly LabelledText[], labels: readonly string[]): LabelNoise | null {
  const found = findSuspects(rows, labels)
  if (found === null) return null
  return {
    method: METHOD,
    rows: rows.length,
    estimated: Math.round(found.estimated),
    rate: rounded(found.estimated / rows.length),
    suspects: found.suspects.slice(0, MOST_NAMED),
  }
}

/**
 * Estimates wrong labels by confident learning: each row gets probabilities from a classifier that did not see its group;
 * a label's threshold is its mean probability over the rows that have it; a row whose probability of another label passes
 * that label's threshold, and is the largest of those, counts against its own (the confident joint). Null for fewer than
 * two labels with five rows each.
 * @param labels names by number
 */
export function findSuspects(rows: readonly LabelledText[], labels: readonly string[]): SuspectLabels | null {
  const counts = countLabels(rows, labels.length)
  if (counts.filter((count) => count >= LEAST_PER_LABEL).length < 2) return null
  const probabilities = outOfFold(rows, labels.length)
  const thresholds = Float64Array.from(labels, () => 0)
  rows.forEach(({ label }, row) => {
    thresholds[label] = (thresholds[label] ?? 0) + (probabilities[row]?.[label] ?? 0) / (counts[label] ?? 1)
  })
  const suspects: SuspectLabel[] = []
  // The confident joint, by given label: rows that are confidently of it, and of others.
  const confident = labels.map(() => ({ own: 0, others: 0 }))
  rows.forEach(({ id, label }, row) => {
    const own = probabilities[row] ?? new Float64Array(labels.length)
    const likely = confidentLabel(own, thresholds, counts)
    const joint = confident[label]
    if (likely === null || joint === undefined) return
    if (likely === label) {
      joint.own++
      return
    }
    joint.others++
    const margin = (own[label] ?? 0) - (own[likely] ?? 0)
    suspects.push({ row_id: id, given: labels[label] ?? '', suggested: labels[likely] ?? '', margin: rounded(margin) })
  })
  // The joint is scaled to the number of rows of each given label, as the paper does.
  const estimated = confident.reduce(
    (sum, { own, others }, label) => sum + (own + others === 0 ? 0 : ((counts[label] ?? 0) * others) / (own + others)),
    0,
  )
  suspects.sort((a, b) => a.margin - b.margin || (a.row_id < b.row_id ? -1 : 1))
  return { estimated, suspects }
}

function confidentLabel(own: Float64Array, thresholds: Float64Array, counts: readonly number[]): number | null {
  let likely: number | null = null
  for (const [label, probability] of own.entries()) {
    if ((counts[label] ?? 0) < LEAST_PER_LABEL || probability < (thresholds[label] ?? 1)) continue
    if (likely === null || probability > (own[likely] ?? 0)) likely = label
  }
  return likely
}

/** The calibrated probabilities of each row, from a classifier fitted without its fold. */
function outOfFold(rows: readonly LabelledText[], labels: number): readonly Float64Array[] {
  const sparse = buildSparseRows(
    rows.map(({ text }) => text),
    FEATURES,
    { maxColumns: Math.max(256, Math.min(MAX_COLUMNS, Math.floor(4_000_000 / labels))), maxChars: MAX_CHARS },
  )
  const targets = Uint32Array.from(rows, ({ label }) => label)
  const foldOf = foldsOf(rows)
  const scores = rows.map(() => new Float64Array(labels))
  const all = Uint32Array.from(rows.keys())
  for (let fold = 0; fold < FOLDS; fold++) {
    const fitted = all.filter((row) => foldOf[row] !== fold)
    const model = fitLogisticRegression(sparse, fitted, targets, labels, FIT)
    for (const row of all) {
      const own = scores[row]
      if (foldOf[row] === fold && own !== undefined) scoreRow(model, sparse, row, own)
    }
  }
  const { temperature } = fitTemperature(scores.map((own, row) => ({ scores: own, target: targets[row] ?? 0 })))
  for (const own of scores) softmax(own, temperature)
  return scores
}

/** Deals groups out to folds: those of one label in turn, in the order of the rows. */
function foldsOf(rows: readonly LabelledText[]): Uint8Array {
  const ofGroup = new Map<number, number>()
  const next = new Map<number, number>()
  return Uint8Array.from(rows, ({ group, label }) => {
    const known = ofGroup.get(group)
    if (known !== undefined) return known
    const fold = (next.get(label) ?? label) % FOLDS
    next.set(label, fold + 1)
    ofGroup.set(group, fold)
    return fold
  })
}

function countLabels(rows: readonly LabelledText[], labels: number): number[] {
  const counts = Array.from({ length: labels }, () => 0)
  for (const { label } of rows) counts[label] = (counts[label] ?? 0) + 1
  return counts
}

function rounded(value: number): number {
  return Number(value.toFixed(4))
}
