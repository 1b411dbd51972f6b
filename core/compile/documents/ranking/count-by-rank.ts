import { MOST_CHUNK_TERMS } from '../chunk-text.ts'

/** Divisor of `ts_rank` (src/backend/utils/adt/tsrank.c, calc_rank_or). */
const LIMIT = 1.64493406685

/**
 * Bounds between what `ts_rank` of Postgres returns for one, two, three … places of a word, all of weight one: the sum of
 * 1/n² over its places, in single precision, divided by π²/6. `width_bucket` over them returns the number of places
 * exactly, which no function of Postgres returns by itself without reading all words of the vector.
 */
export const COUNT_BOUNDS: readonly number[] = boundsOf(MOST_CHUNK_TERMS)

function boundsOf(most: number): readonly number[] {
  const ranks = [0]
  let sum = 0
  for (let place = 1; place <= most; place++) {
    sum = Math.fround(sum + Math.fround(1 / (place * place)))
    ranks.push(Math.fround(sum / LIMIT))
  }
  return ranks.slice(1).map((rank, at) => (rank + (ranks[at] ?? 0)) / 2)
}
