import { REVIEW_ACTIONS } from '../../../core/gateway/captures/review.ts'
import { ReviewCaptureAnswer, ReviewCapturesAnswer } from '../../../core/gateway/wire/captures/reviews.ts'
import { usageError } from '../../cli-error.ts'
import type { CliContext } from '../../context.ts'

/** Options of `svc captures review`. */
export interface ReviewFlags {
  readonly reason?: string
  readonly fixedOutput?: string
}

/** `svc captures review`. */
export async function reviewCaptures(
  context: CliContext,
  action: string,
  ids: readonly string[],
  { reason, fixedOutput }: ReviewFlags,
): Promise<void> {
  if (!REVIEW_ACTIONS.some((known) => known === action))
    throw usageError(`${action} is not ${REVIEW_ACTIONS.join(', ')}`)
  const client = await context.client()
  const [id = ''] = ids
  if (fixedOutput !== undefined) {
    if (ids.length > 1) throw usageError('--fixed-output is for one capture')
    const path = `/v1/captures/${encodeURIComponent(id)}/review`
    const json = { action, fixed_output: fixedOutput, ...(reason !== undefined && { reason }) }
    const answer = await client.call(path, ReviewCaptureAnswer, { method: 'POST', json })
    return context.output.result(answer, () => `${answer.capture_id} is ${answer.status}, with a fixed output`)
  }
  const json = { action, ids, ...(reason !== undefined && { reason }) }
  const answer = await client.call('/v1/captures/review-bulk', ReviewCapturesAnswer, { method: 'POST', json })
  context.output.result(answer, () =>
    [
      `${answer.updated_count} of ${answer.requested} are ${answer.status}`,
      ...answer.not_found.map((unknown) => `${unknown}: no such capture`),
      ...answer.forgotten.map((gone) => `${gone}: was forgotten`),
    ].join('\n'),
  )
}
