import { randomUUID } from 'node:crypto'
import { DomainError } from '../../core/errors.ts'
import type { Limits } from '../../core/tenancy/limits.ts'
import type { Database } from '../database.ts'
import type { Operation } from '../operation.ts'
import type { SecretScope } from '../secrets/secret-box.ts'

/** One use of an Idempotency-Key. */
export interface RequestName {
  /** The operation: one key may be used on two routes for two things. */
  readonly route: string
  readonly key: string
}

/** An answer as it is kept, sealed: it may hold what is told only once. */
export interface KeptAnswer {
  readonly status: number
  /** The body as it was sent. */
  readonly text: string
  readonly headers: Readonly<Record<string, string | readonly string[]>>
}

/** What became of a claim: the request is to be done, or it was done and this was its answer. */
export type Claim =
  | { readonly kind: 'new'; readonly claimToken: string }
  | { readonly kind: 'replay'; readonly answer: KeptAnswer }

/** How long a claim lasts without being renewed, milliseconds: after that its process counts as dead. */
export const CLAIM_LEASE_MS = 30_000

/**
 * Claims an Idempotency-Key for one request. Whoever gets `new` does the work, renews the claim while it takes long,
 * and then completes or abandons it; a claim whose process died is free again after `CLAIM_LEASE_MS`, so the work
 * itself must bear to be begun twice. Throws `idempotency_key_reused` for another body, and `request_in_progress`
 * while the first request runs.
 */
export async function claimRequest(
  op: Operation,
  input: RequestName & { readonly bodyHash: string; readonly limits: Limits },
): Promise<Claim> {
  const now = op.now()
  const claimToken = randomUUID()
  const claimed = await op.db.query(
    `insert into idempotency_keys as c
       (tenant_id, route, key, body_hash, claim_token, lease_until, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (tenant_id, route, key) do update set body_hash = excluded.body_hash,
       claim_token = excluded.claim_token, lease_until = excluded.lease_until, status = null, sealed_answer = null,
       created_at = excluded.created_at, expires_at = excluded.expires_at
     where c.expires_at <= $7 or (c.status is null and c.lease_until <= $7 and c.body_hash = excluded.body_hash)
     returning 1`,
    [
      op.tenantId,
      input.route,
      input.key,
      input.bodyHash,
      claimToken,
      new Date(now.getTime() + CLAIM_LEASE_MS),
      now,
      new Date(now.getTime() + input.limits.idempotency_hours * 3_600_000),
    ],
  )
  if (claimed.length === 1) return { kind: 'new', claimToken }
  const [known] = await op.db.query<{
    bodyHash: string
    claimToken: string
    status: number | null
    sealed: Uint8Array | null
  }>(
    `select body_hash as "bodyHash", claim_token as "claimToken", status, sealed_answer as sealed from idempotency_keys
     where tenant_id = $1 and route = $2 and key = $3`,
    [op.tenantId, input.route, input.key],
  )
  if (known !== undefined && known.bodyHash !== input.bodyHash) {
    throw new DomainError('idempotency_key_reused', 'this Idempotency-Key was used with another body')
  }
  if (known === undefined || known.status === null || known.sealed === null) {
    throw new DomainError('request_in_progress', 'the first request with this Idempotency-Key is under way', {
      retryAfterS: 1,
    })
  }
  const opened = op.db.secrets.open(known.sealed, answerScope(op.tenantId, known.claimToken))
  const { text, headers }: Omit<KeptAnswer, 'status'> = JSON.parse(Buffer.from(opened).toString())
  return { kind: 'replay', answer: { status: known.status, text, headers } }
}

/** Keeps the answer for those who repeat the request. False when the claim was lost to another request meanwhile. */
export async function completeRequest(
  op: Operation,
  input: RequestName & { readonly claimToken: string; readonly answer: KeptAnswer },
): Promise<boolean> {
  const { route, key, claimToken } = input
  const { status, text, headers } = input.answer
  const content = Buffer.from(JSON.stringify({ text, headers }))
  const kept = await op.db.query(
    `update idempotency_keys set status = $5, sealed_answer = $6
     where tenant_id = $1 and route = $2 and key = $3 and claim_token = $4 and status is null returning 1`,
    [op.tenantId, route, key, claimToken, status, op.db.secrets.seal(content, answerScope(op.tenantId, claimToken))],
  )
  return kept.length === 1
}

/** What the seal of an answer is bound to. */
function answerScope(tenantId: string, claimToken: string): SecretScope {
  return { owner: tenantId, id: claimToken, purpose: 'answer' }
}

/** Prolongs a claim whose request takes long. False when it was lost. */
export async function renewRequest(
  op: Operation,
  input: RequestName & { readonly claimToken: string },
): Promise<boolean> {
  const renewed = await op.db.query(
    `update idempotency_keys set lease_until = $5
     where tenant_id = $1 and route = $2 and key = $3 and claim_token = $4 and status is null returning 1`,
    [op.tenantId, input.route, input.key, input.claimToken, new Date(op.now().getTime() + CLAIM_LEASE_MS)],
  )
  return renewed.length === 1
}

/** Frees the key: the request failed in a way that is worth a repetition. */
export async function abandonRequest(
  op: Operation,
  input: RequestName & { readonly claimToken: string },
): Promise<void> {
  await op.db.query(
    `delete from idempotency_keys
     where tenant_id = $1 and route = $2 and key = $3 and claim_token = $4 and status is null`,
    [op.tenantId, input.route, input.key, input.claimToken],
  )
}

/** Removes claims that are past their time; answers how many. */
export async function collectExpiredClaims(db: Database, now: Date): Promise<number> {
  const removed = await db.query(
    `delete from idempotency_keys where (tenant_id, route, key) in (
       select tenant_id, route, key from idempotency_keys where expires_at <= $1 limit 5000
     ) returning 1`,
    [now],
  )
  return removed.length
}
