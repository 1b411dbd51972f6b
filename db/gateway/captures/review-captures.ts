import { sql } from 'kysely'
import { GATEWAY_ERRORS } from '../../../core/gateway/errors.ts'
import { REVIEWED_AS, type ReviewDecision, type ReviewStatus } from '../../../core/gateway/captures/review.ts'
import type { CallRules } from '../../../core/gateway/captures/recording/record-call.ts'
import { textsUnder } from '../../../core/gateway/captures/recording/redact-texts.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { describeActor, type Operation } from '../../kernel/operation.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { enterWithTerms, withKnownTerms } from '../forgotten/known-terms.ts'

/** A reviewer's decision. */
export interface Review {
  readonly action: ReviewDecision
  readonly reason?: string | undefined
}

/** The outcome for the captures of a review; each id is in one of the lists. */
export interface ReviewedCaptures {
  readonly status: ReviewStatus
  readonly updated: readonly string[]
  /** Of another tenant, outside of the caller's namespaces, or unknown. */
  readonly notFound: readonly string[]
  /** Forgotten captures keep the state that they had. */
  readonly forgotten: readonly string[]
}

/**
 * Decides on captures. Every decision is allowed in every state (reference F13), with a line in the audit ledger. The
 * chain is untouched.
 */
export async function reviewCaptures(
  op: Operation,
  { ids, ...review }: Review & { readonly ids: readonly string[] },
): Promise<ReviewedCaptures> {
  const wanted = [...new Set(ids)]
  return await op.write(async (tx) => await decide(tx, op, wanted, review))
}

/** A decision on one capture. */
export interface CaptureReview extends Review {
  readonly id: string
  readonly fixed?: FixedOutput | undefined
}

/** An output that a reviewer wrote in place of the response. */
export interface FixedOutput {
  /** Null removes it. */
  readonly output: string | null
  /** Returns the rules for what a namespace stores; `isAgain`: read anew. */
  readonly rulesOf: (namespace: string, isAgain: boolean) => Promise<CallRules>
}

/**
 * Decides on one capture. A fixed output is redacted as the namespace of the capture says. Throws `not_found`,
 * `capture_forgotten`, `capture_without_content` for a fixed output where nothing is stored, and `privacy_blocked` for one that
 * the namespace refuses.
 */
export async function reviewCapture(op: Operation, review: CaptureReview): Promise<ReviewStatus> {
  return await withKnownTerms(async (isAgain) => await reviewOne(op, review, isAgain))
}

async function reviewOne(
  op: Operation,
  { id, fixed, ...review }: CaptureReview,
  isAgain: boolean,
): Promise<ReviewStatus> {
  const stored = fixed === undefined ? undefined : await storedOutput(op, id, fixed, isAgain)
  return await op.write(async (tx) => {
    if (stored?.rules) await enterWithTerms(tx, op.tenantId, stored.rules.forgotten)
    const { status, updated, forgotten } = await decide(tx, op, [id], review, stored !== undefined)
    if (forgotten.length > 0) {
      throw GATEWAY_ERRORS.capture_forgotten('the capture was forgotten; its content is gone and it cannot be reviewed')
    }
    if (updated.length === 0) throw KERNEL_ERRORS.not_found('no such capture')
    if (stored !== undefined) {
      const { numUpdatedRows } = await tx.q
        .updateTable('capture_contents')
        .set({ fixed_output: stored.output })
        .where('id', '=', id)
        .where('tenant_id', '=', op.tenantId)
        .executeTakeFirst()
      if (numUpdatedRows === 0n) {
        throw GATEWAY_ERRORS.capture_without_content('fixed_output: nothing of this call is stored (zero retention)')
      }
    }
    return status
  })
}

/** A fixed output as it is stored, and the rules by which it was redacted; null for one that holds no text. */
interface StoredOutput {
  readonly output: string | null
  readonly rules: CallRules | null
}

async function storedOutput(
  op: Operation,
  id: string,
  { output, rulesOf }: FixedOutput,
  isAgain: boolean,
): Promise<StoredOutput> {
  if (output === null) return { output, rules: null }
  const [capture] = await op.read((q) =>
    q.selectFrom('captures').select('namespace').where('id', '=', id).where('tenant_id', '=', op.tenantId),
  )
  // The decision refuses an unknown capture.
  if (capture === undefined) return { output, rules: null }
  const rules = await rulesOf(capture.namespace, isAgain)
  return { output: textsUnder([output], rules, 'fixed_output')[0] ?? '', rules }
}

async function decide(
  tx: Transaction,
  op: Operation,
  ids: readonly string[],
  { action, reason }: Review,
  isFixed = false,
): Promise<ReviewedCaptures> {
  const status = REVIEWED_AS[action]
  // In the order of their ids, as forgetting locks them.
  const found = await tx.q
    .selectFrom('captures')
    .select(['id', 'forgotten_at as forgottenAt'])
    .where(sql<boolean>`id = any(${[...ids]}::text[])`)
    .where('tenant_id', '=', op.tenantId)
    .orderBy('id')
    .forUpdate()
    .execute()
  const updated = found.filter(({ forgottenAt }) => forgottenAt === null).map(({ id }) => id)
  const known = new Set(found.map(({ id }) => id))
  if (updated.length > 0) {
    await tx.q
      .updateTable('captures')
      .set({ status, reviewed_at: op.now(), reviewed_by: describeActor(op.actor), review_reason: reason ?? null })
      .where(sql<boolean>`id = any(${updated}::text[])`)
      .where('tenant_id', '=', op.tenantId)
      .execute()
    const [first] = updated
    await recordAudit(tx, op, {
      action: 'capture.reviewed',
      ...(updated.length === 1 && first !== undefined && { target: first }),
      // Bounded: a bulk review names at most as many ids as its route takes.
      payload: { status, count: updated.length, ids: updated, is_fixed: isFixed },
    })
  }
  return {
    status,
    updated,
    notFound: ids.filter((id) => !known.has(id)),
    forgotten: found.filter(({ forgottenAt }) => forgottenAt !== null).map(({ id }) => id),
  }
}
