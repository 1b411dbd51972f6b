import { checkSummary } from '../../../core/compile/rows/check-summary.ts'
import { readDataset, writeDataset } from '../../../core/compile/rows/intake/dataset.ts'
import { inputOfExample } from '../../../core/compile/rows/intake/example.ts'
import { DEFAULT_BASE } from '../../../core/compile/stages/lora/lora-options.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { Json, JsonObject, Sha256 } from '../../../core/kernel/json/json.ts'
import { LEARN_ERRORS } from '../../../core/learn/errors.ts'
import { createJob } from '../../../db/compile/jobs/create-job.ts'
import { findJob } from '../../../db/compile/jobs/find-job.ts'
import { namedExamples } from '../../../db/compile/jobs/captures/named-examples.ts'
import type { NewRental } from '../../../db/compile/rentals/begin-rental.ts'
import { chainEnds } from '../../../db/gateway/captures/learning/chain-ends.ts'
import { putBlob } from '../../../db/kernel/blobs/put-blob.ts'
import { readBlob } from '../../../db/kernel/blobs/read-blob.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { findTenant } from '../../../db/kernel/tenant/find-tenant.ts'
import { findReadyVersion, type ReadyVersion } from '../../../db/learn/datasets/find-dataset.ts'
import { beginRunStage } from '../../../db/learn/distill/advance-run.ts'
import { findRun, type ShownRun } from '../../../db/learn/distill/find-run.ts'
import { refuseSealed } from '../../../db/learn/holdouts/refuse-sealed.ts'
import { runActivity, type RunningActivity } from '../../kernel/run-activity.ts'
import { cloudRental } from '../cloud/cloud-rental.ts'
import { compileExamples } from './examples.ts'
import { operationOf, type DistillDeps, type RunRef } from './deps.ts'

/** A compile that waits to be started, or was admitted by the end of another. */
export interface SubmittedCompile {
  readonly jobId: string
  /** True when the workflow of the run starts it as its child. */
  readonly isAdmitted: boolean
}

/** The rejected answer of a capture has the id of the capture, as its correction has. */
const NO_REJECTED = { withNegatives: false } as const

/**
 * Stores the compile that trains, gates and signs for a run. Its id was chosen with the run, so a repeated attempt finds the one that an
 * earlier attempt stored. Throws what the checks of examples throw, `sealed_rows`, `quota_exhausted`, `compute_exhausted`,
 * `capture_forgotten`.
 */
export async function submitCompile(deps: DistillDeps, ref: RunRef): Promise<SubmittedCompile> {
  return await runActivity(deps.log, async (activity) => {
    const op = operationOf(deps, ref)
    const run = await findRun(op, ref.runId)
    const known = await findKnown(op, run.jobId)
    if (known !== null) return known
    await beginRunStage(op, ref.runId, 'train', { manifest: { job_id: run.jobId } })
    const { datasetId, datasetVersion } = run
    if (!datasetId || !datasetVersion) throw LEARN_ERRORS.distill_failed('the run has no dataset')
    const version = await findReadyVersion(op, datasetId, datasetVersion)
    const stored = await storeExamples(deps, op, { run, version, activity })
    const { namespace } = run
    const chains = await chainEnds(op, namespace)
    const tenant = await findTenant(deps.db, ref.tenantId)
    if (tenant === null) throw KERNEL_ERRORS.not_found('no such tenant')
    const examples = () => namedExamples(readBlob(deps.db, stored.sha256), NO_REJECTED)
    const { request } = run
    const rental =
      request.kind === 'cloud'
        ? await cloudRental(deps, op, {
            request,
            plan: tenant.plan,
            rows: { rows: stored.rows, read: () => readBlob(deps.db, stored.sha256) },
          })
        : undefined
    const { isAdmitted } = await createJob(op, {
      jobId: run.jobId,
      spec: { ...specOf(run), extra: { ...extraOf(run, version, rental), ...stored.extra } },
      datasetSha256: stored.sha256,
      rowCount: stored.rows,
      learned: {
        from: 'dataset',
        facts: { namespace, skipped: {}, chains: chains.map((end) => ({ ...end })) },
        examples,
      },
      rental,
      plan: tenant.plan,
      quota: tenant.quotaOverride ?? null,
      chargedTo: run.chargedTo,
      limits: deps.limits,
      isChild: true,
    })
    return { jobId: run.jobId, isAdmitted }
  })
}

async function findKnown(op: Operation, jobId: string): Promise<SubmittedCompile | null> {
  try {
    const { admittedAt } = await findJob(op, jobId)
    return { jobId, isAdmitted: admittedAt !== null }
  } catch (error) {
    if (KERNEL_ERRORS.not_found.matches(error)) return null
    throw error
  }
}

/** Writes the rows of the student in their canonical form. */
async function storeExamples(
  deps: DistillDeps,
  op: Operation,
  {
    run,
    version,
    activity,
  }: {
    readonly run: ShownRun
    readonly version: ReadyVersion
    readonly activity: RunningActivity
  },
): Promise<{ readonly sha256: Sha256; readonly rows: number; readonly extra: JsonObject }> {
  const progress = () => activity.progress()
  const examples = compileExamples(op, run, { version, limits: deps.limits, progress })
  const writer = writeDataset(counted(examples, activity))
  const { sha256 } = await putBlob(deps.db, writer.chunks, { signal: activity.signal })
  const summary = writer.summary()
  await checkSummary(summary, deps.limits, () => readDataset(readBlob(deps.db, sha256)))
  // Rows may have been sealed since the run was accepted.
  await refuseSealed(op, 'rows', inputsOf(readDataset(readBlob(deps.db, sha256)), progress))
  const { rows, members } = summary
  return {
    sha256,
    rows,
    extra: members === null ? {} : { members: { input: [...members.input], output: [...members.output] } },
  }
}

async function* inputsOf(examples: ReturnType<typeof readDataset>, progress: () => void): AsyncGenerator<Json> {
  for await (const example of examples) {
    progress()
    yield inputOfExample(example)
  }
}

async function* counted<T>(items: AsyncIterable<T>, activity: RunningActivity): AsyncGenerator<T> {
  for await (const item of items) {
    activity.progress()
    yield item
  }
}

function specOf({ request }: ShownRun) {
  return { task: request.task, baseModel: request.base_model ?? DEFAULT_BASE, kScoreFloor: request.k_score_floor }
}

function extraOf(
  { id, namespace, request }: ShownRun,
  { datasetId, version, merkleRoot }: ReadyVersion,
  rental: NewRental | undefined,
): JsonObject {
  const { base_model: base } = request
  return {
    corpus_namespace: namespace,
    ...(base !== null && { base_model: base }),
    ...fitOf(request),
    trainer: rental === undefined ? 'embedded' : rental.lane === 'pool' ? 'pool' : 'rented',
    dataset: { dataset_id: datasetId, version, merkle_root: merkleRoot ?? '', run_id: id },
  }
}

/** The choices of a compile by what the run was asked for. */
function fitOf(request: ShownRun['request']): JsonObject {
  switch (request.kind) {
    case 'from_captures':
      return { recipe_kind: 'auto' }
    case 'cloud':
      return { recipe_kind: 'lora', lora: { ...request.lora } }
    case 'preference':
      return { recipe_kind: 'lora', lora: { ...request.lora, objective: request.objective } }
    case 'onpolicy':
      return { recipe_kind: 'lora', distil: { ...request.distil } }
  }
}
