import { ApplicationFailure, proxyActivities, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow'
import { isErrorCode } from '../../../core/learn/errors.ts'
import type { EvaluationActivities } from '../../../activities/learn/evals/activities.ts'
import { computeOn } from '../../kernel/compute-on.ts'
import { codeOfFailure } from '../../kernel/failures.ts'
import { STAGE_KEY } from '../../kernel/names.ts'
import { ASK, COMPUTE, FINISH } from '../../kernel/policies.ts'
import type { EvaluateInput, EvaluateOutcome } from './messages.ts'

const compute = proxyActivities<EvaluationActivities>(COMPUTE)
const wait = proxyActivities<EvaluationActivities>(ASK)
const finish = proxyActivities<EvaluationActivities>(FINISH)

/**
 * Evaluates a target: where that is a provider's model, one activity asks it and records each answer; one scores the rows
 * one after another and records each, so an attempt after a crash continues after the last; another computes the figures of
 * all rows.
 */
export async function evaluate({
  evaluationId,
  tenantId,
  asksModel = false,
  attempt,
  takesTurns,
}: EvaluateInput): Promise<EvaluateOutcome> {
  const ref = { evaluationId, tenantId, attempt }
  show('running')
  try {
    if (asksModel) {
      await wait.askModel.executeWithOptions({ ...ASK, summary: "Ask the provider's model for each row" }, [ref])
    }
    // Answers of a model may be judged by another one, or run in a sandbox, which takes as long as turns do.
    const times = computeOn({ takesTurns: takesTurns !== false || asksModel })
    const scored = await compute.scoreRows.executeWithOptions(
      { ...times, summary: 'Ask the target for each row and score its answers' },
      [ref],
    )
    await compute.concludeEvaluation.executeWithOptions({ ...COMPUTE, summary: 'Compute the figures of all rows' }, [
      ref,
    ])
    show('succeeded', `${scored} rows scored`)
    return { state: 'succeeded' }
  } catch (error) {
    const errorCode = codeOfFailure(error, isErrorCode)
    await finish.failEvaluation.executeWithOptions({ ...FINISH, summary: `End failed: ${errorCode}` }, [
      { ...ref, errorCode },
    ])
    show('failed', errorCode)
    throw ApplicationFailure.create({
      type: errorCode,
      message: `the evaluation failed: ${errorCode}`,
      nonRetryable: true,
      ...(error instanceof Error ? { cause: error } : {}),
    })
  }
}

function show(state: string, note?: string): void {
  setCurrentDetails(note === undefined ? state : `${state}: ${note}`)
  upsertSearchAttributes([{ key: STAGE_KEY, value: state }])
}
