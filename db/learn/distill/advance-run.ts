import { sql } from 'kysely'
import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { JsonObject, Sha256 } from '../../../core/kernel/json/json.ts'
import {
  RUN_STAGES,
  type MeasuredStep,
  type NewRunEvent,
  type RunCounts,
  type RunStage,
} from '../../../core/learn/distill/run.ts'
import { spentUsd } from '../../../core/learn/distill/spend.ts'
import { MODEL_ERRORS } from '../../../core/model/errors.ts'
import type { Operation } from '../../kernel/operation.ts'
import { countUse } from '../../billing/usage/record-usage.ts'
import { json } from '../../kernel/queries/typed.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { appendRunEvents } from './run-events.ts'

/** Findings of a stage about its run. */
export interface RunFindings {
  readonly counts?: Partial<RunCounts>
  /** Members that are put into the manifest. */
  readonly manifest?: JsonObject
  readonly dataset?: { readonly id: string; readonly version: number }
  /** Ids of rows that the student does not learn from. */
  readonly putAside?: readonly string[]
}

/**
 * Begins a stage, and records what the stages before found out. A repeated attempt begins nothing twice: a stage that has
 * begun, or one before it, adds no event. Throws `compile_cancelled` for a run that was cancelled and `already_finished` for one
 * with another end.
 */
export async function beginRunStage(
  op: Operation,
  runId: string,
  stage: RunStage,
  findings: RunFindings = {},
): Promise<void> {
  await op.write(async (tx) => {
    const run = await lockRun(tx, op, runId)
    const isNew = RUN_STAGES.indexOf(stage) > RUN_STAGES.indexOf(run.stage)
    await tx.q
      .updateTable('distill_runs')
      .set((of) => ({
        state: 'running',
        started_at: of.fn.coalesce('started_at', of.val(op.now())),
        ...(isNew && { stage }),
        ...foundOf(run, findings),
      }))
      .where('id', '=', runId)
      .execute()
    // A repeated attempt finds the same rows, so that each counts once.
    const labelled = (findings.counts?.relabelled ?? run.counts.relabelled) - run.counts.relabelled
    if (labelled > 0) {
      await countUse(tx, op, { chargedTo: run.chargedTo, unit: 'distill_synth_count', quantity: labelled })
    }
    if (isNew) await appendRunEvents(tx, runId, [{ kind: 'stage', body: { stage } }], op.now())
  })
}

/** Records measured steps of a run, each step once; those at or before the last one are left out. */
export async function recordSteps(
  op: Operation,
  runId: string,
  { steps, attempt }: { readonly steps: readonly MeasuredStep[]; readonly attempt: number },
): Promise<void> {
  await op.write(async (tx) => {
    const run = await lockRun(tx, op, runId)
    const fresh = steps.filter(({ step }) => step > run.stepCount)
    const last = fresh.at(-1)
    if (last === undefined) return
    const loss = fresh.findLast((step) => step.loss !== undefined)?.loss
    const score = fresh.findLast((step) => step.k_score !== undefined)?.k_score
    await tx.q
      .updateTable('distill_runs')
      .set({
        step_count: last.step,
        ...(loss !== undefined && { loss_final: loss }),
        ...(score !== undefined && { k_final: score }),
      })
      .where('id', '=', runId)
      .execute()
    const events = fresh.map((step): NewRunEvent => ({ kind: 'progress', body: { ...step, attempt } }))
    await appendRunEvents(tx, runId, events, op.now())
  })
}

/** Measurements of a student. */
export interface StudentFindings {
  /** Members of a progress event; nothing was measured without any. */
  readonly figures: Omit<MeasuredStep, 'step'>
  /** Members that are put into the manifest. */
  readonly manifest: JsonObject
  readonly adapterSha256: Sha256
}

/** Records what was measured of a student, with an event; the second attempt changes nothing. */
export async function recordFigures(op: Operation, runId: string, found: StudentFindings): Promise<void> {
  await op.write(async (tx) => {
    const run = await lockRun(tx, op, runId)
    if (run.adapterSha256 !== null) return
    await tx.q
      .updateTable('distill_runs')
      .set({ adapter_sha256: found.adapterSha256, ...foundOf(run, { manifest: found.manifest }) })
      .where('id', '=', runId)
      .execute()
    if (Object.keys(found.figures).length === 0) return
    const body = { ...found.figures, step: run.stepCount, attempt: 1 }
    await appendRunEvents(tx, runId, [{ kind: 'progress', body }], op.now())
  })
}

/** Sets what a run has spent so far, in millionths of a dollar, as far as it is known. The same sum adds no event. */
export async function recordSpend(op: Operation, runId: string, micros: number): Promise<void> {
  await op.write(async (tx) => {
    const run = await lockRun(tx, op, runId)
    if (run.spendMicros === micros) return
    await tx.q.updateTable('distill_runs').set({ spend_micros: micros }).where('id', '=', runId).execute()
    await appendRunEvents(tx, runId, [{ kind: 'spend', body: { spend_usd: spentUsd(run.manifest, micros) } }], op.now())
  })
}

/** A run whose row is locked until the commit. */
type LockedRun = Awaited<ReturnType<typeof lockRun>>

/** Locks a run that is not over. Throws `not_found`, `compile_cancelled`, `already_finished`. */
export async function lockRun(tx: Transaction, op: Operation, runId: string) {
  const [run] = await tx.q
    .selectFrom('distill_runs')
    .select([
      'state',
      'stage',
      'counts',
      'charged_to as chargedTo',
      'manifest',
      'step_count as stepCount',
      'adapter_sha256 as adapterSha256',
      sql<number>`spend_micros`.as('spendMicros'),
    ])
    .where('id', '=', runId)
    .where('tenant_id', '=', op.tenantId)
    .forUpdate()
    .execute()
  if (run === undefined) throw KERNEL_ERRORS.not_found('no such run')
  if (run.state === 'cancelled') throw MODEL_ERRORS.compile_cancelled('the run was cancelled')
  if (run.state === 'completed' || run.state === 'failed') {
    throw COMPILE_ERRORS.already_finished(`the run is ${run.state} already`)
  }
  return run
}

function foundOf(run: LockedRun, { counts, manifest, dataset, putAside }: RunFindings) {
  return {
    ...(counts !== undefined && { counts: json({ ...run.counts, ...counts }) }),
    ...(manifest !== undefined && { manifest: json<JsonObject>({ ...run.manifest, ...manifest }) }),
    ...(putAside !== undefined && { put_aside: json(putAside) }),
    ...(dataset !== undefined && { dataset_id: dataset.id, dataset_version: dataset.version }),
  }
}
