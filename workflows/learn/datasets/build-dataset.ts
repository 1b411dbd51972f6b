import { ApplicationFailure, proxyActivities, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow'
import { isErrorCode } from '../../../core/learn/errors.ts'
import type { DatasetActivities } from '../../../activities/learn/datasets/activities.ts'
import { codeOfFailure } from '../../kernel/failures.ts'
import { STAGE_KEY } from '../../kernel/names.ts'
import { COMPUTE, FINISH } from '../../kernel/policies.ts'
import type { DatasetInput, DatasetOutcome } from './messages.ts'

const compute = proxyActivities<DatasetActivities>(COMPUTE)
const finish = proxyActivities<DatasetActivities>(FINISH)

/**
 * Builds one version of a dataset: one activity reads, splits and measures the rows and publishes the version, so an
 * attempt after a crash starts over and nothing of the first is seen.
 */
export async function buildDatasetVersion({ datasetId, version, tenantId }: DatasetInput): Promise<DatasetOutcome> {
  const ref: DatasetInput = { datasetId, version, tenantId }
  show('running')
  try {
    const { rows } = await compute.buildDataset.executeWithOptions(
      { ...COMPUTE, summary: 'Read, split and measure the rows' },
      [ref],
    )
    show('ready', `${rows} rows`)
    return { state: 'ready' }
  } catch (error) {
    const errorCode = codeOfFailure(error, isErrorCode)
    await finish.failDataset.executeWithOptions({ ...FINISH, summary: `End failed: ${errorCode}` }, [
      { ...ref, errorCode },
    ])
    show('failed', errorCode)
    throw ApplicationFailure.create({
      type: errorCode,
      message: `the version was not built: ${errorCode}`,
      nonRetryable: true,
      ...(error instanceof Error ? { cause: error } : {}),
    })
  }
}

function show(state: string, note?: string): void {
  setCurrentDetails(note === undefined ? state : `${state}: ${note}`)
  upsertSearchAttributes([{ key: STAGE_KEY, value: state }])
}
