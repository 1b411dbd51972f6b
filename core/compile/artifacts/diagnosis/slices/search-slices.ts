import { adjustForDiscoveries } from '../../../../kernel/statistics/adjust.ts'
import { fisherGreater } from '../../../../kernel/statistics/fisher.ts'
import { keyText, type Condition } from '../facts/condition.ts'
import { both, countAll, countBits, countBoth, either, noBits, without, type Bits } from './bits.ts'
import { supportFor, type Selector } from './selectors.ts'

/** Rows that meet conditions and fail more often than the others. */
export interface Slice {
  readonly conditions: readonly Condition[]
  /** The rows of each condition, and those of all of them. */
  readonly parts: readonly Bits[]
  readonly rows: Bits
  readonly support: number
  readonly wrong: number
  /** One-sided p-value of Fisher's exact test. */
  readonly p: number
  /** The same, adjusted for all tests of slices with as many conditions. */
  readonly adjusted: number
}

/** Rows, and those of them that are wrong. */
export interface Outcomes {
  readonly total: number
  readonly wrong: Bits
  readonly allWrong: number
}

/** Levels at which slices of one condition and of two are named: together with those of kinds and clusters, 5 %. */
const LEVELS = [0.02, 0.01] as const
/** Selectors that are joined in pairs at most, those of most rows first. */
const MOST_PAIRED = 450
const LEAST_WRONG = 3
/** A second condition stays only where it makes a difference at this level, against both conditions alone. */
const REFINES = 0.01
/** A further slice has to fail more often also among the rows of no slice before it, at this level. */
const APART = 0.01

/**
 * Searches conditions, alone and in pairs, under which rows are wrong more often than the others. Each is tested by
 * Fisher's exact test and adjusted after Benjamini and Hochberg. Returns slices that are apart from each other, the surest
 * first.
 */
export function searchSlices(selectors: readonly Selector[], outcomes: Outcomes, most: number): readonly Slice[] {
  const { least } = supportFor(outcomes.total)
  if (outcomes.allWrong < LEAST_WRONG) return []
  const singles = adjusted(testSingles(selectors, outcomes), selectors.length, LEVELS[0])
  const { tested, found } = testPairs(selectors, outcomes, least)
  const pairs = adjusted(found, tested, LEVELS[1])
  return apart([...singles, ...pairs], outcomes, most)
}

type Tested = Omit<Slice, 'adjusted'>

function testSingles(selectors: readonly Selector[], outcomes: Outcomes): readonly Tested[] {
  return selectors.flatMap(({ condition, rows, support }) => {
    const wrong = countBoth(rows, outcomes.wrong)
    const p = testOf(wrong, support, outcomes)
    return p > LEVELS[0] ? [] : [{ conditions: [condition], parts: [rows], rows, support, wrong, p }]
  })
}

function testOf(hits: number, size: number, { allWrong, total }: Pick<Outcomes, 'allWrong' | 'total'>): number {
  // No more often than all rows: the test is one-sided.
  if (hits < LEAST_WRONG || hits * total <= allWrong * size) return 1
  return fisherGreater({ hits, size, allHits: allWrong, total })
}

function testPairs(all: readonly Selector[], outcomes: Outcomes, least: number) {
  const coarse = all
    .filter(({ isCoarse }) => isCoarse)
    .toSorted((a, b) => b.support - a.support)
    .slice(0, MOST_PAIRED)
  const keys = coarse.map(({ condition }) => keyText(condition))
  const found: Tested[] = []
  let tested = 0
  for (const [i, one] of coarse.entries()) {
    for (let j = i + 1; j < coarse.length; j++) {
      const other = coarse[j]
      if (other === undefined || keys[i] === keys[j]) continue
      const support = countBoth(one.rows, other.rows)
      if (support < least || support === one.support || support === other.support) continue
      tested++
      const wrong = countAll(one.rows, other.rows, outcomes.wrong)
      const p = testOf(wrong, support, outcomes)
      if (p > LEVELS[1] || !refines(wrong, support, [one, other], outcomes)) continue
      found.push({
        conditions: [one.condition, other.condition],
        parts: [one.rows, other.rows],
        rows: both(one.rows, other.rows),
        support,
        wrong,
        p,
      })
    }
  }
  return { tested, found }
}

/** Returns true when two conditions together fail more often than each one's other rows. */
function refines(wrong: number, support: number, parents: readonly Selector[], outcomes: Outcomes): boolean {
  return parents.every((parent) => {
    const allHits = countBoth(parent.rows, outcomes.wrong)
    return fisherGreater({ hits: wrong, size: support, allHits, total: parent.support }) <= REFINES
  })
}

function adjusted(slices: readonly Tested[], tests: number, level: number): readonly Slice[] {
  const values = adjustForDiscoveries(
    slices.map(({ p }) => p),
    tests,
  )
  return slices
    .map((slice, i) => ({ ...slice, adjusted: Math.min(1, values[i] ?? 1) }))
    .filter((slice) => slice.adjusted <= level)
}

/** Takes the surest slices, each only where it says something of rows that those before it leave. */
function apart(slices: readonly Slice[], outcomes: Outcomes, most: number): readonly Slice[] {
  const sorted = slices.toSorted(
    (a, b) => a.p - b.p || a.conditions.length - b.conditions.length || b.support - a.support,
  )
  const chosen: Slice[] = []
  let covered = noBits(outcomes.total)
  for (const slice of sorted) {
    if (chosen.length === most) break
    if (chosen.length > 0 && !saysMore(slice, covered, outcomes)) continue
    chosen.push(slice)
    covered = either(covered, slice.rows)
  }
  return chosen
}

function saysMore({ rows }: Slice, covered: Bits, { total, wrong }: Outcomes): boolean {
  const rest = without(rows, covered)
  const size = countBits(rest)
  const isCovered = countBits(covered)
  const left = { total: total - isCovered, allWrong: countBits(without(wrong, covered)) }
  return testOf(countBoth(rest, wrong), size, left) <= APART
}
