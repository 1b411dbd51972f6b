import { LabelModels, type LabelledText, type Probabilities } from './label-model.ts'
import { MOST_NAMED, type LabelNoise, type SuspectLabel } from './quality-report.ts'

/** Rows of which a label must have so many, or its probabilities mean nothing. */
export const LEAST_PER_LABEL = 5
const METHOD =
  'confident learning (Northcutt et al. 2021), twice: the second time without the suspects of the first; 5 folds of groups, n-grams with logistic regression'

/** Wrong labels of rows: how many are estimated, and all rows that count against their label, most suspect first. */
export interface SuspectLabels {
  readonly estimated: number
  readonly suspects: readonly SuspectLabel[]
}

/** A row that was held out and whose label is probably wrong. */
export interface HeldSuspect extends SuspectLabel {
  /** The probability of the suggested label. */
  readonly probability: number
}

/** Wrong labels of rows to learn from, and of rows that were held out. */
export interface SuspectSides {
  readonly learned: SuspectLabels
  readonly held: {
    /** Rows to learn from whose label is not suspect: the model of the held-out rows is fitted on them. */
    readonly fittedRows: number
    /** Held-out rows whose label the model knows: it has at least five rows to learn from. */
    readonly rows: number
    readonly suspects: readonly HeldSuspect[]
  }
}

/** Estimates wrong labels as `findSuspects` does, for a report, which names some of them. */
export function findLabelNoise(rows: readonly LabelledText[], labels: readonly string[]): LabelNoise | null {
  const found = findSuspects({ rows, held: [], labels })
  if (found === null) return null
  const { estimated, suspects } = found.learned
  return {
    method: METHOD,
    rows: rows.length,
    estimated: Math.round(estimated),
    rate: rounded(estimated / rows.length),
    suspects: suspects.slice(0, MOST_NAMED),
  }
}

/**
 * Estimates wrong labels by confident learning: each row gets probabilities from a classifier that did not see its group;
 * a label's threshold is its mean probability over the rows that have it; a row whose probability of another label passes
 * that label's threshold, and is the largest of those, counts against its own (the confident joint). This is done twice: the
 * classifiers of the second round do not learn from the suspects of the first, whose wrong labels they would repeat. Held-out rows
 * are judged by the same thresholds, with a classifier that was fitted on the other rows alone. Null for fewer than two labels with
 * five rows each to learn from.
 * @param labels names by number
 */
export function findSuspects({
  rows,
  held,
  labels,
}: {
  readonly rows: readonly LabelledText[]
  readonly held: readonly LabelledText[]
  readonly labels: readonly string[]
}): SuspectSides | null {
  const counts = countLabels(rows, labels.length)
  const isKnown = (label: number): boolean => (counts[label] ?? 0) >= LEAST_PER_LABEL
  if (counts.filter((count) => count >= LEAST_PER_LABEL).length < 2) return null
  const models = new LabelModels([...rows, ...held], labels.length)
  const joint = new ConfidentJoint(rows, counts)
  const first = joint.judge(models.outOfFold(rows.length, () => true).probabilities)
  const isKept = keeping(rows, first)
  const { probabilities, temperature } = models.outOfFold(rows.length, isKept)
  const second = joint.judge(probabilities)
  const isFitted = keeping(rows, second)
  const known = held.filter(({ label }) => isKnown(label))
  const ofHeld = held.length === 0 ? [] : models.ofOthers(rows.length, isFitted, temperature)
  const knownHeld = ofHeld.filter((_, at) => isKnown(held[at]?.label ?? -1))
  return {
    learned: { estimated: joint.estimate(second), suspects: suspectsOf(rows, second, { probabilities, labels }) },
    held: {
      fittedRows: rows.filter((_, row) => isFitted(row)).length,
      rows: known.length,
      suspects: suspectsOf(known, joint.likelyOf(knownHeld, second.thresholds), { probabilities: knownHeld, labels }),
    },
  }
}

/** Labels that rows most likely have; null for a row of which no label is confident. */
interface Judged {
  readonly likely: readonly (number | null)[]
}

/** The confident joint of rows. */
class ConfidentJoint {
  readonly #rows: readonly LabelledText[]
  readonly #counts: readonly number[]

  constructor(rows: readonly LabelledText[], counts: readonly number[]) {
    this.#rows = rows
    this.#counts = counts
  }

  /** Judges the rows of the joint by their probabilities. */
  judge(probabilities: Probabilities): Judged & { readonly thresholds: Float64Array } {
    const thresholds = new Float64Array(this.#counts.length)
    for (const [row, { label }] of this.#rows.entries()) {
      thresholds[label] =
        (thresholds[label] ?? 0) + (probabilities[row]?.[label] ?? 0) / Math.max(1, this.#counts[label] ?? 1)
    }
    return { ...this.likelyOf(probabilities, thresholds), thresholds }
  }

  /** Judges any rows by thresholds that were found already. */
  likelyOf(probabilities: Probabilities, thresholds: Float64Array): Judged {
    return { likely: probabilities.map((own) => confidentLabel(own, thresholds, this.#counts)) }
  }

  /** Estimates the number of wrong labels: the joint, scaled to the number of rows of each given label as the paper does. */
  estimate({ likely }: Judged): number {
    const confident = this.#counts.map(() => ({ own: 0, others: 0 }))
    for (const [row, { label }] of this.#rows.entries()) {
      const joint = confident[label]
      const found = likely[row]
      if (joint === undefined || found === null || found === undefined) continue
      joint[found === label ? 'own' : 'others']++
    }
    return confident.reduce(
      (sum, { own, others }, label) =>
        sum + (own + others === 0 ? 0 : ((this.#counts[label] ?? 0) * others) / (own + others)),
      0,
    )
  }
}

/** Returns whether to learn from a row: it is not suspect, or too few rows of its label would be left. */
function keeping(rows: readonly LabelledText[], { likely }: Judged): (row: number) => boolean {
  const isSuspect = rows.map(({ label }, row) => (likely[row] ?? label) !== label)
  const left = new Map<number, number>()
  for (const [row, { label }] of rows.entries()) {
    if (isSuspect[row] !== true) left.set(label, (left.get(label) ?? 0) + 1)
  }
  return (row) => isSuspect[row] !== true || (left.get(rows[row]?.label ?? -1) ?? 0) < LEAST_PER_LABEL
}

/** Lists the rows that are likely of another label than theirs, most suspect first. */
function suspectsOf(
  rows: readonly LabelledText[],
  { likely }: Judged,
  { probabilities, labels }: { readonly probabilities: Probabilities; readonly labels: readonly string[] },
): readonly HeldSuspect[] {
  const suspects = rows.flatMap(({ id, label }, row): HeldSuspect[] => {
    const found = likely[row] ?? label
    if (found === label) return []
    const own = probabilities[row]
    const probability = own?.[found] ?? 0
    const margin = rounded((own?.[label] ?? 0) - probability)
    const names = { given: labels[label] ?? '', suggested: labels[found] ?? '' }
    return [{ row_id: id, ...names, margin, probability: rounded(probability) }]
  })
  return suspects.sort((a, b) => a.margin - b.margin || (a.row_id < b.row_id ? -1 : 1))
}

function confidentLabel(own: Float64Array, thresholds: Float64Array, counts: readonly number[]): number | null {
  let likely: number | null = null
  for (const [label, probability] of own.entries()) {
    if ((counts[label] ?? 0) < LEAST_PER_LABEL || probability < (thresholds[label] ?? 1)) continue
    if (likely === null || probability > (own[likely] ?? 0)) likely = label
  }
  return likely
}

function countLabels(rows: readonly LabelledText[], labels: number): number[] {
  const counts = Array.from({ length: labels }, () => 0)
  for (const { label } of rows) counts[label] = (counts[label] ?? 0) + 1
  return counts
}

function rounded(value: number): number {
  return Number(value.toFixed(4))
}
