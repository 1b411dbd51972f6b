import {
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  upsertSearchAttributes,
} from '@temporalio/workflow'
import { GENERATING } from '../../../core/compile/stages/pool/run-terms.ts'
import type { DistillActivities } from '../../../activities/learn/distill/activities.ts'
import type { RunRef } from '../../../activities/learn/distill/deps.ts'
import { isErrorCode, type ErrorCode } from '../../../core/learn/errors.ts'
import { computeOn } from '../../kernel/compute-on.ts'
import { codeOfFailure } from '../../kernel/failures.ts'
import { K_SCORE_KEY, STAGE_KEY } from '../../kernel/names.ts'
import { ASK, COMPUTE, FINISH, STORE, WATCH } from '../../kernel/policies.ts'
import type { DistillInput, DistillOutcome } from './messages.ts'
import { trainAsChild } from './train.ts'

const compute = proxyActivities<DistillActivities>(COMPUTE)
const watch = proxyActivities<DistillActivities>(WATCH)
const ask = proxyActivities<DistillActivities>(ASK)
const store = proxyActivities<DistillActivities>(STORE)
const finish = proxyActivities<DistillActivities>(FINISH)

/**
 * Distils rows into a student: collects them as a dataset, puts rows with doubtful labels aside, and lets a compile train, evaluate,
 * gate and sign, as a child. Every activity finds again what an earlier attempt has made, so nothing is made or paid for twice.
 */
export async function distill({ runId, tenantId, kind }: DistillInput): Promise<DistillOutcome> {
  const ref: RunRef = { runId, tenantId }
  try {
    show('collect')
    const { rows } = await watch.collectRows.executeWithOptions(
      { ...WATCH, summary: 'Collect the rows as a dataset' },
      [ref],
    )
    show('curate', `${rows} rows`)
    const { putAside } = await compute.curateRows.executeWithOptions(
      { ...COMPUTE, summary: 'Look for rows with doubtful labels' },
      [ref],
    )
    show('label', `${rows} rows, ${putAside} put aside`)
    const { relabelled, spendUsd } = await ask.labelRows.executeWithOptions(
      { ...ASK, summary: 'Ask the teacher about the rows that were put aside' },
      [ref],
    )
    const labelled = `${rows} rows, ${putAside} put aside, ${relabelled} relabelled for ${spendUsd === null ? 'an unknown cost' : `$${spendUsd.toFixed(4)}`}`
    show('train', labelled)
    const submitted = await store.submitCompile.executeWithOptions(
      { ...STORE, summary: 'Store the compile that trains, gates and signs' },
      [ref],
    )
    const { steps, loss } = await trainAsChild(ref, submitted)
    if (kind === 'onpolicy') {
      await compute.compareModels.executeWithOptions(
        { ...computeOn(GENERATING), summary: 'Let teacher and student answer the held-out rows' },
        [ref],
      )
    }
    const { rewardAccuracy, rewardMargin } = await compute.evaluateStudent.executeWithOptions(
      { ...computeOn(GENERATING), summary: 'Measure the adapter on held-out pairs and on neutral text' },
      [ref],
    )
    const { state, errorCode, artifactId, kScore } = await finish.concludeRun.executeWithOptions(
      { ...FINISH, summary: 'End the run as its compile ended' },
      [ref],
    )
    if (state !== 'completed')
      throw ApplicationFailure.nonRetryable('the compile of the run', errorCode ?? 'distill_failed')
    const fit = loss === null ? '' : `, loss ${loss.toFixed(4)} after ${steps} steps`
    const rewards =
      rewardAccuracy === null ? '' : `, rewards right ${rewardAccuracy.toFixed(3)}, margin ${rewardMargin?.toFixed(4)}`
    show('completed', `${labelled}${fit}${rewards}, K ${kScore?.toFixed(4) ?? 'unknown'}`)
    if (kScore !== null) upsertSearchAttributes([{ key: K_SCORE_KEY, value: kScore }])
    return { state: 'completed', artifactId, kScore }
  } catch (error) {
    const isCancelled = isCancellation(error)
    const errorCode: ErrorCode = isCancelled ? 'compile_cancelled' : codeOfFailure(error, isErrorCode)
    await CancellationScope.nonCancellable(() =>
      finish.endRun.executeWithOptions({ ...FINISH, summary: `End: ${errorCode}` }, [{ ...ref, errorCode }]),
    )
    show(errorCode === 'compile_cancelled' ? 'cancelled' : 'failed', errorCode)
    if (isCancelled) throw error
    throw ApplicationFailure.create({
      type: errorCode,
      message: `the distillation failed: ${errorCode}`,
      nonRetryable: true,
      ...(error instanceof Error ? { cause: error } : {}),
    })
  }
}

function show(state: string, note?: string): void {
  setCurrentDetails(note === undefined ? state : `${state}: ${note}`)
  upsertSearchAttributes([{ key: STAGE_KEY, value: state }])
}
