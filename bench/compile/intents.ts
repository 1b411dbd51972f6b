/**
 * The classifier on a label task (`--data FILE`: `{train: [{input, output}], test: [...]}`): accuracy on the test rows
 * of the trainer alone and of what a compile ships (a fifth of the train rows is its holdout), time to fit, size.
 * Limits on the banking intents: accuracy 0.94, fit 10 s, archive 1 MiB.
 */
import { factsOf } from '../../core/compile/rows/intake/example.ts'
import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { deflateRawSync } from 'node:zlib'
import { z } from 'zod'
import { measureLatency } from '../../core/compile/stages/scoring/measure-latency.ts'
import { wilsonInterval } from '../../core/kernel/statistics/wilson-interval.ts'
import { openCandidate } from '../../core/compile/stages/candidate.ts'
import { sampleCandidates } from '../../core/compile/stages/sample/sample.ts'
import type { RecipeData } from '../../core/compile/stages/stage-types.ts'
import { verifyCandidates } from '../../core/compile/stages/judge/verify.ts'
import type { Row } from '../../core/compile/rows/task.ts'
import { chooseAbstention } from '../../core/compile/stages/verifier/abstention.ts'
import { trainClassifier } from '../../core/model/classifier/train-classifier.ts'
import { report } from '../harness/report.ts'

/** TF-IDF (word 1-2-grams) with logistic regression on the banking intents, same split. */
const REFERENCE_ACCURACY = 0.94

const Pair = z.object({ input: z.string(), output: z.string() })
const DataFile = z.object({ train: z.array(Pair).min(20), test: z.array(Pair).min(1) })

interface Measured {
  readonly name: string
  readonly rows: number
  readonly accuracy: number
  readonly low: number
  readonly high: number
  readonly abstained: number
  readonly fitMs: number
  readonly weightsBytes: number
  readonly deflatedBytes: number
  readonly p50Us: number
  readonly p99Us: number
}

function measure(
  name: string,
  rows: number,
  fitMs: number,
  data: RecipeData,
  test: readonly z.infer<typeof Pair>[],
): Measured {
  const runner = openCandidate(data)
  const results = test.map(({ input, output }) => ({ ...runner.run(input), expected: output }))
  const right = results.filter((result) => result.output === result.expected).length
  const latency = measureLatency(
    runner,
    test.map(({ input }) => input),
  )
  const weights = data.kind === 'classifier' ? data.weights : new Uint8Array()
  return {
    name,
    rows,
    accuracy: right / test.length,
    ...wilsonInterval(right, test.length),
    abstained: results.filter(({ abstained }) => abstained).length,
    fitMs: Math.round(fitMs),
    weightsBytes: weights.length,
    deflatedBytes: deflateRawSync(weights, { level: 9 }).length,
    p50Us: latency.p50_us,
    p99Us: latency.p99_us,
  }
}

/** The trainer on all train rows, as the reference was made. */
function benchTrainer(train: readonly Row[], test: readonly z.infer<typeof Pair>[]): Measured {
  const start = performance.now()
  const trained = trainClassifier(train, { contenders: 3 })
  if (trained === null) throw new Error('the outputs are not labels')
  const { threshold } = chooseAbstention(trained.innerPredictions)
  const fitMs = performance.now() - start
  const data: RecipeData = { kind: 'classifier', recipe: { ...trained.recipe, threshold }, weights: trained.weights }
  return measure('trainer, all train rows', train.length, fitMs, data, test)
}

/** The stages of a compile: what an archive would hold, fitted on all rows and scored in folds. */
function benchCompile(rows: readonly Row[], test: readonly z.infer<typeof Pair>[]): Measured {
  const start = performance.now()
  const common = { task: 'Name the intent of the message.', rows, negatives: [], facts: factsOf(rows) }
  const sample = sampleCandidates({ ...common, k: 4, budgetMs: 8000 })
  const { chosen } = verifyCandidates({ ...common, sample, floor: 0.85 })
  if (chosen === null || chosen.data.kind === 'lora') throw new Error('no recipe was found')
  return measure(`compile, ${chosen.kind}`, sample.split.train.length, performance.now() - start, chosen.data, test)
}

function toTableRow(one: Measured): Readonly<Record<string, string | number>> {
  return {
    run: one.name,
    'train rows': one.rows,
    accuracy: one.accuracy,
    'x reference': Number((one.accuracy / REFERENCE_ACCURACY).toFixed(3)),
    '95 %': `${one.low} to ${one.high}`,
    abstained: one.abstained,
    'fit ms': one.fitMs,
    'weights B': one.weightsBytes,
    'deflated B': one.deflatedBytes,
    'p50 us': one.p50Us,
    'p99 us': one.p99Us,
  }
}

const { values: options } = parseArgs({ options: { data: { type: 'string' } } })
if (options.data === undefined) throw new Error('usage: node bench/compile/intents.ts --data FILE')
const { train, test } = DataFile.parse(JSON.parse(await readFile(options.data, 'utf8')))
const rows = train.map((pair, i) => ({ id: `row_${i + 1}`, ...pair }))
await report('intents', [benchTrainer(rows, test), benchCompile(rows, test)].map(toTableRow))
