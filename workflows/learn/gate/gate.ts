import { ApplicationFailure, proxyActivities, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow'
import { isErrorCode } from '../../../core/learn/errors.ts'
import type { GateActivities } from '../../../activities/learn/gate/activities.ts'
import { computeOn } from '../../kernel/compute-on.ts'
import { codeOfFailure } from '../../kernel/failures.ts'
import { STAGE_KEY } from '../../kernel/names.ts'
import { COMPUTE, FINISH } from '../../kernel/policies.ts'
import type { GateInput, GateOutcome } from './messages.ts'

const compute = proxyActivities<GateActivities>(COMPUTE)
const finish = proxyActivities<GateActivities>(FINISH)

/**
 * Scores and decides a registered gate: one activity records results as they come, so an attempt after a crash continues after
 * them. The history holds ids and states, and nothing of a row.
 */
export async function gate({ gateId, tenantId, takesTurns }: GateInput): Promise<GateOutcome> {
  const ref = { gateId, tenantId }
  show('running')
  try {
    const outcome = await compute.scoreGate.executeWithOptions(
      { ...computeOn({ takesTurns }), summary: 'Score the rows with both artifacts, and decide' },
      [ref],
    )
    show('succeeded')
    return outcome
  } catch (error) {
    const errorCode = codeOfFailure(error, isErrorCode)
    await finish.failGate.executeWithOptions({ ...FINISH, summary: `End failed: ${errorCode}` }, [
      { ...ref, errorCode },
    ])
    show('failed', errorCode)
    throw ApplicationFailure.create({
      type: errorCode,
      message: `the gate failed: ${errorCode}`,
      nonRetryable: true,
      ...(error instanceof Error ? { cause: error } : {}),
    })
  }
}

function show(state: string, note?: string): void {
  setCurrentDetails(note === undefined ? state : `${state}: ${note}`)
  upsertSearchAttributes([{ key: STAGE_KEY, value: state }])
}
