import { createHmac } from 'node:crypto'
import { invalidField } from '../../../core/errors.ts'
import { canonicalJson, type Json } from '../../../core/json.ts'
import type { Limits } from '../../../core/tenancy/limits.ts'
import {
  abandonRequest,
  claimRequest,
  CLAIM_LEASE_MS,
  completeRequest,
  renewRequest,
  type KeptAnswer,
} from '../../../db/idempotency/claims.ts'
import type { Operation } from '../../../db/operation.ts'
import { serviceKey } from '../../../db/secrets/service-secrets.ts'

/** A call that asks to be answered once. */
export interface KeptCall {
  readonly op: Operation
  /** The operation id: one key may be used on two routes for two things. */
  readonly route: string
  readonly key: string
  /** Everything that the call asks for: what its path and query name, and its body. */
  readonly asked: Json
  readonly limits: Limits
}

/** A key as HTTP carries it: 1 to 255 printable ASCII characters, no space at either end. */
export const IDEMPOTENCY_KEY = /^[!-~]([ -~]{0,253}[!-~])?$/

/** The `Idempotency-Key` of a call, undefined when it has none. Throws `validation_failed` for one that is no key. */
export function idempotencyKeyFrom(header: string | readonly string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  if (typeof header !== 'string' || !IDEMPOTENCY_KEY.test(header)) {
    throw invalidField('Idempotency-Key', 'must have 1 to 255 printable ASCII characters')
  }
  return header
}

/**
 * Answers a call once per key: the first call does the work, later ones that ask for the same get its answer. An error
 * frees the key, since nothing was done. Throws `idempotency_key_reused`, `request_in_progress`, and what `work`
 * throws.
 */
export async function answerOnce(call: KeptCall, work: () => Promise<KeptAnswer>): Promise<KeptAnswer> {
  const { op, route, key, limits } = call
  const claim = await claimRequest(op, { route, key, bodyHash: await digestOf(call), limits })
  if (claim.kind === 'replay') return claim.answer
  const { claimToken } = claim
  const renewal = setInterval(() => {
    renewRequest(op, { route, key, claimToken }).catch(() => {})
  }, CLAIM_LEASE_MS / 3)
  try {
    const answer = await work()
    await completeRequest(op, { route, key, claimToken, answer })
    return answer
  } catch (error) {
    // The caller is told what went wrong first; a claim that cannot be freed now is free when its lease is over.
    await abandonRequest(op, { route, key, claimToken }).catch(() => undefined)
    throw error
  } finally {
    clearInterval(renewal)
  }
}

/** Keyed, since what was asked for may hold what nobody is to find by trying, such as an event before its redaction. */
async function digestOf({ op, asked }: KeptCall): Promise<string> {
  const { secret } = await serviceKey(op.db, 'fingerprint', op.db)
  return createHmac('sha256', secret).update(canonicalJson(asked)).digest('hex')
}
