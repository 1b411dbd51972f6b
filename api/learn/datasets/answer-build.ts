import { ERROR_CODES, isErrorCode } from '../../../core/errors.ts'
import type { DomainError } from '../../../core/kernel/errors.ts'
import { timeoutAfter } from '../../../core/kernel/threads/timers.ts'
import { BuildDataset } from '../../../core/learn/workflows.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { subscribeJob } from '../../../db/compile/progress/events/subscribe.ts'
import { findDataset, findVersion, type VersionRow } from '../../../db/learn/datasets/find-dataset.ts'
import { createEventWait } from '../../kernel/reply/events.ts'
import type { CallFacts } from '../services.ts'
import { presentNamed, presentVersion } from './present-dataset.ts'

type WaitingCall = Pick<CallFacts, 'services' | 'endOfCall'> & { readonly op: Operation }

/**
 * Waits for the end of a version that was just asked for and returns its answer: 201 when it is ready, 202 when it continues.
 * Throws the error of a build that failed.
 */
export async function answerBuild(
  call: WaitingCall,
  { datasetId, version }: { readonly datasetId: string; readonly version: number },
) {
  const row = await waitForBuild(call, datasetId, version)
  if (row.state === 'failed') throw failureOf(row)
  const dataset = await findDataset(call.op, datasetId)
  const body = {
    ...presentNamed(dataset),
    ...presentVersion(row),
    poll: `/v1/datasets/${datasetId}?version=${version}`,
  }
  return { status: row.state === 'ready' ? (201 as const) : (202 as const), body }
}

async function waitForBuild({ op, services, endOfCall }: WaitingCall, datasetId: string, version: number) {
  const signal = AbortSignal.any([endOfCall(), timeoutAfter(services.limits.sync_dataset_wait_s)])
  const wait = createEventWait(signal)
  const { workflowId } = BuildDataset.plan({ datasetId, version, tenantId: op.tenantId })
  const unsubscribe = subscribeJob(services.notifications, workflowId, () => wait.wake())
  try {
    for (;;) {
      const row = await findVersion(op, datasetId, version)
      if (row.finishedAt !== null || (await wait.next()) === 'ended') return await findVersion(op, datasetId, version)
    }
  } finally {
    unsubscribe()
  }
}

function failureOf({ datasetId, version, errorCode, errorMessage }: VersionRow): DomainError {
  const code = isErrorCode(errorCode) ? errorCode : 'dataset_failed'
  const message = errorMessage ?? 'the version was not built'
  const [field] = /^[^:\s]{1,100}(?=: )/.exec(message) ?? []
  return ERROR_CODES[code](message, {
    details: {
      dataset_id: datasetId,
      version,
      ...(field !== undefined && { fields: [{ field, message: message.slice(field.length + 2) }] }),
    },
  })
}
