/** Cells on each side of the diagonal that are searched. */
const BEAM = 25
const INFINITE = 2 ** 30

/** Steps from an answer to its reference: the word stays, is replaced, is missing in the reference, or is missing in the answer. */
export const STEP = { same: 0, replaced: 1, extra: 2, missing: 3 } as const

/** A row of the matrix: the cells from a column on. All others are out of reach. */
interface Row {
  readonly from: number
  /** Costs less `base`. */
  readonly costs: Int32Array
  readonly base: number
  readonly steps: Uint8Array
}

/** The edit distances of the beginnings of an answer and a reference, a row for each word of the answer after the first one. */
export type EditMatrix = readonly Row[]

/**
 * Computes the edit distances of two lists of words around their diagonal, as Tercom and sacrebleu do: a word that stays, or is replaced, is
 * preferred to one that is extra, and that to one that is missing. The first `kept` rows are taken from another answer of the same
 * length that begins with as many equal words. Behind `equalFrom` words both are equal again: from a row on whose costs differ by one
 * constant all further rows do, and are taken too.
 */
export function editMatrix(
  answer: Int32Array,
  reference: Int32Array,
  { before, kept, equalFrom }: { readonly before: EditMatrix; readonly kept: number; readonly equalFrom: number } = {
    before: [],
    kept: 0,
    equalFrom: answer.length,
  },
): EditMatrix {
  const rows: Row[] = before.slice(0, kept + 1)
  if (rows.length === 0) rows.push(firstRow(reference.length))
  const ratio = answer.length === 0 ? 1 : reference.length / answer.length
  const beam = BEAM < ratio / 2 ? Math.ceil(ratio / 2 + BEAM) : BEAM
  for (let at = rows.length; at <= answer.length; at++) {
    const diagonal = Math.floor(at * ratio)
    const from = Math.max(0, diagonal - beam)
    const to = at === answer.length ? reference.length + 1 : Math.min(reference.length + 1, diagonal + beam)
    const row = nextRow(rows[at - 1], { word: answer[at - 1] ?? 0, reference, from, to })
    rows.push(row)
    const ofBefore = before[at]
    const dearer = at < equalFrom || ofBefore === undefined ? null : constantDifference(row, ofBefore)
    if (dearer === null) continue
    for (const same of before.slice(at + 1)) {
      const { from: first, costs, base, steps } = same
      rows.push(dearer === 0 ? same : { from: first, costs, base: base + dearer, steps })
    }
    break
  }
  return rows
}

/** By how much the costs of a row exceed those of another one with the same columns; null where it is not the same in each column. */
function constantDifference(one: Row, other: Row): number | null {
  let difference: number | null = null
  for (let at = 0; at < one.costs.length; at++) {
    const [cost, of] = [one.costs[at] ?? INFINITE, other.costs[at] ?? INFINITE]
    if (cost === INFINITE && of === INFINITE) continue
    const here = cost + one.base - of - other.base
    if (difference !== null && here !== difference) return null
    difference = here
  }
  return difference
}

/** Returns the edit distance of the whole answer and reference. */
export function distanceOf(matrix: EditMatrix): number {
  const last = matrix.at(-1)
  return (last?.costs.at(-1) ?? 0) + (last?.base ?? 0)
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
    base: 0,
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
  const { from: aboveFrom, costs: aboveCosts } = above
  const aboveTo = aboveFrom + aboveCosts.length
  let left = INFINITE
  // Long answers run through this some hundred million times: it reads no place outside of the rows and makes no object.
  let diagonal = from > aboveFrom && from <= aboveTo ? (aboveCosts[from - 1 - aboveFrom] ?? INFINITE) : INFINITE
  for (let column = from; column < to; column++) {
    const straight = column >= aboveFrom && column < aboveTo ? (aboveCosts[column - aboveFrom] ?? INFINITE) : INFINITE
    const isSame = column > 0 && word === reference[column - 1]
    let cost = isSame ? diagonal : diagonal + 1
    let step: number = isSame ? STEP.same : STEP.replaced
    if (straight + 1 < cost) {
      cost = straight + 1
      step = STEP.extra
    }
    if (left + 1 < cost) {
      cost = left + 1
      step = STEP.missing
    }
    left = Math.min(cost, INFINITE)
    costs[column - from] = left
    steps[column - from] = step
    diagonal = straight
  }
  return { from, costs, base: above.base, steps }
}
