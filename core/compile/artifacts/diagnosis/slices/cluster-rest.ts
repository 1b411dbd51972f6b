import { HDBSCAN } from 'hdbscan-ts'
import { fisherGreater } from '../../../../kernel/statistics/fisher.ts'
import { createRandom, type Random } from '../../../../model/random.ts'
import { bitsOf, hasBit, type Bits } from './bits.ts'
import type { Column } from './columns.ts'
import type { Selector } from './selectors.ts'

/** Rows that no slice explains and that are alike. */
export interface Cluster {
  /** Wrong rows of it, ascending. */
  readonly places: readonly number[]
  /** Rows alike to them, right ones too: the region that the wrong ones take. */
  readonly rows: Bits
  readonly support: number
  /** Facts that set its rows apart, the commonest first. */
  readonly marks: readonly Selector[]
  readonly p: number
}

/** Wrong rows that are clustered, and the rows that they are compared with. */
const MOST_POINTS = 150
const MOST_ROWS = 3000
const LEAST_POINTS = 8
const LEAST_CLUSTER = 5
const MOST_MARKS = 40
const MOST_NUMBERS = 12
/** Draws of as many rows at random: a cluster has to be denser in wrong rows than any cluster of theirs. */
const DRAWS = 49
const SHOWN_MARKS = 3

/**
 * Clusters the wrong rows that no slice covers, by density (HDBSCAN) over the facts of rows. Inputs form clusters whether
 * they fail or not, so a cluster counts only if wrong rows are denser in its region than in that of any cluster of rows
 * drawn at random. Deterministic: the draws come from a fixed seed.
 */
export function clusterRest(
  rest: readonly number[],
  {
    total,
    columns,
    selectors,
  }: { readonly total: number; readonly columns: readonly Column[]; readonly selectors: readonly Selector[] },
  covered: Bits,
): readonly Cluster[] {
  const wrong = rest.slice(0, MOST_POINTS)
  const pool = poolOf(total, covered, wrong)
  if (wrong.length < LEAST_POINTS || pool.length < wrong.length * 2) return []
  const marks = selectors.filter(({ isCoarse, condition }) => isCoarse && !('from' in condition)).slice(0, MOST_MARKS)
  const vectors = vectorsOf(pool, columns, marks)
  const random = createRandom(0, 'svc-failure-clusters-1')
  let found = regionsOf(wrong, pool, vectors)
  for (let draw = 0; draw < DRAWS && found.length > 0; draw++) {
    const least = Math.min(1, ...regionsOf(drawFrom(pool, wrong.length, random), pool, vectors).map(({ p }) => p))
    found = found.filter(({ p }) => p < least)
  }
  return found
    .toSorted((a, b) => a.p - b.p)
    .map(({ members, region, p }) => ({
      places: members,
      rows: bitsOf(total, region),
      support: region.length,
      marks: marksOf(region, selectors, total),
      p,
    }))
}

function poolOf(total: number, covered: Bits, wrong: readonly number[]): readonly number[] {
  const own = new Set(wrong)
  const others = Array.from({ length: total }, (_, place) => place).filter(
    (place) => !own.has(place) && !hasBit(covered, place),
  )
  return [...wrong, ...others.slice(0, MOST_ROWS)].toSorted((a, b) => a - b)
}

type Vectors = ReadonlyMap<number, readonly number[]>

function vectorsOf(pool: readonly number[], columns: readonly Column[], marks: readonly Selector[]): Vectors {
  const numbers = columns
    .filter(({ values }) => values.size * 2 >= pool.length && typeof values.values().next().value === 'number')
    .slice(0, MOST_NUMBERS)
    .map(standardized)
  return new Map(
    pool.map((place) => [
      place,
      [...numbers.map((of) => of(place)), ...marks.map(({ rows }) => (hasBit(rows, place) ? 1 : 0))],
    ]),
  )
}

/** Returns a column as distances from its mean, in standard deviations, at most three; the mean where there is none. */
function standardized({ values }: Column): (place: number) => number {
  const all = [...values.values()].map(Number)
  const mean = all.reduce((sum, value) => sum + value, 0) / all.length
  const spread = Math.sqrt(all.reduce((sum, value) => sum + (value - mean) ** 2, 0) / all.length) || 1
  return (place) => {
    const value = values.get(place)
    return value === undefined ? 0 : Math.max(-3, Math.min(3, (Number(value) - mean) / spread))
  }
}

interface Region {
  readonly members: readonly number[]
  readonly region: readonly number[]
  readonly p: number
}

/** The clusters of some rows, each with the rows as near to its centre as its members are. */
function regionsOf(points: readonly number[], pool: readonly number[], vectors: Vectors): readonly Region[] {
  const data = points.map((place) => [...(vectors.get(place) ?? [])])
  const labels = new HDBSCAN({ minClusterSize: LEAST_CLUSTER }).fit(data)
  const clusters = new Map<number, number[]>()
  for (const [i, label] of labels.entries()) {
    const place = points[i]
    if (label >= 0 && place !== undefined) clusters.set(label, [...(clusters.get(label) ?? []), place])
  }
  const own = new Set(points)
  return [...clusters.values()].flatMap((members): readonly Region[] => {
    if (members.length < LEAST_CLUSTER) return []
    const centre = centreOf(members, vectors)
    const reach = Math.max(...members.map((place) => distance(vectors.get(place) ?? [], centre)))
    const region = pool.filter((place) => distance(vectors.get(place) ?? [], centre) <= reach)
    const hits = region.filter((place) => own.has(place)).length
    const p = fisherGreater({ hits, size: region.length, allHits: points.length, total: pool.length })
    return [{ members, region, p }]
  })
}

function centreOf(places: readonly number[], vectors: Vectors): readonly number[] {
  const all = places.map((place) => vectors.get(place) ?? [])
  return (all[0] ?? []).map((_, i) => all.reduce((sum, vector) => sum + (vector[i] ?? 0), 0) / all.length)
}

function distance(one: readonly number[], other: readonly number[]): number {
  return one.reduce((sum, value, i) => sum + (value - (other[i] ?? 0)) ** 2, 0)
}

function drawFrom(pool: readonly number[], count: number, random: Random): readonly number[] {
  const left = [...pool]
  for (let i = 0; i < count; i++) {
    const other = i + random.below(left.length - i)
    const [a = 0, b = 0] = [left[i], left[other]]
    left[i] = b
    left[other] = a
  }
  return left.slice(0, count).toSorted((a, b) => a - b)
}

/** The facts that most of a cluster's rows have and that are rarer among all rows. */
function marksOf(places: readonly number[], selectors: readonly Selector[], total: number): readonly Selector[] {
  return selectors
    .filter(({ isCoarse }) => isCoarse)
    .map((selector) => ({
      selector,
      share: places.filter((place) => hasBit(selector.rows, place)).length / places.length,
    }))
    .filter(({ selector, share }) => share >= 0.8 && share >= (1.2 * selector.support) / total)
    .toSorted((a, b) => b.share / b.selector.support - a.share / a.selector.support)
    .slice(0, SHOWN_MARKS)
    .map(({ selector }) => selector)
}
