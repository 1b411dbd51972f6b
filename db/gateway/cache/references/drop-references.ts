import type { TenantAccess } from '../../../kernel/operation.ts'
import type { Transaction } from '../../../kernel/transaction.ts'
import { lockConversation } from './lock-conversation.ts'

/** Drops all references of a tenant: what is to be forgotten may stand in any response, since later ones continue it. */
export async function dropReferences(tx: Transaction, tenantId: string): Promise<void> {
  await tx.q.deleteFrom('response_references').where('tenant_id', '=', tenantId).execute()
}

/**
 * Drops a response and its items. One from which later turns go on stays for these, but can be named no more; it goes with the last of
 * them, as do the deleted ones before it.
 */
export async function dropResponse(tenant: TenantAccess, key: Buffer): Promise<void> {
  const { tenantId } = tenant
  await tenant.write(async (tx) => {
    const root = await lockConversation(tx, { tenantId, key })
    await tx.q
      .deleteFrom('response_references')
      .where('tenant_id', '=', tenantId)
      .where('response_key', '=', key)
      .execute()
    if (root === null) return
    await tx.q
      .updateTable('response_references')
      .set({ is_deleted: true })
      .where('tenant_id', '=', tenantId)
      .where('key', '=', key)
      .execute()
    await dropEnds(tx, { tenantId, key, rootKey: root.key })
  })
}

/** Drops a deleted turn that has no later one, and those before it that are deleted too and have none beside. */
async function dropEnds(
  tx: Transaction,
  { tenantId, key, rootKey }: { readonly tenantId: string; readonly key: Buffer; readonly rootKey: Uint8Array },
): Promise<void> {
  const gone = await tx.q
    .withRecursive('gone(key, parent_key)', (within) =>
      within
        .selectFrom('response_references as last')
        .select(['last.key', 'last.parent_key'])
        .where('last.tenant_id', '=', tenantId)
        .where('last.key', '=', key)
        .where((of) =>
          of.not(
            of.exists(
              of
                .selectFrom('response_references as later')
                .select('later.key')
                .where('later.tenant_id', '=', tenantId)
                .where('later.root_key', '=', rootKey)
                .whereRef('later.parent_key', '=', 'last.key'),
            ),
          ),
        )
        .union(
          within
            .selectFrom('gone')
            .innerJoin('response_references as parent', 'parent.key', 'gone.parent_key')
            .select(['parent.key', 'parent.parent_key'])
            .where('parent.tenant_id', '=', tenantId)
            .where('parent.is_deleted', '=', true)
            .where((of) =>
              of.not(
                of.exists(
                  of
                    .selectFrom('response_references as later')
                    .select('later.key')
                    .where('later.tenant_id', '=', tenantId)
                    .where('later.root_key', '=', rootKey)
                    .whereRef('later.parent_key', '=', 'parent.key')
                    .whereRef('later.key', '!=', 'gone.key'),
                ),
              ),
            ),
        ),
    )
    .deleteFrom('response_references')
    .where('tenant_id', '=', tenantId)
    .where('key', 'in', (of) => of.selectFrom('gone').select('gone.key'))
    .returning('size_bytes as bytes')
    .execute()
  const bytes = gone.reduce((sum, row) => sum + row.bytes, 0)
  await tx.q
    .updateTable('response_references')
    .set((of) => ({ later_bytes: of('later_bytes', '-', bytes) }))
    .where('tenant_id', '=', tenantId)
    .where('key', '=', rootKey)
    .execute()
}
