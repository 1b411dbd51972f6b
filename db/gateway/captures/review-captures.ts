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

/** A reviewer's decision, and the rules for the texts that come with it. */
export interface Review {
  readonly action: ReviewDecision
  readonly reason?: string | undefined
  /** Returns the rules for what a namespace stores; `isAgain`: read anew. */
  readonly rulesOf: (namespace: string, isAgain: boolean) => Promise<CallRules>
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
 * chain is untouched. The reason is redacted as the namespace of each capture says. Throws `privacy_blocked` for one that a
 * namespace refuses; then no capture changes.
 */
export async function reviewCaptures(
  op: Operation,
  { ids, ...review }: Review & { readonly ids: readonly string[] },
): Promise<ReviewedCaptures> {
  const wanted = [...new Set(ids)]
  return await withKnownTerms(async (isAgain) => {
    const texts = await storedTexts(op, wanted, review, isAgain)
    return await op.write(async (tx) => await decide(tx, op, wanted, { ...review, texts }))
  })
}

/** A decision on one capture. */
export interface CaptureReview extends Review {
  readonly id: string
  /** An output that the reviewer wrote in place of the response; null removes it, and undefined leaves it. */
  readonly fixedOutput?: string | null | undefined
}

/**
 * Decides on one capture. A fixed output and the reason are redacted as the namespace of the capture says. Throws
 * `not_found`, `capture_forgotten`, `capture_without_content` for a fixed output where nothing is stored, and
 * `privacy_blocked` for a text that the namespace refuses.
 */
export async function reviewCapture(op: Operation, review: CaptureReview): Promise<ReviewStatus> {
  return await withKnownTerms(async (isAgain) => await reviewOne(op, review, isAgain))
}

async function reviewOne(op: Operation, { id, ...review }: CaptureReview, isAgain: boolean): Promise<ReviewStatus> {
  const isFixed = review.fixedOutput !== undefined
  const texts = await storedTexts(op, [id], review, isAgain)
  return await op.write(async (tx) => {
    const { status, updated, forgotten } = await decide(tx, op, [id], { ...review, texts, isFixed })
    if (forgotten.length > 0) {
      throw GATEWAY_ERRORS.capture_forgotten('the capture was forgotten; its content is gone and it cannot be reviewed')
    }
    if (updated.length === 0) throw KERNEL_ERRORS.not_found('no such capture')
    if (isFixed) {
      const { numUpdatedRows } = await tx.q
        .updateTable('capture_contents')
        .set({ fixed_output: texts.of.get(id)?.fixedOutput ?? null })
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

/** The texts of a review as a namespace stores them. */
interface StoredTexts {
  readonly reason: string | null
  readonly fixedOutput: string | null
}

/** The texts of a review by capture. */
interface TextsOfCaptures {
  readonly of: ReadonlyMap<string, StoredTexts>
  /** The rules by which they were redacted; null for a review without a text, and for no capture. */
  readonly rules: CallRules | null
}

async function storedTexts(
  op: Operation,
  ids: readonly string[],
  { reason, fixedOutput, rulesOf }: Omit<CaptureReview, 'id'>,
  isAgain: boolean,
): Promise<TextsOfCaptures> {
  const rows = await op.read((q) =>
    q
      .selectFrom('captures')
      .select(['id', 'namespace'])
      .where(sql<boolean>`id = any(${[...ids]}::text[])`)
      .where('tenant_id', '=', op.tenantId),
  )
  const hasText = typeof reason === 'string' || typeof fixedOutput === 'string'
  const of = new Map<string, StoredTexts>()
  // Those that were read first: a forget list that grew behind them is noticed.
  let first: CallRules | null = null
  for (const [namespace, captures] of Map.groupBy(rows, (row) => row.namespace)) {
    const rules: CallRules | null = hasText ? await rulesOf(namespace, isAgain && first === null) : null
    first ??= rules
    const under = (text: string | null | undefined, field: string): string | null =>
      typeof text === 'string' && rules !== null ? (textsUnder([text], rules, field)[0] ?? '') : null
    const texts = { reason: under(reason, 'reason'), fixedOutput: under(fixedOutput, 'fixed_output') }
    for (const { id } of captures) of.set(id, texts)
  }
  return { of, rules: first }
}

interface Decision extends Pick<Review, 'action'> {
  readonly texts: TextsOfCaptures
  readonly isFixed?: boolean
}

async function decide(
  tx: Transaction,
  op: Operation,
  ids: readonly string[],
  { action, texts, isFixed = false }: Decision,
): Promise<ReviewedCaptures> {
  const status = REVIEWED_AS[action]
  if (texts.rules !== null) await enterWithTerms(tx, op.tenantId, texts.rules.forgotten)
  // In the order of their ids, as forgetting locks them.
  const found = await tx.q
    .selectFrom('captures')
    .select(['id', 'forgotten_at as forgottenAt'])
    .where(sql<boolean>`id = any(${[...texts.of.keys()]}::text[])`)
    .where('tenant_id', '=', op.tenantId)
    .orderBy('id')
    .forUpdate()
    .execute()
  const updated = found.filter(({ forgottenAt }) => forgottenAt === null).map(({ id }) => id)
  const known = new Set(found.map(({ id }) => id))
  for (const [reason, of] of Map.groupBy(updated, (id) => texts.of.get(id)?.reason ?? null)) {
    await tx.q
      .updateTable('captures')
      .set({ status, reviewed_at: op.now(), reviewed_by: describeActor(op.actor), review_reason: reason })
      .where(sql<boolean>`id = any(${of}::text[])`)
      .where('tenant_id', '=', op.tenantId)
      .execute()
  }
  if (updated.length > 0) {
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
