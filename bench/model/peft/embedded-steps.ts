/**
 * Passes over rows by the embedded trainer, its own loop: `embedded-steps.ts BASE ROWS BATCH_TOKENS THREADS VARIANT`.
 * Answers one JSON line for each line on stdin: `turn` trains one pass and answers {seconds, tokens, loss}, `end`
 * answers {peakMb} and ends. Padding does not count as tokens.
 */
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { openBaseModel } from '../../../core/model/files/base-model.ts'
import { planEpochs } from '../../../core/model/training/data/batches.ts'
import { sizeOf } from '../../../core/model/training/data/buckets.ts'
import { planFit } from '../../../core/model/training/fit/plan-fit.ts'
import { runFit } from '../../../core/model/training/fit/run-fit.ts'
import { defaultHyperparameters } from '../../../core/model/training/hyperparameters.ts'
import type { TrainingRow } from '../../../core/model/training/rows.ts'

/** More passes than any run of the benchmark needs. */
const MOST_TURNS = 64

const [baseFolder = '', rowsPath = '', batchTokens = '', threads = '', variant = ''] = process.argv.slice(2)
const commands = createInterface({ input: process.stdin })[Symbol.asyncIterator]()

const { model: base } = await openBaseModel(baseFolder)
const rows: TrainingRow[] = JSON.parse(await readFile(rowsPath, 'utf8'))
const tokens = rows.reduce((sum, { prompt, answer }) => sum + prompt.length + answer.length - 1, 0)
const { contextLength, hiddenSize } = base.config
const hyperparameters = defaultHyperparameters({ rows: rows.length, tokens, contextLength, hiddenSize }, 'supervised', {
  rank: 16,
  alpha: 32,
  epochs: MOST_TURNS,
  batchTokens: Number(batchTokens),
  learningRate: 1e-4,
})
const unlimited = {
  base,
  rows,
  validation: [],
  hyperparameters,
  threads: Number(threads),
  memoryBudgetBytes: Number.MAX_SAFE_INTEGER,
}
const plan = planFit(unlimited)
// The variant that saves memory is the one that the trainer takes when the other does not fit.
const memoryBudgetBytes = variant === 'layers' ? plan.estimatedBytes - 1 : unlimited.memoryBudgetBytes
const turns = planEpochs(plan.units.map(sizeOf), plan.buckets, hyperparameters).map(({ length }) => length)

class Ended extends Error {}

let stepsLeft = 0
let started = 0
let turn = 0
let loss = 0

/** Before each step: at the end of a pass it tells of the pass and waits for the next command. */
async function betweenSteps(): Promise<void> {
  if (stepsLeft === 0) {
    if (turn > 0) tell({ seconds: (performance.now() - started) / 1000, tokens, loss })
    const { value } = await commands.next()
    if (value !== 'turn') throw new Ended()
    stepsLeft = turns[turn++] ?? 0
    started = performance.now()
  }
  stepsLeft--
}

try {
  await runFit(
    { ...unlimited, memoryBudgetBytes },
    { onPause: betweenSteps, onStep: (progress) => void (loss = progress.loss) },
  )
} catch (error) {
  if (!(error instanceof Ended)) throw error
}
tell({ peakMb: process.resourceUsage().maxRSS / 1024 })
process.exit()

function tell(value: object): void {
  process.stdout.write(`${JSON.stringify(value)}\n`)
}
