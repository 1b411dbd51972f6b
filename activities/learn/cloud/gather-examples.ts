import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import { checkSummary } from '../../../core/compile/rows/check-summary.ts'
import { datasetChunks } from '../../../core/compile/rows/dataset-chunks.ts'
import type { MemberOrder } from '../../../core/compile/rows/inputs/member-order.ts'
import { readDataset, writeDataset } from '../../../core/compile/rows/intake/dataset.ts'
import type { Example } from '../../../core/compile/rows/intake/example.ts'
import { sealedRowsError } from '../../../core/compile/rows/sealed-rows-error.ts'
import { skippedInWords } from '../../../core/compile/wire/jobs/captures.ts'
import { sha256, type Json, type Sha256 } from '../../../core/kernel/json/json.ts'
import type { LearnedJob } from '../../../db/compile/jobs/create-job.ts'
import { namedExamples } from '../../../db/compile/jobs/captures/named-examples.ts'
import { chainEnds } from '../../../db/gateway/captures/learning/chain-ends.ts'
import { learningTally, readExamples } from '../../../db/gateway/captures/learning/read-examples.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import type { WaitingCloudJob } from '../../../db/learn/cloud/begin-cloud-job.ts'
import { sealedRows } from '../../../db/learn/holdouts/count-sealed.ts'
import type { RunningActivity } from '../../kernel/run-activity.ts'
import type { CloudJobDeps } from './deps.ts'

/** The examples of a cloud job, checked, in memory. */
export interface GatheredExamples {
  readonly sha256: Sha256
  readonly sizeBytes: number
  readonly rows: number
  readonly members: MemberOrder | null
  readonly learned: LearnedJob
  read(): Uint8Array
}

/**
 * Reads the approved captures of a job's window as examples, with the checks of every compile. Throws `no_examples` that says
 * why captures were skipped, `too_many_examples`, `too_few_examples`, `contradictory_examples` and `sealed_rows`.
 */
export async function gatherExamples(
  { limits }: Pick<CloudJobDeps, 'limits'>,
  op: Operation,
  { namespace, captureFrom }: Pick<WaitingCloudJob, 'namespace' | 'captureFrom'>,
  activity: Pick<RunningActivity, 'signal' | 'progress'>,
): Promise<GatheredExamples> {
  const tally = learningTally()
  const bounds = { exampleBytes: limits.example_bytes, jsonDepth: limits.json_depth }
  const examples = async function* (): AsyncGenerator<Example> {
    for await (const row of readExamples(op, { namespace, from: captureFrom }, { bounds, tally })) {
      yield { kind: 'positive', row }
    }
  }
  const writer = writeDataset(examples())
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  for await (const chunk of writer.chunks) {
    activity.signal.throwIfAborted()
    activity.progress()
    sizeBytes += chunk.length
    if (sizeBytes > limits.cloud_examples_bytes || tally.used > limits.upload_rows) throw tooMany(limits)
    chunks.push(chunk)
  }
  if (tally.used === 0) {
    const why = skippedInWords(tally.skipped)
    throw COMPILE_ERRORS.no_examples(
      `capture_window: there are no approved captures of ${namespace} in it${why === '' ? '' : ` that are examples (skipped: ${why})`}; approve some, for example with svc captures review`,
    )
  }
  const summary = writer.summary()
  const bytes = Buffer.concat(chunks)
  await checkSummary(summary, limits, () => readDataset(datasetChunks(bytes)))
  const sealed = await sealedRows.count(op, inputsOf(bytes))
  if (sealed > 0) throw sealedRowsError('examples', sealed)
  // After the captures: the chain then reaches beyond all of them.
  const chains = await chainEnds(op, namespace)
  const facts = { namespace, skipped: { ...tally.skipped }, chains: chains.map((end) => ({ ...end })) }
  return {
    sha256: sha256(bytes),
    sizeBytes,
    rows: summary.rows,
    members: summary.members,
    learned: { from: 'captures', facts, examples: () => namedExamples(bytes) },
    read: () => bytes,
  }
}

async function* inputsOf(bytes: Uint8Array): AsyncGenerator<Json> {
  for await (const example of readDataset(datasetChunks(bytes))) {
    if (example.kind === 'positive') yield example.row.input
  }
}

function tooMany(limits: CloudJobDeps['limits']) {
  return COMPILE_ERRORS.too_many_examples(
    `capture_window: its captures are more than ${limits.cloud_examples_bytes} bytes or ${limits.upload_rows} rows; take a shorter one`,
  )
}
