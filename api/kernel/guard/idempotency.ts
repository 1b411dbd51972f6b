import { invalidField } from '../../../core/errors.ts'
import { hashJson, type Json } from '../../../core/json.ts'
import type { Limits } from '../../../core/tenancy/limits.ts'
import {
  abandonRequest,
  claimRequest,
  CLAIM_LEASE_MS,
  completeRequest,
  renewRequest,
} from '../../../db/idempotency/claims.ts'
import type { Operation } from '../../../db/operation.ts'

/** A call that asks to be answered once. */
export interface KeptCall {
  readonly op: Operation
  /** The operation id: one key may be used on two routes for two things. */
  readonly route: string
  readonly key: string
  readonly body: Json
  readonly limits: Limits
}

/** An answer as it is kept: status, and the JSON body as text. */
export interface KeptAnswer {
  readonly status: number
  readonly text: string
}

/** The `Idempotency-Key` of a call, undefined when it has none. Throws `validation_failed` for one that is no key. */
export function idempotencyKeyFrom(header: string | readonly string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  if (typeof header !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(header)) {
    throw invalidField('Idempotency-Key', 'must have 1 to 255 printable ASCII characters')
  }
  return header
}

/**
 * Answers a call once per key: the first call does the work, later ones with the same body get its answer. An error
 * frees the key, since nothing was done. Throws `idempotency_key_reused`, `request_in_progress`, and what `work`
 * throws.
 */
export async function answerOnce(call: KeptCall, work: () => Promise<KeptAnswer>): Promise<KeptAnswer> {
  const { op, route, key, limits } = call
  const claim = await claimRequest(op, { route, key, bodyHash: hashJson(call.body), limits })
  if (claim.kind === 'replay') return { status: claim.status, text: JSON.stringify(claim.body) }
  const { claimToken } = claim
  const renewal = setInterval(() => {
    renewRequest(op, { route, key, claimToken }).catch(() => {})
  }, CLAIM_LEASE_MS / 3)
  try {
    const answer = await work()
    const body: Json = JSON.parse(answer.text)
    await completeRequest(op, { route, key, claimToken, status: answer.status, body })
    return answer
  } catch (error) {
    // The caller is told what went wrong first; a claim that cannot be freed now is free when its lease is over.
    await abandonRequest(op, { route, key, claimToken }).catch(() => undefined)
    throw error
  } finally {
    clearInterval(renewal)
  }
}
