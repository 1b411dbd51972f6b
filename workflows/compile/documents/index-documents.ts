import {
  ApplicationFailure,
  patched,
  proxyActivities,
  setCurrentDetails,
  upsertSearchAttributes,
} from '@temporalio/workflow'
import { isErrorCode } from '../../../core/compile/errors.ts'
import type { DocumentActivities } from '../../../activities/compile/documents/activities.ts'
import { codeOfFailure } from '../../kernel/failures.ts'
import { STAGE_KEY } from '../../kernel/names.ts'
import { COMPUTE, FINISH } from '../../kernel/policies.ts'
import type { IndexInput, IndexOutcome } from './messages.ts'

const compute = proxyActivities<DocumentActivities>(COMPUTE)
const finish = proxyActivities<DocumentActivities>(FINISH)

/**
 * Reads files into a namespace: one activity takes them one after another and records each, so an attempt after a crash goes
 * on behind the last. A file that cannot be read does not end it. A second one gives the chunks their vectors.
 */
export async function indexDocuments({ indexId, tenantId }: IndexInput): Promise<IndexOutcome> {
  const ref: IndexInput = { indexId, tenantId }
  show('running')
  try {
    const { indexed, skipped, failed } = await compute.readDocuments.executeWithOptions(
      { ...COMPUTE, summary: 'Read the files and store their chunks' },
      [ref],
    )
    if (patched('vectors')) {
      show('embedding')
      await compute.embedDocuments.executeWithOptions({ ...COMPUTE, summary: 'Give the chunks their vectors' }, [ref])
    }
    await finish.finishIndex.executeWithOptions({ ...FINISH, summary: 'End succeeded' }, [{ ...ref, errorCode: null }])
    show('succeeded', `${indexed} indexed, ${skipped} unchanged, ${failed} not read`)
    return { state: 'succeeded' }
  } catch (error) {
    const errorCode = codeOfFailure(error, isErrorCode)
    await finish.finishIndex.executeWithOptions({ ...FINISH, summary: `End failed: ${errorCode}` }, [
      { ...ref, errorCode },
    ])
    show('failed', errorCode)
    throw ApplicationFailure.create({
      type: errorCode,
      message: `the indexing failed: ${errorCode}`,
      nonRetryable: true,
      ...(error instanceof Error ? { cause: error } : {}),
    })
  }
}

function show(state: string, note?: string): void {
  setCurrentDetails(note === undefined ? state : `${state}: ${note}`)
  upsertSearchAttributes([{ key: STAGE_KEY, value: state }])
}
