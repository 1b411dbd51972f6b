import { createRandom, shuffle } from '../../random.ts'
import { countRows, type Truth } from './losses.ts'

const FOLDS = 5
/** Below this number of rows each row is a fold of its own. */
const FOLDS_FROM_ROWS = 10

/** Rows to learn from and rows that are held back from them. */
export interface Fold {
  readonly fitted: Uint32Array
  readonly held: Uint32Array
}

/** Division of rows for a competition. */
export interface Division {
  readonly folds: readonly Fold[]
  /** The rows that some fold holds back, ascending. */
  readonly judged: Uint32Array
}

/** Divides rows into folds that hold back each row once, or into one fold that holds back the given number of rows. */
export function divideRows(truth: Truth, heldRows: number | null, seed: number): Division {
  const all = Uint32Array.from({ length: countRows(truth) }, (_, row) => row)
  if (heldRows !== null) {
    const judged = sampleRows(all.length, heldRows, seed + 1)
    const isHeld = new Uint8Array(all.length)
    for (const row of judged) isHeld[row] = 1
    return { folds: [{ fitted: all.filter((row) => isHeld[row] === 0), held: judged }], judged }
  }
  const { fold, folds } = dealFolds(truth, seed)
  const numbers = Array.from({ length: folds }, (_, number) => number)
  return {
    folds: numbers.map((number) => ({
      fitted: all.filter((row) => fold[row] !== number),
      held: all.filter((row) => fold[row] === number),
    })),
    judged: all,
  }
}

/** The fold of each row: rows of one label, or of similar numbers, are dealt out in turn after a seeded shuffle. */
function dealFolds(truth: Truth, seed: number): { readonly fold: Uint8Array; readonly folds: number } {
  const rows = countRows(truth)
  const folds = rows < FOLDS_FROM_ROWS ? rows : FOLDS
  const order = Uint32Array.from({ length: rows }, (_, row) => row)
  shuffle(order, createRandom(seed, 'tabular-folds'))
  const width = truth.link === 'softmax' ? 1 : truth.scores
  // Lists of labels have no single order; they keep the shuffle's.
  if (width === 1) {
    const place = new Uint32Array(rows)
    for (const [i, row] of order.entries()) place[row] = i
    order.sort((a, b) => (truth.values[a] ?? 0) - (truth.values[b] ?? 0) || (place[a] ?? 0) - (place[b] ?? 0))
  }
  const fold = new Uint8Array(rows)
  const random = createRandom(seed, 'tabular-fold-order')
  const turn = Uint32Array.from({ length: folds }, (_, i) => i)
  for (const [i, row] of order.entries()) {
    // Numbers of one stratum would otherwise go to the folds in ascending order.
    if (truth.link === 'identity' && i % folds === 0) shuffle(turn, random)
    fold[row] = turn[i % folds] ?? 0
  }
  return { fold, folds }
}

/** A seeded sample of at most `limit` rows, ascending. */
export function sampleRows(rows: number, limit: number, seed: number): Uint32Array {
  const order = Uint32Array.from({ length: rows }, (_, row) => row)
  if (rows <= limit) return order
  shuffle(order, createRandom(seed, 'tabular-sample'))
  return order.slice(0, limit).sort()
}
