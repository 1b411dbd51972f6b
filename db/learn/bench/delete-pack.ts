import { sql } from 'kysely'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { Operation } from '../../kernel/operation.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'

/** Deletes a pack; runs keep the questions that they asked. Throws `not_found`. */
export async function deletePack(op: Operation, id: string): Promise<void> {
  await op.write(async (tx) => {
    const [gone] = await tx.q
      .deleteFrom('bench_packs')
      .where('id', '=', id)
      .where('tenant_id', '=', op.tenantId)
      .returning('blob_sha256 as blob')
      .execute()
    if (gone === undefined) throw KERNEL_ERRORS.not_found('no such pack')
    await tx.q
      .updateTable('blobs')
      .set({ review_at: sql<Date>`now()` })
      .where(sql<boolean>`sha256 = ${gone.blob}`)
      .execute()
    await recordAudit(tx, op, { action: 'bench_pack.deleted', target: id, payload: { bench_pack_id: id } })
  })
}
