/**
 * Failure modes: `node bench/compile/failure-modes/failure-modes.ts [--planted N] [--random N]`. Rows of three tasks in which one slice fails, and rows
 * that fail at random; beside ours the method of the reference, which joins rows that share two of their three commonest
 * terms. Found: one of the first five slices has a Jaccard index of at least 0.8 with the planted rows. Limits: 90 % of
 * the planted slices found; 95 % of the reports on random failures name none.
 */
import { parseArgs } from 'node:util'
import { findFailureModes } from '../../../core/compile/artifacts/diagnosis/failure-modes.ts'
import { meets } from '../../../core/compile/artifacts/diagnosis/facts/condition.ts'
import type { FactValue } from '../../../core/compile/artifacts/diagnosis/facts/facts-of.ts'
import { factsOfPair } from '../../../core/compile/artifacts/diagnosis/slices/columns.ts'
import type { JudgedRow } from '../../../core/compile/artifacts/diagnosis/judged-row.ts'
import { createRandom } from '../../../core/model/random.ts'
import { report } from '../../harness/report.ts'
import { plantSlice } from './planted-slices.ts'

const { values } = parseArgs({ options: { planted: { type: 'string' }, random: { type: 'string' } } })
const PLANTED = Number(values.planted ?? 90)
const RANDOM = Number(values.random ?? 200)
const WORLDS = ['tickets', 'orders', 'measures'] as const
const TOP = 5
const NEAR = 0.8

interface Method {
  readonly name: string
  /** Sets of row ids, the worst first. */
  readonly modes: (rows: readonly JudgedRow[]) => readonly ReadonlySet<string>[]
}

const OURS: Method = {
  name: 'subgroup search',
  modes: (rows) =>
    findFailureModes(rows, []).modes.map(({ kind, conditions, rowIds }) =>
      kind === 'answer' || conditions.length === 0
        ? new Set(rowIds)
        : new Set(rows.filter((row) => conditions.every((one) => meets(factsOf(row), one))).map(({ id }) => id)),
    ),
}

const REFERENCE: Method = { name: 'terms of the reference', modes: termClusters }

function factsOf({ content }: JudgedRow): ReadonlyMap<string, FactValue> {
  return content === null ? new Map() : factsOfPair({ input: content.input, output: content.expected })
}

const STOP = new Set(
  'the and for are but not you all any can had her was one our out has him his how its may new now old see two who did get use with that this from they will would there their what about which when make like time just know take into your some could them than then only come over also back after work first well even want because these give most'.split(
    ' ',
  ),
)
const LEAST_CLUSTER = 10
const LEAST_DELTA = 0.05

/** The reference's method: rows join the cluster with which they share two of their three commonest terms. */
function termClusters(rows: readonly JudgedRow[]): readonly ReadonlySet<string>[] {
  const clusters: { readonly terms: readonly string[]; readonly rows: JudgedRow[] }[] = []
  for (const row of rows) {
    const terms = topTerms(row)
    const found = clusters.find((one) => one.terms.filter((term) => terms.includes(term)).length >= 2)
    if (found === undefined) clusters.push({ terms, rows: [row] })
    else found.rows.push(row)
  }
  const overall = accuracy(rows)
  return clusters
    .filter((one) => one.rows.length >= LEAST_CLUSTER && overall - accuracy(one.rows) >= LEAST_DELTA)
    .toSorted((a, b) => accuracy(a.rows) - accuracy(b.rows))
    .map((one) => new Set(one.rows.map(({ id }) => id)))
}

function topTerms({ content }: JudgedRow): readonly string[] {
  const input = content?.input ?? ''
  const text = (typeof input === 'string' ? input : JSON.stringify(input)).toLowerCase()
  const words = (text.match(/\p{L}{3,}/gu) ?? []).filter((word) => !STOP.has(word))
  const counts = new Map<string, number>()
  for (const [i, word] of words.entries()) {
    counts.set(word, (counts.get(word) ?? 0) + 1)
    const next = words[i + 1]
    if (next !== undefined) counts.set(`${word} ${next}`, (counts.get(`${word} ${next}`) ?? 0) + 1)
  }
  return [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, 3)
    .map(([term]) => term)
}

function accuracy(rows: readonly JudgedRow[]): number {
  return rows.filter(({ right }) => right).length / rows.length
}

function jaccard(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const shared = [...one].filter((id) => other.has(id)).length
  return shared / (one.size + other.size - shared)
}

const sizes = [200, 400, 800] as const
const figures = [OURS, REFERENCE].map((method) => {
  let found = 0
  let ms = 0
  const missed: string[] = []
  for (let i = 0; i < PLANTED; i++) {
    const world = WORLDS[i % WORLDS.length] ?? 'tickets'
    const planted = plantSlice(
      world,
      createRandom(i, 'planted'),
      sizes[Math.floor(i / WORLDS.length) % sizes.length] ?? 400,
      true,
    )
    const startedAt = performance.now()
    const modes = method.modes(planted.rows)
    ms += performance.now() - startedAt
    const best = Math.max(0, ...modes.slice(0, TOP).map((mode) => jaccard(mode, planted.members)))
    if (best >= NEAR) found++
    else
      missed.push(
        `${world}: ${planted.name} (${planted.members.size} of ${planted.rows.length}, best ${best.toFixed(2)})`,
      )
  }
  let silent = 0
  for (let i = 0; i < RANDOM; i++) {
    const world = WORLDS[i % WORLDS.length] ?? 'tickets'
    const { rows } = plantSlice(
      world,
      createRandom(i, 'random'),
      sizes[Math.floor(i / WORLDS.length) % sizes.length] ?? 400,
      false,
    )
    const modes = method.modes(rows)
    if (modes.length === 0) silent++
    else if (method === OURS)
      missed.push(
        `random ${world}: ${findFailureModes(rows, [])
          .modes.map((mode) => `${mode.kind} ${mode.title} ${mode.p.toExponential(1)}`)
          .join('; ')}`,
      )
  }
  return { method: method.name, found, silent, ms: ms / PLANTED, missed }
})
for (const line of figures[0]?.missed ?? []) console.log(line)
await report(
  'failure-modes',
  figures.map(({ method, found, silent, ms }) => ({
    method,
    [`found of ${PLANTED} planted`]: found,
    [`none named of ${RANDOM} at random`]: silent,
    'ms a report': Math.round(ms),
  })),
)
const [ours] = figures
if (ours === undefined || ours.found < PLANTED * 0.9 || ours.silent < RANDOM * 0.95) process.exitCode = 1
