/**
 * Risk certificates: `node bench/compile/risk.ts [--data FILE] [--refits N]`. FILE is a label task, `{train, test}` of
 * `{input, output}`. A certificate is calibrated 1,000 times on freshly drawn rows; it is violated when more than
 * `max_error` of the given answers are wrong in the population. Limits: at most 10 % violated at confidence 0.9; on the
 * banking intents coverage 0.95 at risk 0.05 and 0.6 at risk 0.03. `cross-fit`: the certificate of the cross-fitted train
 * rows, drawn with replacement, against the test rows; `refits`: whole compiles on rows drawn from the file.
 */
import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { certify } from '../../core/compile/runtime/certificate/certificate.ts'
import type { Calibration, CertificateBasis } from '../../core/compile/runtime/certificate/certificate-types.ts'
import { isGiven, roundConfidence, type CalibrationRow } from '../../core/compile/runtime/certificate/risk-curve.ts'
import { factsOf } from '../../core/compile/rows/intake/example.ts'
import { openGuard } from '../../core/compile/runtime/guard.ts'
import { openCandidate } from '../../core/compile/stages/candidate.ts'
import { verifyCandidates } from '../../core/compile/stages/judge/verify.ts'
import { sampleCandidates } from '../../core/compile/stages/sample/sample.ts'
import type { Row } from '../../core/compile/rows/task.ts'
import { canonicalJson } from '../../core/kernel/json/json.ts'
import { createRandom, type Random } from '../../core/model/random.ts'
import { report } from '../harness/report.ts'
import { madeSets, type RiskSet } from './risk-sets.ts'

const CONFIDENCE = 0.9
const DRAWS = 1000
const RISKS = [0.1, 0.05, 0.03, 0.02] as const

const PairOfFile = z.object({ input: z.json(), output: z.json() })
type Pair = RiskSet['train'][number]

const DataFile = z.object({ train: z.array(PairOfFile).min(20), test: z.array(PairOfFile).min(20) })

interface Compiled {
  readonly kind: string
  /** The rows of the cross-fitting. */
  readonly folded: readonly CalibrationRow[]
  /** Answers a row as a run does, before anything is withheld. */
  readonly answer: (pair: Pair) => CalibrationRow
}

function compile(pairs: readonly Pair[]): Compiled {
  const rows: Row[] = pairs.map((pair, i) => ({ id: `row_${i + 1}`, ...pair }))
  const common = { task: 'Answer as the examples do.', rows, negatives: [], facts: factsOf(rows) }
  const sample = sampleCandidates({ ...common, k: 8, keepsAlternatives: true, budgetMs: 20_000 })
  const risk = { max_error: 0.05, confidence: CONFIDENCE }
  const verdict = verifyCandidates({ ...common, sample, floor: 0.3, doubt: { risk, on_doubt: 'answer' } })
  const { chosen, verifier, evals } = verdict
  if (chosen === null || chosen.data.kind === 'lora') throw new Error('no recipe was found')
  const runner = openCandidate(chosen.data)
  // A classifier's confidence is the one that a certificate compares, whatever the kind.
  const guard = openGuard({ verifier: asDocument(verifier), certificate: null, recipe: { kind: 'classifier' } })
  return {
    kind: chosen.kind,
    folded: evals,
    answer({ input, output }) {
      const guarded = guard(input, runner.run(input))
      const { abstained, confidence } = guarded
      const correct = !abstained && canonicalJson(guarded.output) === canonicalJson(output)
      return { abstained, confidence: roundConfidence(confidence ?? 0), correct }
    },
  }
}

function asDocument(verifier: object): Parameters<typeof openGuard>[0]['verifier'] {
  return JSON.parse(JSON.stringify(verifier))
}

/** Share of given answers and of wrong ones among them, in a population. */
function measure({ threshold }: Calibration, population: readonly CalibrationRow[]) {
  if (threshold === null) return { coverage: 0, risk: 0 }
  const given = population.filter(({ abstained, confidence }) => !abstained && isGiven(confidence, threshold))
  const wrong = given.filter(({ correct }) => !correct).length
  return { coverage: given.length / population.length, risk: given.length === 0 ? 0 : wrong / given.length }
}

interface Experiment {
  readonly name: string
  readonly basis: CertificateBasis
  readonly maxError: number
  /** Draws the rows of one calibration, and gives the population that it promises something about. */
  readonly draw: (round: number) => {
    readonly rows: readonly CalibrationRow[]
    readonly population: readonly CalibrationRow[]
  }
  readonly draws: number
}

function run({ name, basis, maxError, draw, draws }: Experiment) {
  let violated = 0
  let certified = 0
  let coverage = 0
  for (let round = 0; round < draws; round++) {
    const { rows, population } = draw(round)
    const certificate = certify(rows, { risk: { max_error: maxError, confidence: CONFIDENCE }, basis, kinds: 1 })
    const found = measure(certificate, population)
    certified += Number(certificate.status === 'certified')
    violated += Number(found.risk > maxError)
    coverage += found.coverage
  }
  return {
    set: name,
    basis,
    'max error': maxError,
    draws,
    certified: certified / draws,
    coverage: Number((coverage / draws).toFixed(4)),
    violated: violated / draws,
  }
}

function resample<T>(items: readonly T[], count: number, random: Random): readonly T[] {
  return Array.from({ length: count }, () => items[random.below(items.length)]).filter((one) => one !== undefined)
}

function benchSet({ name, train, population, calibration }: RiskSet) {
  const { kind, folded, answer } = compile(train)
  const all = population.map(answer)
  const random = createRandom(7, 'risk')
  return RISKS.flatMap((maxError) => [
    run({
      name: `${name} (${kind})`,
      basis: 'held_out',
      maxError,
      draws: DRAWS,
      draw: () => ({ rows: resample(all, calibration, random), population: all }),
    }),
    run({
      name: `${name} (${kind})`,
      basis: 'cross_fit',
      maxError,
      draws: DRAWS,
      draw: () => ({ rows: resample(folded, folded.length, random), population: all }),
    }),
  ])
}

/** Whole compiles of rows that are drawn from all rows of a set; the others are the population. */
function benchRefits({ name, train, population }: RiskSet, refits: number) {
  const random = createRandom(11, 'refits')
  const compiles = Array.from({ length: refits }, () => {
    const shuffled = [...train, ...population]
      .map((pair) => ({ pair, key: random.below(2 ** 31) }))
      .toSorted((a, b) => a.key - b.key)
      .map(({ pair }) => pair)
    const { folded, answer } = compile(shuffled.slice(0, train.length))
    return { rows: folded, population: shuffled.slice(train.length).map(answer) }
  })
  return RISKS.map((maxError) =>
    run({
      name: `${name}, refitted`,
      basis: 'cross_fit',
      maxError,
      draws: refits,
      draw: (round) => compiles[round] ?? { rows: [], population: [] },
    }),
  )
}

/** Answers with a fixed certificate, as one compile with the test rows as `kind: "test"` gives it. */
function benchOnce({ name, train, population }: RiskSet) {
  const { answer, folded } = compile(train)
  const all = population.map(answer)
  return RISKS.flatMap((maxError) =>
    (['held_out', 'cross_fit'] as const).map((basis) => {
      const rows = basis === 'held_out' ? all : folded
      const found = certify(rows, { risk: { max_error: maxError, confidence: CONFIDENCE }, basis, kinds: 1 })
      return {
        set: `${name}, once`,
        basis,
        'max error': maxError,
        draws: 1,
        certified: Number(found.status === 'certified'),
        coverage: found.coverage ?? 0,
        violated: Number(measure(found, all).risk > maxError),
      }
    }),
  )
}

const { values: options } = parseArgs({
  options: { data: { type: 'string' }, refits: { type: 'string', default: '0' } },
})
const given: RiskSet[] = []
if (options.data !== undefined) {
  const { train, test } = DataFile.parse(JSON.parse(await readFile(options.data, 'utf8')))
  given.push({ name: 'intents', train, population: test, calibration: test.length })
}
const refits = Number(options.refits)
await report('risk', [
  ...given.flatMap(benchOnce),
  ...[...given, ...madeSets()].flatMap(benchSet),
  ...(refits > 0 ? given.flatMap((set) => benchRefits(set, refits)) : []),
])
