import type { Transaction } from '../../kernel/transaction.ts'
import { enterAsWriter } from './known-terms.ts'
import { beganBefore } from './newest-term.ts'

/**
 * Returns true for a call of which nothing may be kept any more: its capture was forgotten, or the tenant forgot something
 * after the call began, which it may hold.
 */
export async function isForgotten(
  tx: Transaction,
  { tenantId, captureId, begunAt }: { readonly tenantId: string; readonly captureId: string; readonly begunAt: Date },
): Promise<boolean> {
  // Forgetting waits for this write and drops it, or this one waits and sees what was forgotten.
  await enterAsWriter(tx, tenantId)
  const [terms, forgotten] = await tx.read((q) => [
    q
      .selectFrom('forgotten_terms')
      .select((of) => of.fn.max<Date | null>('created_at').as('newest'))
      .where('tenant_id', '=', tenantId),
    q
      .selectFrom('captures')
      .select('id')
      .where('id', '=', captureId)
      .where('tenant_id', '=', tenantId)
      .where('forgotten_at', 'is not', null),
  ])
  return forgotten.length > 0 || beganBefore(terms[0]?.newest, begunAt)
}

/** Returns true for a call that began before the tenant forgot captures: what it continues may be that of one. */
export async function hasForgottenSince(
  tx: Transaction,
  { tenantId, begunAt }: { readonly tenantId: string; readonly begunAt: Date },
): Promise<boolean> {
  const [asked, done] = await tx.read((q) => [
    q
      .selectFrom('capture_forgets')
      .select((of) => of.fn.max<Date | null>('created_at').as('newest'))
      .where('tenant_id', '=', tenantId),
    q
      .selectFrom('capture_certificates')
      .select((of) => of.fn.max<Date | null>('forgotten_at').as('newest'))
      .where('tenant_id', '=', tenantId),
  ])
  return beganBefore(asked[0]?.newest, begunAt) || beganBefore(done[0]?.newest, begunAt)
}
