/**
 * Gates: `node bench/service/gates/gates.ts`. Null pairs looked at after every row, beside a Wilson interval looked at each time;
 * rows until promotion beside the fixed sample of McNemar's exact test at power 0.8; adversaries on a sealed holdout.
 * Limits: at most 5 % of 2,000 null pairs promoted within 500 rows; median rows at most half of the fixed sample at twice
 * the planned gain, and 1.7 times at the planned one; at most 5 % of 2,000 adversaries with 200 attempts each ever promoted.
 */
import { createRandom } from '../../../core/model/random.ts'
import { report } from '../../harness/report.ts'
import { everPromoted, falsePromotions, fixedSample, medianRows } from './gate-simulations.ts'

const PAIRS = 2000
const LOOKED_AT_ROWS = 500
const RUNS = 1000
const MOST_ROWS = 20_000
const MOST_FALSE = 0.05
const MOST_AT_TWICE = 0.5
const MOST_AT_PLANNED = 1.7
const DIFFERING = [0.1, 0.2, 0.4] as const
/** Share of rows that differ, and the planned gain. */
const EFFECTS = [
  { differing: 0.15, gain: 0.05 },
  { differing: 0.2, gain: 0.05 },
  { differing: 0.3, gain: 0.1 },
  { differing: 0.1, gain: 0.02 },
] as const
const three = (value: number): number => Number(value.toFixed(3))

const nulls = DIFFERING.map((differing) => {
  const found = falsePromotions(createRandom(17, `null ${differing}`), {
    pairs: PAIRS,
    rows: LOOKED_AT_ROWS,
    differing,
  })
  return {
    differing,
    pairs: PAIRS,
    gate: found.gate,
    wilson_each_row: found.wilson,
    ok: String(found.gate <= MOST_FALSE),
  }
})
await report('gate-nulls', nulls)

const rows = EFFECTS.map((pairs) => {
  const fixed = fixedSample(pairs)
  const median = (factor: number): number =>
    medianRows(createRandom(17, `rows ${pairs.differing} ${pairs.gain} ${factor}`), {
      runs: RUNS,
      pairs: { differing: Math.max(pairs.differing, factor * pairs.gain), gain: factor * pairs.gain },
      planned: pairs.gain,
      most: MOST_ROWS,
    })
  const [planned, twice] = [median(1), median(2)]
  const isOk = planned <= MOST_AT_PLANNED * fixed && twice <= MOST_AT_TWICE * fixed
  return {
    differing: pairs.differing,
    planned_gain: pairs.gain,
    fixed_rows: fixed,
    median_at_planned: planned,
    share_at_planned: three(planned / fixed),
    median_at_twice: twice,
    share_at_twice: three(twice / fixed),
    ok: String(isOk),
  }
})
await report('gate-rows', rows)

const adversaries = DIFFERING.map((differing) => {
  const setting = { adversaries: PAIRS, attempts: 200, rows: 500, differing }
  const { spent, each } = everPromoted(createRandom(17, `adversaries ${differing}`), setting)
  return { ...setting, ever_promoted: spent, at_5_percent_each: each, ok: String(spent <= MOST_FALSE) }
})
await report('gate-adversaries', adversaries)

if ([...nulls, ...rows, ...adversaries].some(({ ok }) => ok !== 'true')) process.exitCode = 1
