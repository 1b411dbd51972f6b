import { fitTemperature } from '../../../model/classifier/calibration.ts'
import { DualFit } from '../../../model/classifier/dual-fit.ts'
import { scoreRow, softmax, type FitSettings } from '../../../model/classifier/logistic-regression.ts'
import { buildSparseRows, type SparseRows } from '../../../model/classifier/sparse-rows.ts'

const FOLDS = 5
const FEATURES = { wordGrams: 2, charGrams: [3, 4] } as const
const FIT: FitSettings = {
  epochs: 12,
  enoughSteps: 60_000,
  leastEpochs: 2,
  workLimit: 2e8,
  seed: 20_260_101,
}
/** Inverse strength of the penalty on the weights: a little stronger than for labels that are all right. */
const INVERSE_STRENGTH = 10
const MAX_COLUMNS = 20_000
const MAX_CHARS = 1_500_000

/** A row with its label. */
export interface LabelledText {
  readonly id: string
  readonly text: string
  readonly label: number
  /** Rows of a group are in one fold. */
  readonly group: number
}

/** Probabilities of all labels, one list a row. */
export type Probabilities = readonly Float64Array[]

/** Fits classifiers of labels on some rows and scores others, by n-grams with logistic regression. */
export class LabelModels {
  readonly #sparse: SparseRows
  readonly #targets: Uint32Array
  readonly #foldOf: Uint8Array
  readonly #labels: number

  /** @param rows all rows that are fitted on or scored; the models know only the labels of those that they are fitted on */
  constructor(rows: readonly LabelledText[], labels: number) {
    this.#sparse = buildSparseRows(
      rows.map(({ text }) => text),
      FEATURES,
      { maxColumns: Math.max(256, Math.min(MAX_COLUMNS, Math.floor(4_000_000 / labels))), maxChars: MAX_CHARS },
    )
    this.#targets = Uint32Array.from(rows, ({ label }) => label)
    this.#foldOf = foldsOf(rows)
    this.#labels = labels
  }

  /**
   * Returns the calibrated probabilities of the first `count` rows, each from a classifier that did not see its fold, and the
   * temperature that calibrates them. Only rows that are learned are fitted on, and calibrated by.
   */
  outOfFold(count: number, isLearned: (row: number) => boolean) {
    const scores = Array.from({ length: count }, () => new Float64Array(this.#labels))
    const rows = Uint32Array.from(scores.keys())
    for (let fold = 0; fold < FOLDS; fold++) {
      const inFold = rows.filter((row) => this.#foldOf[row] === fold)
      this.#fitAndScore(
        rows.filter((row) => this.#foldOf[row] !== fold && isLearned(row)),
        { onto: inFold, scores },
      )
    }
    const judged = scores.flatMap((own, row) =>
      isLearned(row) ? [{ scores: own, target: this.#targets[row] ?? 0 }] : [],
    )
    const { temperature } = fitTemperature(judged)
    for (const own of scores) softmax(own, temperature)
    return { probabilities: scores as Probabilities, temperature }
  }

  /** Returns the probabilities of the rows from `count` on, from one classifier of the learned rows before them. */
  ofOthers(count: number, isLearned: (row: number) => boolean, temperature: number): Probabilities {
    const scores = Array.from({ length: this.#targets.length }, () => new Float64Array(this.#labels))
    const rows = Uint32Array.from(scores.keys())
    this.#fitAndScore(
      rows.filter((row) => row < count && isLearned(row)),
      { onto: rows.subarray(count), scores },
    )
    const others = scores.slice(count)
    for (const own of others) softmax(own, temperature)
    return others
  }

  #fitAndScore(
    fitted: Uint32Array,
    { onto, scores }: { readonly onto: Uint32Array; readonly scores: readonly Float64Array[] },
  ): void {
    const given = { rows: this.#sparse, chosen: fitted, targets: this.#targets, labels: this.#labels }
    const { model } = new DualFit(given, FIT).fit(INVERSE_STRENGTH)
    for (const row of onto) {
      const own = scores[row]
      if (own !== undefined) scoreRow(model, this.#sparse, row, own)
    }
  }
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
