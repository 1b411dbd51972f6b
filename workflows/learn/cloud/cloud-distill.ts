import {
  ApplicationFailure,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow'
import { isErrorCode } from '../../../core/learn/errors.ts'
import type { CloudJobActivities } from '../../../activities/learn/cloud/activities.ts'
import { codeOfFailure } from '../../kernel/failures.ts'
import { STAGE_KEY } from '../../kernel/names.ts'
import { FINISH, STORE } from '../../kernel/policies.ts'
import { RowWait } from '../../kernel/row-wait.ts'
import { changedSignal, type CloudJobInput, type CloudJobOutcome } from './messages.ts'

const store = proxyActivities<CloudJobActivities>(STORE)
const finish = proxyActivities<CloudJobActivities>(FINISH)

/**
 * Waits until the machines of a cloud job are configured, then starts its distillation, which continues by itself. A job
 * that waits in vain fails with `no_pool_configured`.
 */
export async function cloudDistill({ cloudJobId, tenantId }: CloudJobInput): Promise<CloudJobOutcome> {
  const ref: CloudJobInput = { cloudJobId, tenantId }
  const pools = new RowWait()
  setHandler(changedSignal, () => pools.wake())
  try {
    for (;;) {
      pools.begin()
      const { state, waitMs } = await store.beginCloudJob.executeWithOptions(
        { ...STORE, summary: 'Start the distillation, once there are machines' },
        [ref],
      )
      if (state !== 'waiting') {
        show(state)
        return { state }
      }
      show('waiting', 'no pool is configured, or the plan has no place')
      await pools.wait({ number: 1, waitMs })
    }
  } catch (error) {
    const errorCode = codeOfFailure(error, isErrorCode)
    await finish.failCloudJob.executeWithOptions({ ...FINISH, summary: `End failed: ${errorCode}` }, [
      { ...ref, errorCode },
    ])
    show('failed', errorCode)
    throw ApplicationFailure.create({
      type: errorCode,
      message: `the cloud job failed: ${errorCode}`,
      nonRetryable: true,
      ...(error instanceof Error ? { cause: error } : {}),
    })
  }
}

function show(state: string, note?: string): void {
  setCurrentDetails(note === undefined ? state : `${state}: ${note}`)
  upsertSearchAttributes([{ key: STAGE_KEY, value: state }])
}
