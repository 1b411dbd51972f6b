import {
  ApplicationFailure,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  upsertSearchAttributes,
} from '@temporalio/workflow'
import type { BakeoffActivities } from '../../../activities/learn/bakeoff/activities.ts'
import { codeOfFailure } from '../../kernel/failures.ts'
import { STAGE_KEY } from '../../kernel/names.ts'
import { COMPUTE, FINISH } from '../../kernel/policies.ts'
import type { BakeoffInput, BakeoffOutcome } from './messages.ts'

const compute = proxyActivities<BakeoffActivities>(COMPUTE)
const finish = proxyActivities<BakeoffActivities>(FINISH)

/**
 * Holds a bake-off: one contestant after the other answers the rows, each answer is recorded as it comes, and an attempt after a crash
 * goes on behind the last. A contestant that fails has its reason recorded, and the others go on.
 */
export async function bakeoff({ bakeoffId, tenantId, contestants }: BakeoffInput): Promise<BakeoffOutcome> {
  const ref = { bakeoffId, tenantId }
  show('running')
  try {
    for (const [contestant, name] of contestants.entries()) {
      show('running', `${name}, ${contestant + 1} of ${contestants.length}`)
      await answer({ ...ref, contestant }, name)
    }
    await compute.concludeBakeoff.executeWithOptions({ ...COMPUTE, summary: 'Compare all contestants' }, [ref])
    show('succeeded')
    return { state: 'succeeded' }
  } catch (error) {
    const errorCode = codeOfFailure(error)
    await finish.failBakeoff.executeWithOptions({ ...FINISH, summary: `End failed: ${errorCode}` }, [
      { ...ref, errorCode },
    ])
    show('failed', errorCode)
    throw ApplicationFailure.create({
      type: errorCode,
      message: `the bake-off failed: ${errorCode}`,
      nonRetryable: true,
      ...(error instanceof Error ? { cause: error } : {}),
    })
  }
}

async function answer(
  ref: { readonly bakeoffId: string; readonly tenantId: string; readonly contestant: number },
  name: string,
): Promise<void> {
  try {
    await compute.answerRows.executeWithOptions({ ...COMPUTE, summary: `${name} answers the rows` }, [ref])
  } catch (error) {
    if (isCancellation(error)) throw error
    const errorCode = codeOfFailure(error)
    await finish.endContestant.executeWithOptions({ ...FINISH, summary: `${name} ends: ${errorCode}` }, [
      { ...ref, errorCode },
    ])
  }
}

function show(state: string, note?: string): void {
  setCurrentDetails(note === undefined ? state : `${state}: ${note}`)
  upsertSearchAttributes([{ key: STAGE_KEY, value: state }])
}
