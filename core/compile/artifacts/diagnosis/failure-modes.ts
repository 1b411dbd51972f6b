import { createHash } from 'node:crypto'
import { canonicalJson, type Json } from '../../../kernel/json/json.ts'
import { wilsonInterval, type Interval } from '../../../kernel/statistics/wilson-interval.ts'
import type { Check } from '../../stages/verifier/verifier-types.ts'
import { conditionsInWords, type Condition } from './facts/condition.ts'
import type { JudgedRow } from './judged-row.ts'
import { bitsOf, countBits, either, hasBit, noBits, placesOf, without, type Bits } from './slices/bits.ts'
import { clusterRest } from './slices/cluster-rest.ts'
import { columnsOf } from './slices/columns.ts'
import { findKinds } from './slices/kinds-of-failure.ts'
import { refineRanges } from './slices/refine-range.ts'
import { searchSlices } from './slices/search-slices.ts'
import { selectorsOf } from './slices/selectors.ts'

/** Ways in which a failure mode is found. */
export const MODE_KINDS = ['slice', 'answer', 'cluster'] as const

/** Rows that fail for what looks like one reason. */
export interface FailureMode {
  /** `cl_` and 12 hexadecimal digits of a digest of its description: the same mode has the same id in every report. */
  readonly id: string
  readonly kind: (typeof MODE_KINDS)[number]
  /** The rows in words. */
  readonly title: string
  /** Conditions on the rows, all of which hold; empty for a way of answering. */
  readonly conditions: readonly Condition[]
  /** Rows that meet the conditions, and how many of them are wrong. */
  readonly n: number
  readonly wrong: number
  readonly accuracy: number
  readonly interval: Interval
  /** The ratio of its share of wrong rows to that of all rows; null for a way of answering. */
  readonly lift: number | null
  readonly p: number
  /** Adjusted for all tests that were made; null for a cluster, which is tested against draws at random. */
  readonly pAdjusted: number | null
  /** Ids of its wrong rows, in the order of the rows. */
  readonly rowIds: readonly string[]
}

/** The failure modes of an artifact on some rows. */
export interface FailureReport {
  readonly n: number
  readonly wrong: number
  readonly accuracy: number
  readonly interval: Interval
  /** Rows whose content is kept: conditions on inputs and outputs come from these. */
  readonly withContent: number
  readonly modes: readonly FailureMode[]
  /** Wrong rows of no mode. */
  readonly unexplained: number
}

/** Rows that are looked at. */
export const MOST_ROWS = 10_000
const MOST_SLICES = 8
const MOST_KINDS = 4
const MOST_CLUSTERS = 3
const MOST_IDS = 200

/**
 * Finds the failure modes of rows: slices of rows that fail more often than the others, ways in which answers are wrong, and
 * clusters of the others. `checks` are those of the verifier. On rows that fail at random, at least 95 of 100 reports
 * name no mode. Deterministic. Of more than 10,000 rows the first are looked at.
 */
export function findFailureModes(all: readonly JudgedRow[], checks: readonly Check[]): FailureReport {
  const rows = all.slice(0, MOST_ROWS)
  const total = rows.length
  const places = rows.flatMap(({ right }, place) => (right ? [] : [place]))
  const wrong = bitsOf(total, places)
  const outcomes = { total, wrong, allWrong: places.length }
  const columns = columnsOf(rows)
  const selectors = selectorsOf(columns, total)
  const slices = searchSlices(selectors, outcomes, MOST_SLICES).map((slice) => refineRanges(slice, columns, outcomes))
  const kinds = findKinds(rows, checks).slice(0, MOST_KINDS)
  const covered = [...slices.map((slice) => slice.rows), ...kinds.map((kind) => bitsOf(total, kind.places))].reduce(
    either,
    noBits(total),
  )
  const rest = placesOf(without(wrong, covered), total)
  const clusters = clusterRest(rest, { total, columns, selectors }, covered).slice(0, MOST_CLUSTERS)
  const modeOf = modesOver(rows, wrong)
  const modes = [
    ...slices.map((slice) =>
      modeOf('slice', slice.rows, {
        title: conditionsInWords(slice.conditions),
        conditions: slice.conditions,
        p: slice.p,
        pAdjusted: slice.adjusted,
      }),
    ),
    ...kinds.map((kind) =>
      modeOf('answer', bitsOf(total, kind.places), {
        title: kind.title,
        conditions: [],
        p: kind.p,
        pAdjusted: kind.adjusted,
      }),
    ),
    ...clusters.map(({ rows: region, marks, p }) => {
      const conditions = marks.map(({ condition }) => condition)
      const title = conditions.length === 0 ? 'similar rows' : `similar rows: mostly ${conditionsInWords(conditions)}`
      return modeOf('cluster', region, { title, conditions, p, pAdjusted: null })
    }),
  ].toSorted((a, b) => a.p - b.p)
  const explained = clusters.reduce((sum, cluster) => either(sum, cluster.rows), covered)
  return {
    n: total,
    wrong: places.length,
    ...shareOf(total - places.length, total),
    withContent: rows.filter(({ content }) => content !== null).length,
    modes,
    unexplained: countBits(without(wrong, explained)),
  }
}

type Described = Pick<FailureMode, 'title' | 'conditions' | 'p' | 'pAdjusted'>

function modesOver(rows: readonly JudgedRow[], wrong: Bits) {
  const total = rows.length
  const allWrong = countBits(wrong)
  return (kind: FailureMode['kind'], members: Bits, described: Described): FailureMode => {
    const n = countBits(members)
    const failing = placesOf(members, total).filter((place) => hasBit(wrong, place))
    return {
      id: idOf(kind, described),
      kind,
      ...described,
      n,
      wrong: failing.length,
      ...shareOf(n - failing.length, n),
      lift: kind === 'answer' || allWrong === 0 ? null : round((failing.length / n / allWrong) * total),
      rowIds: failing.slice(0, MOST_IDS).flatMap((place) => rows[place]?.id ?? []),
    }
  }
}

function shareOf(right: number, n: number): Pick<FailureMode, 'accuracy' | 'interval'> {
  return { accuracy: n === 0 ? 0 : round(right / n), interval: wilsonInterval(right, n) }
}

function idOf(kind: string, { title, conditions }: Described): string {
  const said: Json = { kind, title, conditions: conditions.map((one) => ({ ...one })) }
  return `cl_${createHash('sha256').update(canonicalJson(said)).digest('hex').slice(0, 12)}`
}

function round(value: number): number {
  return Number(value.toFixed(4))
}
