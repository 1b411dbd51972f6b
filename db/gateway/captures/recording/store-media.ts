import { sql } from 'kysely'
import type { Medium } from '../../../../core/gateway/captures/recording/media.ts'
import { kindOf } from '../../../../core/gateway/captures/recording/media.ts'
import type { Limits } from '../../../../core/kernel/limits.ts'
import type { ForgetFinder } from '../../../../core/gateway/gate/privacy/forget-list.ts'
import { discardUpload, publishUpload, type StagedBlob } from '../../../kernel/blobs/uploads.ts'
import type { Database } from '../../../kernel/database.ts'
import { encloseTransactions } from '../../../kernel/idempotency/enclosing-transaction.ts'
import type { Operation } from '../../../kernel/operation.ts'
import { stageBytes } from '../../../kernel/storage/stage-bytes.ts'
import type { Transaction } from '../../../kernel/transaction.ts'
import { enterWithTerms } from '../../forgotten/known-terms.ts'

/** Files, and the capture that each belongs to. */
export interface MediaOfCaptures {
  readonly namespace: string
  readonly files: readonly { readonly captureId: string; readonly place: number; readonly medium: Medium }[]
  readonly limits: Limits
  /** The forget list by which names and texts of the files were redacted. */
  readonly forgotten: ForgetFinder | null
}

/**
 * Stores captures together with their files: all of it or nothing. `commit` writes the captures to the database that it is
 * given. The bytes count toward the tenant's storage. Throws `storage_allowance_used`; see `withKnownTerms`.
 */
export async function storeMedia(
  op: Operation,
  { namespace, files, limits, forgotten: known }: MediaOfCaptures,
  commit: (into: Database) => Promise<void>,
): Promise<void> {
  const staged: StagedBlob[] = []
  try {
    for (const { medium } of files) {
      const { sha256, bytes } = medium
      staged.push(await stageBytes(op, { sha256, sizeBytes: bytes.length, read: () => bytes }, limits))
    }
    await inOne(op, async (inner) => {
      await inner.write(async (tx) => await enterWithTerms(tx, op.tenantId, known))
      await commit(inner.db)
      await inner.write(async (tx) => {
        for (const blob of staged) await publishUpload(tx, blob)
        const forgotten = await forgottenOf(tx, op.tenantId, files)
        const kept = files.filter(({ captureId }) => !forgotten.has(captureId))
        if (kept.length === 0) return
        await tx.q
          .insertInto('capture_media')
          .values(
            kept.map(({ captureId, place, medium }) => ({
              capture_id: captureId,
              place,
              tenant_id: op.tenantId,
              namespace,
              kind: kindOf(medium.mime),
              mime: medium.mime,
              filename: medium.filename,
              blob_sha256: medium.sha256,
              size_bytes: medium.bytes.length,
            })),
          )
          .execute()
      })
    })
  } catch (error) {
    for (const { storageId } of staged) await discardUpload(op.db, storageId).catch(() => undefined)
    throw error
  }
}

/** The captures that were stored as forgotten: they have no files. */
async function forgottenOf(
  tx: Transaction,
  tenantId: string,
  files: MediaOfCaptures['files'],
): Promise<ReadonlySet<string>> {
  const rows = await tx.q
    .selectFrom('captures')
    .select('id')
    .where(sql<boolean>`id = any(${files.map(({ captureId }) => captureId)}::text[])`)
    .where('tenant_id', '=', tenantId)
    .where('forgotten_at', 'is not', null)
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** Runs work in one transaction: that of the call where it is claimed, else one of its own. */
async function inOne(op: Operation, work: (inner: Operation) => Promise<void>): Promise<void> {
  if (op.claimName !== undefined) return await work(op)
  const enclosure = encloseTransactions(op.db)
  try {
    await work({ ...op, db: enclosure.db })
    await enclosure.commit(async () => undefined)
  } catch (error) {
    await enclosure.rollback().catch(() => undefined)
    throw error
  }
}
