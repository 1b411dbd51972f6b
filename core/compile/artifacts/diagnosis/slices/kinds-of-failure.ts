import type { Json } from '../../../../kernel/json/json.ts'
import { adjustForDiscoveries } from '../../../../kernel/statistics/adjust.ts'
import { binomialCdf } from '../../../../kernel/statistics/binomial.ts'
import { failedChecks } from '../../../stages/verifier/check-output.ts'
import type { Check } from '../../../stages/verifier/verifier-types.ts'
import type { JudgedRow } from '../judged-row.ts'
import { kindsOf, kindInWords, type FailureKind } from './kind-of-answer.ts'

/** A way in which answers are wrong, more often than answers taken at random from other rows would be. */
export interface KindSlice {
  readonly kind: FailureKind
  readonly title: string
  /** Places of the wrong rows that are of it, ascending. */
  readonly places: readonly number[]
  /** Wrong rows that could be of it. */
  readonly among: number
  /** One-sided p-value of the binomial test, and the same adjusted for all kinds. */
  readonly p: number
  readonly adjusted: number
}

const LEVEL = 0.01
const LEAST_ROWS = 3
/** Outputs of other rows, taken as random wrong answers to one row. */
const SWAPS = 20
/** Wrong rows that are looked at. */
const MOST_WRONG = 2000

interface Tally {
  readonly kind: FailureKind
  readonly places: number[]
  swapped: number
}

/**
 * Finds the ways in which answers are wrong: one label for another, no answer, a member missing or wrong, a failed check,
 * the right words in another form. A wrong answer has to be of some kind, so each kind is compared with outputs of other
 * rows put in place of the answer: it is named where it is commoner than among those.
 */
export function findKinds(rows: readonly JudgedRow[], checks: readonly Check[]): readonly KindSlice[] {
  const wrong = rows.flatMap((row, place) => (row.right ? [] : [{ row, place }])).slice(0, MOST_WRONG)
  const outputs = rows.flatMap(({ content }) => (content === null ? [] : [content.expected]))
  const tallies = new Map<string, Tally>()
  const trials = new Map<string, number>()
  const tally = (kind: FailureKind): Tally => {
    const name = JSON.stringify([kind.name, kind.path, kind.expected, kind.got])
    let one = tallies.get(name)
    if (one === undefined) tallies.set(name, (one = { kind, places: [], swapped: 0 }))
    return one
  }
  const groups = new Map<string, number>()
  for (const [nth, { row, place }] of wrong.entries()) {
    const group = groupOf(row)
    groups.set(group, (groups.get(group) ?? 0) + 1)
    for (const kind of kindsOfRow(row)) tally(kind).places.push(place)
    for (const output of swapsFor(row, outputs, nth)) {
      trials.set(group, (trials.get(group) ?? 0) + 1)
      for (const kind of kindsOfSwap(row, output, checks)) tally(kind).swapped++
    }
  }
  const all = sum(groups)
  const allTrials = sum(trials)
  const tested = [...tallies.values()]
    .filter(({ places }) => places.length >= LEAST_ROWS)
    .map((one) => {
      const group = one.kind.name === 'taken_for' ? JSON.stringify(one.kind.expected) : null
      const among = group === null ? all : (groups.get(group) ?? 0)
      const tries = group === null ? allTrials : (trials.get(group) ?? 0)
      const share = (one.swapped + 1) / (tries + 2)
      return { ...one, among, p: Math.max(0, 1 - binomialCdf(one.places.length - 1, among, share)) }
    })
  const adjusted = adjustForDiscoveries(tested.map(({ p }) => p))
  return tested
    .map(({ kind, places, among, p }, i) => ({
      kind,
      title: kindInWords(kind),
      places,
      among,
      p,
      adjusted: Math.min(1, adjusted[i] ?? 1),
    }))
    .filter((slice) => slice.adjusted <= LEVEL)
    .toSorted((a, b) => a.p - b.p || b.places.length - a.places.length)
}

function sum(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0)
}

/** The expected output, for kinds that are compared among rows with the same one. */
function groupOf({ content }: JudgedRow): string {
  return content === null ? '' : JSON.stringify(content.expected)
}

function kindsOfRow({ content, result, failedChecks: failed }: JudgedRow): readonly FailureKind[] {
  const checks = failed.map(({ id, path }): FailureKind => ({ name: 'check', path, expected: id }))
  if (result === 'abstained') return [{ name: 'abstained' }, ...checks]
  if (result !== 'wrong' && result !== 'right') return [{ name: 'no_answer', expected: result }, ...checks]
  if (content === null || content.got === undefined) return checks
  return [...kindsOf(content.expected, content.got), ...checks]
}

function kindsOfSwap({ content }: JudgedRow, output: Json, checks: readonly Check[]): readonly FailureKind[] {
  if (content === null) return []
  const failed = new Set(failedChecks(checks, content.input, output))
  return [
    ...kindsOf(content.expected, output),
    ...checks
      .filter(({ id }) => failed.has(id))
      .map((check): FailureKind => ({ name: 'check', path: pointer(check.path), expected: check.id })),
  ]
}

function pointer(path: readonly string[]): string {
  return path.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** Outputs of other rows that differ from the expected one, spread evenly over the rows. */
function swapsFor({ content }: JudgedRow, outputs: readonly Json[], nth: number): readonly Json[] {
  if (content === null) return []
  const own = JSON.stringify(content.expected)
  const step = Math.max(1, Math.floor(outputs.length / (SWAPS * 2)))
  const swaps: Json[] = []
  for (let at = 0; at < outputs.length && swaps.length < SWAPS; at += step) {
    const output = outputs[(at + nth) % outputs.length]
    if (output !== undefined && JSON.stringify(output) !== own) swaps.push(output)
  }
  return swaps
}
