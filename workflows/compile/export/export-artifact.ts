import { ApplicationFailure, proxyActivities, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow'
import { isErrorCode } from '../../../core/compile/errors.ts'
import type { ExportActivities } from '../../../activities/compile/export/activities.ts'
import { codeOfFailure } from '../../kernel/failures.ts'
import { STAGE_KEY } from '../../kernel/names.ts'
import { COMPUTE, FINISH } from '../../kernel/policies.ts'
import type { ExportInput, ExportOutcome } from './messages.ts'

const compute = proxyActivities<ExportActivities>(COMPUTE)
const finish = proxyActivities<ExportActivities>(FINISH)

/**
 * Writes an artifact in another format: one activity makes the file and publishes it with the row of the export. A
 * failed export ends its row as failed, and fails the workflow with the machine code as its type.
 */
export async function exportArtifact({ exportId, tenantId }: ExportInput): Promise<ExportOutcome> {
  const ref: ExportInput = { exportId, tenantId }
  show('running')
  try {
    const { sizeBytes } = await compute.writeExport.executeWithOptions(
      { ...COMPUTE, summary: 'Convert the artifact and store the file' },
      [ref],
    )
    show('succeeded', `${sizeBytes} bytes`)
    return { state: 'succeeded' }
  } catch (error) {
    const errorCode = codeOfFailure(error, isErrorCode)
    await finish.failExport.executeWithOptions({ ...FINISH, summary: `End failed: ${errorCode}` }, [
      { ...ref, errorCode },
    ])
    show('failed', errorCode)
    throw ApplicationFailure.create({
      type: errorCode,
      message: `the export failed: ${errorCode}`,
      nonRetryable: true,
      ...(error instanceof Error ? { cause: error } : {}),
    })
  }
}

function show(state: string, note?: string): void {
  setCurrentDetails(note === undefined ? state : `${state}: ${note}`)
  upsertSearchAttributes([{ key: STAGE_KEY, value: state }])
}
