import { sql, type RawBuilder } from 'kysely'
import { randomUUID } from 'node:crypto'
import { KERNEL_ERRORS, type DomainError } from '../../../core/kernel/errors.ts'
import type { Limits } from '../../../core/kernel/limits.ts'
import type { Operation } from '../operation.ts'
import { service } from '../queries/service.ts'
import type { Queries } from '../queries/typed.ts'
import type { SecretScope } from '../secrets/secret-box.ts'
import type { Transaction } from '../transaction.ts'

/** One use of an Idempotency-Key. */
export interface RequestName {
  /** The operation: one key may be used on two routes for two requests. */
  readonly route: string
  readonly key: string
  /** The credential that uses it: the same text under another credential is a separate claim. */
  readonly credential: string
}

/** A claim, by the token of the request that holds it. */
type ClaimedName = RequestName & { readonly claimToken: string }

/** Each names its tenant; one statement without a transaction, since every call with a key sends it. */
const WHY = 'a claim exists before the transaction of its work begins'

/** Seals an answer for storage: it may hold a value that is shown only once. */
export interface KeptAnswer {
  readonly status: number
  /** The body as received. */
  readonly text: string
  readonly headers: Readonly<Record<string, string | readonly string[]>>
}

/** State of a claim: the request is to be done, or it was done with this answer. */
export type Claim =
  | { readonly kind: 'new'; readonly claimToken: string; readonly createdAt: Date }
  | { readonly kind: 'replay'; readonly answer: KeptAnswer }

/**
 * Lifetime of a claim without renewal, milliseconds: after that its process counts as dead. A process that only hung
 * cannot commit any more, since it stores its answer under a token that is not the claim's.
 */
export const CLAIM_LEASE_MS = 15_000

/** The credential of claims that are older than the credential column. */
export const UNKNOWN_CREDENTIAL = ''

/**
 * Returns the time that requests must be newer than for their Idempotency-Keys to count. One rule for every store of keys:
 * from then on a repeated call is a new one.
 */
export function keysCountAfter({ idempotency_hours: hours }: Pick<Limits, 'idempotency_hours'>, now: Date): Date {
  return new Date(now.getTime() - hours * 3_600_000)
}

/**
 * Claims an Idempotency-Key for one request. The caller that gets `new` does the work, renews the claim during long
 * work, and stores the answer in the transaction of the work (`completeRequest`) or releases the claim. A claim whose
 * process died is free after `CLAIM_LEASE_MS`: its work was not committed. Throws `idempotency_key_reused` for another
 * body and for an older key whose owner is unknown, and `request_in_progress` while the first request runs.
 */
export async function claimRequest(
  op: Operation,
  input: RequestName & { readonly bodyHash: string; readonly limits: Limits },
): Promise<Claim> {
  const now = op.now()
  const claimToken = randomUUID()
  const { route, key, credential, bodyHash } = input
  const { tenantId } = op
  const isOver = sql<boolean>`idempotency_keys.expires_at <= ${now}`
  const [claimed] = await service.send(op.db, WHY, (q) =>
    q
      .insertInto('idempotency_keys')
      .columns([
        'tenant_id',
        'route',
        'key',
        'credential',
        'body_hash',
        'claim_token',
        'lease_until',
        'created_at',
        'expires_at',
      ])
      .expression(
        q
          .selectNoFrom((each) => [
            each.val(tenantId).as('tenant_id'),
            each.val(route).as('route'),
            each.val(key).as('key'),
            each.val(credential).as('credential'),
            each.val(bodyHash).as('body_hash'),
            each.val(claimToken).as('claim_token'),
            each.val(new Date(now.getTime() + CLAIM_LEASE_MS)).as('lease_until'),
            each.val(now).as('created_at'),
            each.val(new Date(now.getTime() + input.limits.idempotency_hours * 3_600_000)).as('expires_at'),
          ])
          .where((each) =>
            each.not(
              each.exists(
                each
                  .selectFrom('idempotency_keys')
                  .select('key')
                  .where('tenant_id', '=', tenantId)
                  .where('route', '=', route)
                  .where('key', '=', key)
                  .where('credential', '=', UNKNOWN_CREDENTIAL)
                  .where('expires_at', '>', now),
              ),
            ),
          ),
      )
      .onConflict((on) =>
        on
          .columns(['tenant_id', 'route', 'key', 'credential'])
          .doUpdateSet({
            body_hash: sql<string>`excluded.body_hash`,
            claim_token: sql<string>`excluded.claim_token`,
            lease_until: sql<Date>`excluded.lease_until`,
            status: null,
            sealed_answer: null,
            created_at: sql<Date>`case when ${isOver} then excluded.created_at else idempotency_keys.created_at end`,
            expires_at: sql<Date>`case when ${isOver} then excluded.expires_at else idempotency_keys.expires_at end`,
          })
          .where((each) =>
            each.or([
              isOver,
              each.and([
                each('idempotency_keys.status', 'is', null),
                each('idempotency_keys.lease_until', '<=', now),
                sql<boolean>`idempotency_keys.body_hash = excluded.body_hash`,
              ]),
            ]),
          ),
      )
      .returning('created_at as createdAt'),
  )
  if (claimed !== undefined) return { kind: 'new', claimToken, createdAt: claimed.createdAt }
  return { kind: 'replay', answer: await readAnswer(op, input) }
}

async function readAnswer(op: Operation, input: RequestName & { readonly bodyHash: string }): Promise<KeptAnswer> {
  const [known] = await op.read((q) =>
    q
      .selectFrom('idempotency_keys')
      .select(['credential', 'body_hash as bodyHash', 'claim_token as claimToken', 'status', 'sealed_answer as sealed'])
      .where('tenant_id', '=', op.tenantId)
      .where('route', '=', input.route)
      .where('key', '=', input.key)
      .where('credential', 'in', [input.credential, UNKNOWN_CREDENTIAL])
      .orderBy('credential')
      .limit(1),
  )
  if (known?.credential === UNKNOWN_CREDENTIAL) throw ownerUnknown()
  if (known !== undefined && known.bodyHash !== input.bodyHash) throw keyReused()
  if (known === undefined || known.status === null || known.sealed === null) throw inProgress()
  const opened = op.db.secrets.open(known.sealed, answerScope(op.tenantId, known.claimToken))
  const { text, headers }: Omit<KeptAnswer, 'status'> = JSON.parse(Buffer.from(opened).toString())
  return { status: known.status, text, headers }
}

/** Returns the error of a key used before with another body. */
export function keyReused(): DomainError {
  return KERNEL_ERRORS.idempotency_key_reused('this Idempotency-Key was used with another body')
}

/** Returns the error of a key that is older than the credential column: the answer may be another caller's. */
export function ownerUnknown(): DomainError {
  return KERNEL_ERRORS.idempotency_key_reused(
    'this Idempotency-Key was used before an update of the service; look for the result, or send another key',
  )
}

function inProgress(): DomainError {
  return KERNEL_ERRORS.request_in_progress('the first request with this Idempotency-Key is still running', {
    retryAfterS: 1,
  })
}

/**
 * Stores the answer for repeated requests, through the transaction of the work: both are committed or neither is. `tx`
 * is null for work that opened none. Throws `request_in_progress` when the claim was lost to another request meanwhile,
 * so that the work is rolled back.
 */
export async function completeRequest(
  op: Operation,
  input: ClaimedName & { readonly answer: KeptAnswer },
  tx: Transaction | null,
): Promise<void> {
  const { status, text, headers } = input.answer
  const content = Buffer.from(JSON.stringify({ text, headers }))
  const sealed = Buffer.from(op.db.secrets.seal(content, answerScope(op.tenantId, input.claimToken)))
  const keep = (q: Queries) =>
    q
      .updateTable('idempotency_keys')
      .set({ status, sealed_answer: sealed })
      .where(isHeld(op, input))
      .returning('claim_token')
  const kept = tx === null ? await service.send(op.db, WHY, keep) : await keep(tx.q).execute()
  if (kept.length === 0) throw inProgress()
}

/** Returns the associated data of the seal of an answer. */
function answerScope(tenantId: string, claimToken: string): SecretScope {
  return { owner: tenantId, id: claimToken, purpose: 'answer' }
}

/** Extends the claim of a long request. Returns false when it was lost. */
export async function renewRequest(op: Operation, input: ClaimedName): Promise<boolean> {
  return await endLeaseAt(op, input, new Date(op.now().getTime() + CLAIM_LEASE_MS))
}

/** Releases the key: the request was refused and has changed nothing. */
export async function abandonRequest(op: Operation, input: ClaimedName): Promise<void> {
  await service.send(op.db, WHY, (q) => q.deleteFrom('idempotency_keys').where(isHeld(op, input)))
}

/**
 * Lets the next repetition of the same request take the claim over at once, under the same name: the request was
 * interrupted, and a call to another service, such as a payment processor, may have succeeded.
 */
export async function releaseRequest(op: Operation, input: ClaimedName): Promise<void> {
  await endLeaseAt(op, input, op.now())
}

async function endLeaseAt(op: Operation, input: ClaimedName, at: Date): Promise<boolean> {
  const changed = await service.send(op.db, WHY, (q) =>
    q.updateTable('idempotency_keys').set({ lease_until: at }).where(isHeld(op, input)).returning('claim_token'),
  )
  return changed.length === 1
}

/** Returns a condition that finds a claim while its request runs, by the token that names the request. */
function isHeld({ tenantId }: Operation, { route, key, credential, claimToken }: ClaimedName): RawBuilder<boolean> {
  return sql<boolean>`tenant_id = ${tenantId} and route = ${route} and key = ${key} and credential = ${credential}
    and claim_token = ${claimToken} and status is null`
}
