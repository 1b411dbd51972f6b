import { sql } from 'kysely'
import { FORGET_REASONS } from '../../../../core/gateway/captures/forget/certificate.ts'
import type { CaptureLearners } from '../../../../core/gateway/ports.ts'
import type { Sha256 } from '../../../../core/kernel/json/json.ts'
import type { SigningKey } from '../../../../core/ledger/keys/signing-key.ts'
import { recordAudit } from '../../../ledger/audit/record-audit.ts'
import { describeActor, requireScope, type Operation } from '../../../kernel/operation.ts'
import type { Transaction } from '../../../kernel/transaction.ts'
import { enterBesideMonths } from '../../across/capture-months.ts'
import { enterAsForgetting } from '../../forgotten/known-terms.ts'
import { eraseContent } from '../erase-content.ts'
import { hex } from '../get-capture.ts'
import { certifyErasure, insertCertificates, readCertificates, type CertifiedCapture } from './certificates.ts'

/** Why captures are forgotten, and who signs for it. */
export interface ForgetOrder {
  readonly reason: string
  readonly signer: SigningKey
  /** The port to jobs and datasets that learned from captures. */
  readonly learners: CaptureLearners<Transaction>
  /** Only captures of this namespace; those of others are unknown. */
  readonly namespace?: string | undefined
  /** The work that this is a part of. */
  readonly forgetId?: string | undefined
  /** The person that asked, where that is not the actor of the operation. */
  readonly requestedBy?: string | undefined
}

/** The outcome of a request to forget captures. */
export interface ForgottenCaptures {
  /** Erased by this call. */
  readonly updated: readonly string[]
  /** Erased before. */
  readonly forgotten: readonly string[]
  readonly notFound: readonly string[]
  /** The certificates of both, in no order. */
  readonly certificates: readonly CertifiedCapture[]
}

/**
 * Forgets captures: erases their contents, files and search entries, and leaves rows that keep the chain valid, each with a
 * signed certificate; what learned from them is flagged. A capture that was forgotten before keeps its certificate. With a
 * line in the audit ledger, which repeats usual reasons only. Throws `insufficient_scope`.
 */
export async function forgetCaptures(
  op: Operation,
  { ids, ...order }: ForgetOrder & { readonly ids: readonly string[] },
): Promise<ForgottenCaptures> {
  requireScope(op, 'privacy:write')
  const wanted = [...new Set(ids)]
  return await op.write(async (tx) => await forgetIn(tx, op, wanted, order))
}

async function forgetIn(
  tx: Transaction,
  op: Operation,
  wanted: readonly string[],
  order: ForgetOrder,
): Promise<ForgottenCaptures> {
  // Before the first read of captures, whose tables the removal of a month locks.
  await enterBesideMonths(tx)
  // An answer that is being cached is dropped below, or its writer finds the capture forgotten.
  await enterAsForgetting(tx, op.tenantId)
  const rows = await readRows(tx, op.tenantId, wanted, order.namespace)
  const ids = rows.map(({ id }) => id)
  const at = op.now()
  const erased = new Set(await eraseContent(tx, op.tenantId, { ids, at }))
  // After the rows of the captures: a compile that records one of them waits for this transaction, or this one for it.
  const learners = Map.groupBy(
    await order.learners.flag(tx, { tenantId: op.tenantId, ids: [...erased], at }),
    ({ captureId }) => captureId,
  )
  const requestedBy = order.requestedBy ?? describeActor(op.actor)
  const made = rows
    .filter(({ id }) => erased.has(id))
    .map((row) =>
      certifyErasure(
        {
          tenantId: op.tenantId,
          namespace: row.namespace,
          captureId: row.id,
          chainHash: hex(row.chainHash),
          reason: order.reason,
          requestedBy,
          at,
          hadBlob: row.hadBlob,
          learners: learners.get(row.id) ?? [],
        },
        order.signer,
      ),
    )
  if (made.length > 0) {
    await insertCertificates(tx, op.tenantId, made, order.forgetId ?? null)
    await hastenCollection(tx, rows)
    const usual: readonly string[] = FORGET_REASONS
    await recordAudit(tx, op, {
      action: 'capture.forgotten',
      ...(made.length === 1 && made[0] !== undefined && { target: made[0].captureId }),
      payload: {
        count: made.length,
        ids: made.map(({ captureId }) => captureId),
        reason: usual.includes(order.reason) ? order.reason : 'other',
        forget_id: order.forgetId ?? null,
      },
    })
  }
  const before = ids.filter((id) => !erased.has(id))
  const known = new Set(ids)
  return {
    updated: [...erased],
    forgotten: before,
    notFound: wanted.filter((id) => !known.has(id)),
    certificates: [...made, ...(before.length === 0 ? [] : await readCertificates(tx, op.tenantId, before))],
  }
}

async function readRows(tx: Transaction, tenantId: string, ids: readonly string[], namespace: string | undefined) {
  return await tx.q
    .selectFrom('captures as c')
    .leftJoin('capture_contents as x', 'x.id', 'c.id')
    .select(['c.id', 'c.namespace', 'c.chain_hash as chainHash'])
    .select((of) => {
      const files = of
        .selectFrom('capture_media as m')
        .select('m.blob_sha256')
        .distinct()
        .whereRef('m.tenant_id', '=', 'c.tenant_id')
        .whereRef('m.capture_id', '=', 'c.id')
      return ['x.blob_sha256 as blob', sql<Sha256[]>`array${files}`.as('files')]
    })
    .where(sql<boolean>`c.id = any(${[...ids]}::text[])`)
    .where('c.tenant_id', '=', tenantId)
    .where(namespace === undefined ? sql<boolean>`true` : sql<boolean>`c.namespace = ${namespace}`)
    .orderBy('c.id')
    .execute()
    .then((rows) =>
      rows.map(({ blob, files, ...row }) => {
        const blobs = blob === null ? files : [...files, blob]
        return { ...row, blobs, hadBlob: blobs.length > 0 }
      }),
    )
}

/** Blobs that nothing names any more are looked at by the next housekeeping. */
async function hastenCollection(
  tx: Transaction,
  rows: readonly { readonly blobs: readonly string[] }[],
): Promise<void> {
  const blobs = rows.flatMap((row) => row.blobs)
  if (blobs.length === 0) return
  await tx.q
    .updateTable('blobs')
    .set({ review_at: sql<Date>`now()` })
    .where(sql<boolean>`sha256 = any(${blobs}::text[])`)
    .execute()
}
