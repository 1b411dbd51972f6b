import type { z } from 'zod'
import type { AcceptanceView } from '../../../core/compile/wire/jobs/explain/acceptance.ts'
import { isJsonObject, type Json } from '../../../core/kernel/json/json.ts'
import { findAcceptance } from '../../../db/compile/progress/acceptances/find-acceptance.ts'
import type { CompileJob } from '../../../db/compile/jobs/compile-job.ts'
import type { Operation } from '../../../db/kernel/operation.ts'

/** Returns the acceptance of a job below its floor, field by field; undefined for a job that was not accepted. */
export async function presentAcceptance(
  op: Operation,
  { id, status, evaluation }: CompileJob,
): Promise<z.input<typeof AcceptanceView> | undefined> {
  if (status !== 'gated' && !(status === 'ready' && isAccepted(evaluation ?? undefined))) return undefined
  const accepted = await findAcceptance(op, id)
  if (accepted === null) return undefined
  const { state, acceptedBy, acceptedAt, kScore, kScoreFloor, errorCode } = accepted
  return {
    state,
    by: acceptedBy,
    at: acceptedAt.toISOString(),
    k_score: kScore,
    k_score_floor: kScoreFloor,
    ...(errorCode !== null && errorCode !== undefined && { error_code: errorCode }),
  }
}

function isAccepted(evaluation: Json | undefined): boolean {
  return isJsonObject(evaluation) && evaluation['accepted'] !== undefined
}
