import { sql } from 'kysely'
import type { Transaction } from '../../kernel/transaction.ts'
import { dropAnswers } from '../cache/drop-answers.ts'
import { dropReferences } from '../cache/references/drop-references.ts'

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
  // Before the captures, as commits and merges lock them.
  await tx.q.selectFrom('capture_heads').select('position').where('tenant_id', '=', tenantId).forUpdate().execute()
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
  const erased = await tx.q
    .deleteFrom('capture_contents')
    .where(named)
    .where('tenant_id', '=', tenantId)
    .returning('inline_bytes as inlineBytes')
    .execute()
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
  await dropReferences(tx, tenantId)
  const inlineBytes = erased.reduce((sum, row) => sum + (row.inlineBytes ?? 0), 0)
  if (inlineBytes > 0) {
    await tx.q
      .updateTable('capture_heads')
      .set({ inline_bytes: sql<number>`greatest(inline_bytes - ${inlineBytes}::bigint, 0)` })
      .where('tenant_id', '=', tenantId)
      .execute()
  }
  return forgotten.map(({ id }) => id)
}
