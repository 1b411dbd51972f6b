import { createHash, createHmac } from 'node:crypto'
import { DomainError, invalidField } from '../../../core/kernel/errors.ts'
import { canonicalJson, type Json } from '../../../core/kernel/json/json.ts'
import type { Limits } from '../../../core/kernel/limits.ts'
import { encloseTransactions } from '../../../db/kernel/idempotency/enclosing-transaction.ts'
import {
  abandonRequest,
  claimRequest,
  CLAIM_LEASE_MS,
  completeRequest,
  releaseRequest,
  renewRequest,
  type KeptAnswer,
} from '../../../db/kernel/idempotency/claims.ts'
import type { Principal } from '../../../db/kernel/tenant/principal.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { serviceKey } from '../../../db/kernel/secrets/service-secrets.ts'
import type { Administrator } from './identify.ts'

/** A call that asks to be answered once. */
export interface KeptCall {
  readonly op: Operation
  /** The operation id: one key may be used on two routes for two things. */
  readonly route: string
  readonly key: string
  /** The owner of the claim, see `claimantOf`. */
  readonly credential: string
  /** Everything that the call asks for: what its path and query name, and its body. */
  readonly asked: Json
  readonly limits: Limits
}

/**
 * Does what is not in the database, once it is sure that the answer stands: at once for a call without a key, after the
 * commit for one with a key. `undo` is called instead when the answer does not stand.
 */
export type WhenKept = (effect: () => void, undo?: () => void) => void

/** A call without a key: the handler's own errors are all that can go wrong. */
export const keepsNothing: WhenKept = (effect) => effect()

/** The operation that the work of a claimed call uses in place of its own. */
export interface ClaimedWork {
  /** Its database joins all transactions into the one that keeps the answer. */
  readonly op: Operation
  readonly whenKept: WhenKept
}
/** A key as HTTP carries it: 1 to 255 printable ASCII characters, no space at either end. */
export const IDEMPOTENCY_KEY = /^[!-~]([ -~]{0,253}[!-~])?$/

/** The `Idempotency-Key` of a call, undefined when it has none. Throws `validation_failed` for one that is not a key. */
export function idempotencyKeyFrom(header: string | readonly string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  if (typeof header !== 'string' || !IDEMPOTENCY_KEY.test(header)) {
    throw invalidField('Idempotency-Key', 'must have 1 to 255 printable ASCII characters')
  }
  return header
}

/**
 * The credential that a claim belongs to: the key of the call, also of a session that it opened, which has its rights; the
 * member of any other session; the name of an administrator.
 */
export function claimantOf(
  principal: Pick<Principal, 'kind' | 'keyId' | 'memberId' | 'sessionId'> | undefined,
  admin?: Administrator,
): string {
  if (principal === undefined) {
    if (admin === undefined) throw new Error('a claim needs a caller')
    return `admin:${admin.name}`
  }
  const { kind, keyId, memberId, sessionId } = principal
  if (kind !== 'member' && keyId !== null) return `key:${keyId}`
  return memberId === null ? `session:${sessionId}` : `member:${memberId}`
}

/**
 * Answers a call once per key and credential: the first call does the work, later ones that ask for the same get its
 * answer. The answer is kept in the transaction of the work, so there is never one without the other; a refusal frees the
 * key. Throws `idempotency_key_reused`, `request_in_progress`, and what `work` throws.
 */
export async function answerOnce(
  call: KeptCall,
  work: (claimed: ClaimedWork) => Promise<KeptAnswer>,
): Promise<KeptAnswer> {
  const { op, route, key, credential, limits } = call
  const name = { route, key, credential }
  const claim = await claimRequest(op, { ...name, bodyHash: await digestOf(call), limits })
  if (claim.kind === 'replay') return claim.answer
  const { claimToken, createdAt } = claim
  const renewal = setInterval(() => {
    renewRequest(op, { ...name, claimToken }).catch(() => {})
  }, CLAIM_LEASE_MS / 3)
  const enclosure = encloseTransactions(op.db)
  const effects: (() => void)[] = []
  const undoing: (() => void)[] = []
  const whenKept: WhenKept = (effect, undo) => {
    effects.push(effect)
    if (undo) undoing.push(undo)
  }
  try {
    const claimName = nameOf(op.tenantId, name, createdAt)
    const answer = await work({ op: { ...op, db: enclosure.db, claimName }, whenKept })
    await enclosure.commit(async (tx) => await completeRequest(op, { ...name, claimToken, answer }, tx))
    for (const effect of effects) effect()
    return answer
  } catch (error) {
    await enclosure.rollback().catch(() => undefined)
    for (const undo of undoing) undo()
    const free = isRefusal(error) ? abandonRequest : releaseRequest
    // The caller gets the first error; a claim that cannot be released now expires with its lease.
    await free(op, { ...name, claimToken }).catch(() => undefined)
    throw error
  } finally {
    clearInterval(renewal)
  }
}

/** True when the call was refused, so that nothing of it can have reached others. */
function isRefusal(error: unknown): boolean {
  return error instanceof DomainError && error.facts.status < 500
}

function nameOf(
  tenantId: string,
  { route, key, credential }: Pick<KeptCall, 'route' | 'key' | 'credential'>,
  createdAt: Date,
): string {
  const parts = canonicalJson([tenantId, route, key, credential, createdAt.toISOString()])
  return createHash('sha256').update(parts).digest('hex')
}

/**
 * Returns a keyed digest of the request. Without a key, guesses could be tested against it, for example of an event
 * before its redaction.
 */
async function digestOf({ op, asked }: KeptCall): Promise<string> {
  const { secret } = await serviceKey(op.db, 'fingerprint', op.db)
  return createHmac('sha256', secret).update(canonicalJson(asked)).digest('hex')
}
