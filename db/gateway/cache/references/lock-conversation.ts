import type { Transaction } from '../../../kernel/transaction.ts'

/** The first turn of a conversation that is locked. */
export interface LockedRoot {
  readonly key: Uint8Array
  /** Bytes that all turns of the conversation count. */
  readonly bytes: number
}

/**
 * Locks the conversation of a response until the transaction ends, by its first turn: all who add or remove turns do so first, and look
 * at the other turns in later statements, which then see them all. Returns null where there is no such response.
 */
export async function lockConversation(
  tx: Transaction,
  { tenantId, key }: { readonly tenantId: string; readonly key: Buffer },
): Promise<LockedRoot | null> {
  const [root] = await tx.q
    .selectFrom('response_references as named')
    .innerJoin('response_references as root', (on) =>
      on
        .onRef('root.tenant_id', '=', 'named.tenant_id')
        .on((of) => of('root.key', '=', of.fn.coalesce('named.root_key', 'named.key'))),
    )
    .select('root.key')
    .select((of) => of('root.size_bytes', '+', of.ref('root.later_bytes')).as('bytes'))
    .where('named.tenant_id', '=', tenantId)
    .where('named.key', '=', key)
    .forUpdate('root')
    .execute()
  return root ?? null
}
