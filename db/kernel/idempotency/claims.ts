import { randomUUID } from 'node:crypto'
import { DomainError } from '../../../core/kernel/errors.ts'
import type { Limits } from '../../../core/kernel/limits.ts'
import type { Database, SqlRunner } from '../database.ts'
import type { Operation } from '../operation.ts'
import type { SecretScope } from '../secrets/secret-box.ts'

/** One use of an Idempotency-Key. */
export interface RequestName {
  /** The operation: one key may be used on two routes for two things. */
  readonly route: string
  readonly key: string
  /** Who uses it: the same text under another credential is a claim of its own. */
  readonly credential: string
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
  | { readonly kind: 'new'; readonly claimToken: string; readonly createdAt: Date }
  | { readonly kind: 'replay'; readonly answer: KeptAnswer }

/**
 * How long a claim lasts without being renewed, milliseconds: after that its process counts as dead. One that only hung
 * cannot commit any more, since it keeps its answer under a token that is not the claim's.
 */
export const CLAIM_LEASE_MS = 15_000

/** The credential of claims that were made before credentials were kept. */
export const UNKNOWN_CREDENTIAL = ''

/**
 * Claims an Idempotency-Key for one request. The caller that gets `new` does the work, renews the claim while it takes
 * long, and keeps the answer in the transaction of the work (`completeRequest`) or gives the claim back. A claim whose
 * process died is free after `CLAIM_LEASE_MS`: its work was not committed. Throws `idempotency_key_reused` for another
 * body and for a key of before whose owner is unknown, and `request_in_progress` while the first request runs.
 */
export async function claimRequest(
  op: Operation,
  input: RequestName & { readonly bodyHash: string; readonly limits: Limits },
): Promise<Claim> {
  const now = op.now()
  const claimToken = randomUUID()
  const { route, key, credential, bodyHash } = input
  const [claimed] = await op.db.query<{ createdAt: Date }>(
    `insert into idempotency_keys as c
       (tenant_id, route, key, credential, body_hash, claim_token, lease_until, created_at, expires_at)
     select $1, $2, $3, $4, $5, $6, $7, $8, $9 where not exists (
       select 1 from idempotency_keys
       where tenant_id = $1 and route = $2 and key = $3 and credential = '${UNKNOWN_CREDENTIAL}' and expires_at > $8)
     on conflict (tenant_id, route, key, credential) do update set body_hash = excluded.body_hash,
       claim_token = excluded.claim_token, lease_until = excluded.lease_until, status = null, sealed_answer = null,
       created_at = case when c.expires_at <= $8 then excluded.created_at else c.created_at end,
       expires_at = case when c.expires_at <= $8 then excluded.expires_at else c.expires_at end
     where c.expires_at <= $8 or (c.status is null and c.lease_until <= $8 and c.body_hash = excluded.body_hash)
     returning created_at as "createdAt"`,
    [
      op.tenantId,
      route,
      key,
      credential,
      bodyHash,
      claimToken,
      new Date(now.getTime() + CLAIM_LEASE_MS),
      now,
      new Date(now.getTime() + input.limits.idempotency_hours * 3_600_000),
    ],
  )
  if (claimed !== undefined) return { kind: 'new', claimToken, createdAt: claimed.createdAt }
  return { kind: 'replay', answer: await readAnswer(op, input) }
}

async function readAnswer(op: Operation, input: RequestName & { readonly bodyHash: string }): Promise<KeptAnswer> {
  const [known] = await op.db.query<{
    credential: string
    bodyHash: string
    claimToken: string
    status: number | null
    sealed: Uint8Array | null
  }>(
    `select credential, body_hash as "bodyHash", claim_token as "claimToken", status, sealed_answer as sealed
     from idempotency_keys where tenant_id = $1 and route = $2 and key = $3 and credential in ($4, '${UNKNOWN_CREDENTIAL}')
     order by credential limit 1`,
    [op.tenantId, input.route, input.key, input.credential],
  )
  if (known?.credential === UNKNOWN_CREDENTIAL) throw ownerUnknown()
  if (known !== undefined && known.bodyHash !== input.bodyHash) throw keyReused()
  if (known === undefined || known.status === null || known.sealed === null) throw inProgress()
  const opened = op.db.secrets.open(known.sealed, answerScope(op.tenantId, known.claimToken))
  const { text, headers }: Omit<KeptAnswer, 'status'> = JSON.parse(Buffer.from(opened).toString())
  return { status: known.status, text, headers }
}

/** The error of a key that came with another body before. */
export function keyReused(): DomainError {
  return new DomainError('idempotency_key_reused', 'this Idempotency-Key was used with another body')
}

/** The error of a key that was used before keys belonged to credentials: the answer may be another caller's. */
export function ownerUnknown(): DomainError {
  return new DomainError(
    'idempotency_key_reused',
    'this Idempotency-Key was used before an update of the service; look for the result, or send another key',
  )
}

function inProgress(): DomainError {
  return new DomainError('request_in_progress', 'the first request with this Idempotency-Key is under way', {
    retryAfterS: 1,
  })
}

/**
 * Keeps the answer for those who repeat the request, through the transaction of the work: both are committed or neither
 * is. Throws `request_in_progress` when the claim was lost to another request meanwhile, so that the work is undone.
 */
export async function completeRequest(
  op: Operation,
  input: RequestName & { readonly claimToken: string; readonly answer: KeptAnswer },
  sql: SqlRunner,
): Promise<void> {
  const { route, key, credential, claimToken } = input
  const { status, text, headers } = input.answer
  const content = Buffer.from(JSON.stringify({ text, headers }))
  const sealed = op.db.secrets.seal(content, answerScope(op.tenantId, claimToken))
  const kept = await sql.query(
    `update idempotency_keys set status = $6, sealed_answer = $7
     where tenant_id = $1 and route = $2 and key = $3 and credential = $4 and claim_token = $5 and status is null
     returning 1`,
    [op.tenantId, route, key, credential, claimToken, status, sealed],
  )
  if (kept.length === 0) throw inProgress()
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
    `update idempotency_keys set lease_until = $6
     where tenant_id = $1 and route = $2 and key = $3 and credential = $4 and claim_token = $5 and status is null
     returning 1`,
    [...nameOf(op, input), new Date(op.now().getTime() + CLAIM_LEASE_MS)],
  )
  return renewed.length === 1
}

/** Frees the key: the request was refused, and nothing of it stands. */
export async function abandonRequest(
  op: Operation,
  input: RequestName & { readonly claimToken: string },
): Promise<void> {
  await op.db.query(
    `delete from idempotency_keys
     where tenant_id = $1 and route = $2 and key = $3 and credential = $4 and claim_token = $5 and status is null`,
    nameOf(op, input),
  )
}

/**
 * Lets the next repetition of the same request take the claim up at once, under the same name: the request broke off, and
 * what it asked of others, such as a payment processor, may have been done.
 */
export async function releaseRequest(
  op: Operation,
  input: RequestName & { readonly claimToken: string },
): Promise<void> {
  await op.db.query(
    `update idempotency_keys set lease_until = $6
     where tenant_id = $1 and route = $2 and key = $3 and credential = $4 and claim_token = $5 and status is null`,
    [...nameOf(op, input), op.now()],
  )
}

function nameOf(op: Operation, input: RequestName & { readonly claimToken: string }): readonly string[] {
  return [op.tenantId, input.route, input.key, input.credential, input.claimToken]
}

/** Removes claims that are past their time; answers how many. */
export async function collectExpiredClaims(db: Database, now: Date): Promise<number> {
  const removed = await db.query(
    `delete from idempotency_keys where (tenant_id, route, key, credential) in (
       select tenant_id, route, key, credential from idempotency_keys where expires_at <= $1 limit 5000
     ) returning 1`,
    [now],
  )
  return removed.length
}
