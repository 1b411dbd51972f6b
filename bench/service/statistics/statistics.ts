/**
 * Statistics beside SciPy, statsmodels and choix: `npm run bench -- --stats-python PYTHON statistics`, where PYTHON is an interpreter that has
 * bench/service/statistics/requirements.lock installed. Both compute the same drawn cases; the bootstrap of both draws the same
 * resamples. Limit: no figure differs by more than 1e-9, a strength of Bradley and Terry by 1e-6; Wilson intervals are rounded to four decimals.
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { adjustForAny, adjustForDiscoveries } from '../../../core/kernel/statistics/adjust.ts'
import { bcaInterval } from '../../../core/kernel/statistics/bca-bootstrap.ts'
import { upperBound } from '../../../core/kernel/statistics/binomial.ts'
import { bradleyTerry, type Preference } from '../../../core/kernel/statistics/bradley-terry.ts'
import { fisherGreater } from '../../../core/kernel/statistics/fisher.ts'
import { mcnemar } from '../../../core/kernel/statistics/mcnemar.ts'
import { clusteredError, standardError } from '../../../core/kernel/statistics/means.ts'
import { normalCdf, normalQuantile } from '../../../core/kernel/statistics/normal.ts'
import { wilsonInterval } from '../../../core/kernel/statistics/wilson-interval.ts'
import { createRandom, type Random } from '../../../core/model/random.ts'
import { report } from '../../harness/report.ts'

const CASES = 200
const MOST_DIFFERENCE = 1e-9
/** Choix stops its search where one step gains little. */
const MOST_OF_SEARCH = 1e-6

/** Of figures that are rounded to four decimals. */
const MOST_OF_ROUNDING = 0.5e-4 + MOST_DIFFERENCE

const { values } = parseArgs({ options: { python: { type: 'string' }, seed: { type: 'string', default: '1' } } })
if (values.python === undefined) throw new Error('--python names an interpreter that has requirements.lock installed')

/** One statistic: the arguments of a case, and its figures here. */
interface Statistic {
  readonly name: string
  readonly peer: string
  readonly limit: number
  readonly draw: (random: Random) => unknown
  readonly figures: (drawn: never) => readonly number[]
}

/** Declares a statistic whose cases have one type. */
function statistic<Case>(
  peer: string,
  name: string,
  draw: (random: Random) => Case,
  figures: (drawn: Case) => readonly number[],
  limit = MOST_DIFFERENCE,
): Statistic {
  return { name, peer, limit, draw, figures }
}

const many = <T>(count: number, make: (place: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, i) => make(i))
const ends = ({ low, high }: { readonly low: number; readonly high: number }): readonly number[] => [low, high]

const STATISTICS: readonly Statistic[] = [
  statistic(
    'statsmodels',
    'mcnemar',
    (r) => ({ lost: r.below(60), won: r.below(60) }),
    (c) => [mcnemar(c)],
  ),
  statistic(
    'statsmodels',
    'wilson',
    (r) => {
      const n = 1 + r.below(2000)
      return { k: r.below(n + 1), n }
    },
    ({ k, n }) => ends(wilsonInterval(k, n)),
    MOST_OF_ROUNDING,
  ),
  statistic(
    'statsmodels',
    'clopper_pearson',
    (r) => {
      const n = 1 + r.below(500)
      return { k: r.below(n), n }
    },
    ({ k, n }) => [upperBound(k, n, 0.05)],
  ),
  statistic('statsmodels', 'benjamini_hochberg', drawPValues, adjustForDiscoveries),
  statistic('statsmodels', 'holm', drawPValues, adjustForAny),
  statistic(
    'statsmodels',
    'clustered_error',
    (r) => ({ values: many(60, () => r.normal()), clusters: many(60, () => `${r.below(12)}`) }),
    (c) => [clusteredError(c.values, c.clusters)],
  ),
  statistic(
    'SciPy',
    'fisher',
    (r) => {
      const total = 10 + r.below(200)
      const size = 1 + r.below(total)
      const allHits = r.below(total + 1)
      const least = Math.max(0, size + allHits - total)
      return { hits: least + r.below(Math.min(size, allHits) - least + 1), size, allHits, total }
    },
    (c) => [fisherGreater(c)],
  ),
  statistic(
    'SciPy',
    'standard_error',
    (r) => many(2 + r.below(100), () => r.normal()),
    (c) => [standardError(c)],
  ),
  statistic(
    'SciPy',
    'normal',
    (r) => r.float(),
    (c) => [normalQuantile(c), normalCdf(6 * c - 3)],
  ),
  statistic(
    'SciPy',
    'bca',
    (r) => ({
      values: many(20 + r.below(40), () => (r.float() < 0.3 ? 1 : r.float())),
      resamples: 500,
      seed: r.below(1e6),
    }),
    ({ values: given, ...options }) => ends(bcaInterval(given, options)),
  ),
  statistic(
    'choix',
    'bradley_terry',
    drawPreferences,
    (c) => bradleyTerry(c.items, c.preferences).map(({ strength }) => strength),
    MOST_OF_SEARCH,
  ),
]

function drawPValues(random: Random): readonly number[] {
  return many(1 + random.below(40), () => random.float() ** 3)
}

function drawPreferences(random: Random): { readonly items: number; readonly preferences: readonly Preference[] } {
  const items = 2 + random.below(6)
  const preferences = many(20 + random.below(100), () => {
    const first = random.below(items)
    const second = (first + 1 + random.below(items - 1)) % items
    return { first, second, won: random.below(3) / 2 }
  })
  return { items, preferences }
}

const random = createRandom(Number(values.seed), 'statistics')
const cases = STATISTICS.map((each) => ({ ...each, drawn: many(CASES, () => each.draw(random)) }))
const peer = spawnSync(values.python, [fileURLToPath(new URL('peer.py', import.meta.url))], {
  input: JSON.stringify(Object.fromEntries(cases.map(({ name, drawn }) => [name, drawn]))),
  encoding: 'utf8',
  maxBuffer: 256 * 1024 * 1024,
  stdio: ['pipe', 'pipe', 'inherit'],
})
if (peer.status !== 0) throw new Error(`the peer ended with ${peer.status}`)
const theirs = z.record(z.string(), z.array(z.array(z.number()))).parse(JSON.parse(peer.stdout))

const rows = cases.map(({ name, peer: of, limit, drawn, figures }) => {
  const differences = drawn.flatMap((each, at) => {
    const own = figures(each as never)
    const other = theirs[name]?.[at] ?? []
    if (own.length !== other.length) throw new Error(`${name}: ${own.length} figures here, ${other.length} there`)
    return own.map((figure, place) => Math.abs(figure - (other[place] ?? Number.NaN)))
  })
  return {
    what: name,
    peer: of,
    cases: drawn.length,
    figures: differences.length,
    value: Math.max(...differences),
    limit,
  }
})
await report('statistics', rows)
process.exitCode = rows.every(({ value, limit }) => value <= limit) ? 0 : 1
