import { sql } from 'kysely'
import type { Transaction } from '../../kernel/transaction.ts'
import { dropAnswers } from '../cache/drop-answers.ts'

/**
 * Erases the content of captures of a tenant and leaves their rows, so that the chain stays valid: texts, bodies, files, the
 * entry of the search, the copyright flag, cached answers, and what a reviewer or the template tells of them. Returns the
 * ids that were not forgotten before. Blobs that nothing names any more are collected within the hour.
 */
export async function eraseContent(
  tx: Transaction,
  tenantId: string,
  { ids, at }: { readonly ids: readonly string[]; readonly at: Date },
): Promise<readonly string[]> {
  const named = sql<boolean>`id = any(${[...ids]}::text[])`
  await tx.q
    .selectFrom('captures')
    .select('id')
    .where(named)
    .where('tenant_id', '=', tenantId)
    .orderBy('id')
    .forUpdate()
    .execute()
  const forgotten = await tx.q
    .updateTable('captures')
    .set({
      forgotten_at: at,
      sensitive_classes: null,
      template: null,
      audio: null,
      risk_parts: null,
      review_reason: null,
    })
    .where(named)
    .where('tenant_id', '=', tenantId)
    .where('forgotten_at', 'is', null)
    .returning('id')
    .execute()
  // Contents first: their locks order this with the chore that copies texts into the index.
  await tx.q.deleteFrom('capture_contents').where(named).where('tenant_id', '=', tenantId).execute()
  await tx.q.deleteFrom('capture_texts').where(named).where('tenant_id', '=', tenantId).execute()
  await tx.q
    .deleteFrom('capture_media')
    .where(sql<boolean>`capture_id = any(${[...ids]}::text[])`)
    .where('tenant_id', '=', tenantId)
    .execute()
  await tx.q
    .deleteFrom('copyright_flags')
    .where(sql<boolean>`capture_id = any(${[...ids]}::text[])`)
    .where('tenant_id', '=', tenantId)
    .execute()
  await dropAnswers(tx, tenantId)
  return forgotten.map(({ id }) => id)
}
