import { createPythonRandom } from '../../../../kernel/statistics/python-random.ts'

/** Counts of rows: a list for each row, all of one length. */
export type Counts = readonly (readonly number[])[]

/** Returns the sums of the counts of rows. */
export function sumsOf(rows: Counts): Float64Array {
  const sums = new Float64Array(rows[0]?.length ?? 0)
  for (const row of rows) for (let at = 0; at < sums.length; at++) sums[at] = (sums[at] ?? 0) + (row[at] ?? 0)
  return sums
}

/**
 * Returns the sums of resamples of rows, drawn with replacement by Python's generator as `random.choices` draws. Of several corpora, which
 * have as many rows each, the same rows are drawn: those of one place belong together.
 */
export function drawnSums(
  corpora: readonly Counts[],
  { resamples, seed }: { readonly resamples: number; readonly seed: number },
): readonly (readonly Float64Array[])[] {
  const size = corpora[0]?.length ?? 0
  const random = createPythonRandom(seed)
  const tables = corpora.map(tableOf)
  const places = new Int32Array(size)
  return Array.from({ length: resamples }, () => {
    for (let at = 0; at < size; at++) places[at] = Math.floor(random.random() * size)
    return tables.map((table) => sumsAt(table, places))
  })
}

/** The counts of a corpus, one row behind the other. */
interface Table {
  readonly width: number
  readonly counts: Float64Array
}

function tableOf(rows: Counts): Table {
  return { width: rows[0]?.length ?? 0, counts: Float64Array.from(rows.flat()) }
}

function sumsAt({ width, counts }: Table, places: Int32Array): Float64Array {
  const sums = new Float64Array(width)
  for (const place of places) {
    for (let at = 0; at < width; at++) sums[at] = (sums[at] ?? 0) + (counts[place * width + at] ?? 0)
  }
  return sums
}
