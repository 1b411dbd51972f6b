import { deserialize, serialize } from 'node:v8'
import { readDataset } from '../../../core/compile/rows/intake/dataset.ts'
import {
  answerRows,
  applyAnswers,
  isAnswerId,
  type Answer,
} from '../../../core/compile/synthesis/questions/apply-answers.ts'
import { readQuestions } from '../../../core/compile/synthesis/questions/question-choices.ts'
import type { Example, Selection } from '../../../core/compile/rows/intake/example.ts'
import { listQuestions } from '../../../db/compile/progress/questions/questions.ts'
import { idOfExample } from '../../../core/compile/rows/intake/merge-examples.ts'
import { selectRows } from '../../../core/compile/rows/intake/select-rows.ts'
import { readChoices } from '../../../core/compile/stages/lora/lora-options.ts'
import { skippedAdapter } from '../../../core/compile/stages/lora/adapter-report.ts'
import { withoutAdapter } from '../../../core/compile/stages/lora/judge-adapter.ts'
import { skippedCost } from '../../../core/compile/stages/clock/stage-clock.ts'
import type { SampleOutput, StageCost as MeasuredCost } from '../../../core/compile/stages/stage-types.ts'
import type { Verdict } from '../../../core/compile/stages/judge/verdict.ts'
import type { WorkStage } from '../../../core/compile/rows/task.ts'
import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { Sha256 } from '../../../core/kernel/json/json.ts'
import { prepareBlob, putBlob, type NewBlob } from '../../../db/kernel/blobs/put-blob.ts'
import { getBlob, readBlob } from '../../../db/kernel/blobs/read-blob.ts'
import type { CompileJob } from '../../../db/compile/jobs/compile-job.ts'
import { stageResult, type StageResult } from '../../../db/compile/jobs/stages/stages.ts'
import type { StageCost } from '../../../db/compile/jobs/stages/stage-cost.ts'
import { findRound } from '../../../db/compile/progress/teacher-samples/rounds.ts'
import { type CompileDeps, operationOf } from './deps.ts'
import { AdapterFacts, SampleFacts, type JobRef } from './results.ts'

/**
 * Maximum bytes that one stage leaves for the next. Stages leave recipes, not rows: the weights of classifiers and tabular
 * models are bounded (core/model), and so is the number of recipes.
 */
const MAX_STAGE_BYTES = 128 * 1024 * 1024

/** Returns the rows that a job works on: the same rows on every call, whatever the size of the dataset. */
export async function loadRows(deps: CompileDeps, job: CompileJob): Promise<Selection> {
  const answers = await loadAnswers(deps, job)
  const given = readDataset(readBlob(deps.db, digestOf(job.datasetSha256)))
  const selection = await selectRows(withAnswers(given, answers), {
    maxRows: deps.limits.rows_used_per_compile,
    tolerances: readChoices(job.spec).tolerances,
  })
  return answers.length === 0
    ? selection
    : { ...selection, unlabelled: applyAnswers([], selection.unlabelled, answers).unlabelled }
}

/** Returns the replies to the questions of a job, in the order of asking. */
async function loadAnswers(deps: CompileDeps, job: CompileJob): Promise<readonly Answer[]> {
  if (readQuestions(job.spec).max === 0) return []
  const questions = await listQuestions(operationOf(deps, { jobId: job.id, tenantId: job.tenantId }), job.id)
  return questions.map(({ input, state, given }): Answer => {
    if (given !== null) return { kind: 'output', input, output: given.output }
    return { kind: state === 'invalid_input' ? 'invalid_input' : 'skip', input }
  })
}

/** Yields the examples of a dataset, and after them the answers: an answered input is an example like the others. */
async function* withAnswers(given: AsyncIterable<Example>, answers: readonly Answer[]): AsyncGenerator<Example> {
  const ids: string[] = []
  for await (const example of given) {
    const id = idOfExample(example)
    if (answers.length > 0 && isAnswerId(id)) ids.push(id)
    yield example
  }
  for (const row of answerRows(answers, ids)) yield { kind: 'positive', row }
}

function digestOf(stored: string | null | undefined): Sha256 {
  if (stored?.startsWith('sha256:') !== true) throw KERNEL_ERRORS.internal('a job has no dataset under its digest')
  return `sha256:${stored.slice('sha256:'.length)}`
}

/**
 * Returns the blobs of a verdict and of the rows that it was reached on, apart: those are shown longer than the stage's data
 * is kept. The record of the stage stores both.
 * A verdict that another stage reached on its own rows names none.
 */
export async function keepVerdict(
  deps: CompileDeps,
  { rowReport, ...verdict }: Verdict,
): Promise<{ readonly blobSha256: Sha256; readonly rowsSha256?: Sha256; readonly blobs: readonly NewBlob[] }> {
  const kept = await outputBlob(deps, verdict)
  if (rowReport === undefined || rowReport.length === 0) return { blobSha256: kept.sha256, blobs: [kept] }
  const rows = await prepareBlob(deps.db, rowReport)
  return { blobSha256: kept.sha256, rowsSha256: rows.sha256, blobs: [kept, rows] }
}

/** Stores the output of a compute stage as the thread returned it: JSON and bytes. */
export async function keepOutput(deps: CompileDeps, output: SampleOutput | Verdict): Promise<Sha256> {
  const { sha256 } = await putBlob(deps.db, bytesOf(output))
  return sha256
}

/** The same for a transaction that stores it with the record of its stage. */
export async function outputBlob(deps: CompileDeps, output: SampleOutput | Verdict): Promise<NewBlob> {
  return await prepareBlob(deps.db, bytesOf(output))
}

function bytesOf(output: SampleOutput | Verdict): Uint8Array {
  const bytes = serialize(output)
  if (bytes.byteLength > MAX_STAGE_BYTES) throw COMPILE_ERRORS.compile_failed('the recipes are too large to keep')
  return bytes
}

/** Returns the output of `k-sample`. */
export async function loadSample(deps: CompileDeps, ref: JobRef): Promise<SampleOutput> {
  const output: SampleOutput = deserialize(await loadStageBlob(deps, ref, 'k-sample'))
  return expectSpec(output, ['svc-sample-1', 'svc-sample-2'], 'k-sample')
}

/** Returns the output of `k-sample` before the teacher was asked. */
export async function loadDraft(deps: CompileDeps, ref: JobRef): Promise<SampleOutput> {
  const round = await findRound(operationOf(deps, ref), ref.jobId)
  if (round === null) throw KERNEL_ERRORS.internal('k-sample left no draft')
  const output: SampleOutput = deserialize(await getBlob(deps.db, round.blobSha256, MAX_STAGE_BYTES))
  return expectSpec(output, ['svc-sample-1', 'svc-sample-2'], 'k-sample')
}

/** Returns the measured cost of `k-sample` out of its record. */
export function sampleCostOf(recorded: StageResult | null): MeasuredCost {
  if (recorded === null) throw KERNEL_ERRORS.internal('k-sample left nothing')
  return SampleFacts.parse(recorded.result).measured
}

/** Returns the output of `verify`, before any adapter. */
export async function loadVerified(deps: CompileDeps, ref: JobRef): Promise<Verdict> {
  const output: Verdict = deserialize(await loadStageBlob(deps, ref, 'verify'))
  return expectSpec(output, ['svc-verdict-1', 'svc-verdict-2'], 'verify')
}

/** Sources of a final verdict. */
interface VerdictSources {
  /** Returns the record of `lora-fit`. */
  readonly fitted: () => Promise<StageResult | null>
  /** Returns the verdict of `verify`. */
  readonly verified: () => Promise<Verdict>
}

/** Returns the final verdict: that of `lora-fit` when an adapter was judged, else that of `verify`. */
export async function loadVerdict(deps: CompileDeps, ref: JobRef, sources?: VerdictSources): Promise<Verdict> {
  const verified = sources?.verified ?? (async () => await loadVerified(deps, ref))
  const fitted =
    sources === undefined
      ? await stageResult(operationOf(deps, ref), { jobId: ref.jobId, stage: 'lora-fit' })
      : await sources.fitted()
  if (fitted === null) return await verified()
  if (fitted.blobSha256 === null) {
    const { code, reason } = AdapterFacts.parse(fitted.result)
    const verdict = await verified()
    return withoutAdapter(verdict, skippedAdapter(code, reason), skippedCost('lora-fit', reason))
  }
  const output: Verdict = deserialize(await loadStageBlob(deps, ref, 'lora-fit'))
  return expectSpec(output, ['svc-verdict-1', 'svc-verdict-2'], 'lora-fit')
}

/** Returns the stored bytes of a stage. Throws `internal` when there are none: stages run in order. */
export async function loadStageBlob(deps: CompileDeps, ref: JobRef, stage: WorkStage): Promise<Uint8Array> {
  const recorded = await stageResult(operationOf(deps, ref), { jobId: ref.jobId, stage })
  if (recorded === null || recorded.blobSha256 === null) throw KERNEL_ERRORS.internal(`${stage} left nothing`)
  return await getBlob(deps.db, recorded.blobSha256, MAX_STAGE_BYTES)
}

/** Checks the spec of a stored output; the first is that of the version before, whose jobs continue. */
function expectSpec<T extends { readonly spec: string }>(output: T, specs: readonly T['spec'][], stage: WorkStage): T {
  if (!specs.includes(output.spec))
    throw KERNEL_ERRORS.internal(`${stage} left ${output.spec}, not ${specs.join(' or ')}`)
  return output
}

/** Returns the cost of a stage as it is stored with the job. */
export function storedCost(cost: MeasuredCost): StageCost {
  return {
    durationMs: cost.wall_ms,
    cpuMs: cost.cpu_ms,
    usdMicros: Math.round(cost.cost_usd * 1_000_000),
    tokens: cost.provider_tokens,
    workUnits: cost.search_steps + cost.training_steps,
  }
}

/** Returns the cost of a stage that only waited for the database. */
export function plainCost(startedAt: number): StageCost {
  return { durationMs: Math.round(performance.now() - startedAt), usdMicros: 0 }
}
