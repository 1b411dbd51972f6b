/** Cells on each side of the diagonal that are searched. */
const BEAM = 25
const INFINITE = 2 ** 30

/** Steps from an answer to its reference: the word stays, is replaced, is missing in the reference, or is missing in the answer. */
export const STEP = { same: 0, replaced: 1, extra: 2, missing: 3 } as const

/** A row of the matrix: the cells from a column on. All others are out of reach. */
interface Row {
  readonly from: number
  readonly costs: Int32Array
  readonly steps: Uint8Array
}

/** The edit distances of the beginnings of an answer and a reference, a row for each word of the answer after the first one. */
export type EditMatrix = readonly Row[]

/**
 * Computes the edit distances of two lists of words around their diagonal, as Tercom and sacrebleu do: a word that stays, or is replaced, is
 * preferred to one that is extra, and that to one that is missing. The first `kept` rows are taken from another answer of the same
 * length that begins with as many equal words.
 */
export function editMatrix(
  answer: Int32Array,
  reference: Int32Array,
  { before = [], kept = 0 }: { readonly before?: EditMatrix; readonly kept?: number } = {},
): EditMatrix {
  const rows: Row[] = before.slice(0, kept + 1)
  if (rows.length === 0) rows.push(firstRow(reference.length))
  const ratio = answer.length === 0 ? 1 : reference.length / answer.length
  const beam = BEAM < ratio / 2 ? Math.ceil(ratio / 2 + BEAM) : BEAM
  for (let at = rows.length; at <= answer.length; at++) {
    const diagonal = Math.floor(at * ratio)
    const from = Math.max(0, diagonal - beam)
    const to = at === answer.length ? reference.length + 1 : Math.min(reference.length + 1, diagonal + beam)
    rows.push(nextRow(rows[at - 1], { word: answer[at - 1] ?? 0, reference, from, to }))
  }
  return rows
}

/** Returns the edit distance of the whole answer and reference. */
export function distanceOf(matrix: EditMatrix): number {
  return matrix.at(-1)?.costs.at(-1) ?? 0
}

/** Returns the steps of the cheapest edit, from the beginning on. */
export function stepsOf(matrix: EditMatrix, referenceLength: number): readonly number[] {
  const steps: number[] = []
  let [row, column] = [matrix.length - 1, referenceLength]
  while (row > 0 || column > 0) {
    const { from, steps: stepsIn } = matrix[row] ?? { from: 0, steps: new Uint8Array() }
    const step = stepsIn[column - from] ?? STEP.missing
    steps.push(step)
    if (step !== STEP.missing) row -= 1
    if (step !== STEP.extra) column -= 1
  }
  return steps.toReversed()
}

function firstRow(length: number): Row {
  return {
    from: 0,
    costs: Int32Array.from({ length: length + 1 }, (_, column) => column),
    steps: new Uint8Array(length + 1).fill(STEP.missing),
  }
}

function nextRow(
  above: Row = firstRow(0),
  row: { readonly word: number; readonly reference: Int32Array; readonly from: number; readonly to: number },
): Row {
  const { word, reference, from, to } = row
  const costs = new Int32Array(Math.max(0, to - from))
  const steps = new Uint8Array(costs.length)
  let left = INFINITE
  for (let column = from; column < to; column++) {
    const over = column - above.from
    const isSame = column > 0 && word === reference[column - 1]
    let cost = column === 0 ? INFINITE : (above.costs[over - 1] ?? INFINITE) + (isSame ? 0 : 1)
    let step: number = isSame ? STEP.same : STEP.replaced
    const extra = (above.costs[over] ?? INFINITE) + 1
    if (extra < cost) [cost, step] = [extra, STEP.extra]
    if (left + 1 < cost) [cost, step] = [left + 1, STEP.missing]
    left = Math.min(cost, INFINITE)
    costs[column - from] = left
    steps[column - from] = step
  }
  return { from, costs, steps }
}
