import { sql } from 'kysely'
import type { TenantAccess } from '../../../kernel/operation.ts'
import type { Transaction } from '../../../kernel/transaction.ts'

/**
 * Drops whole conversations of a tenant, and answers of providers with the references of their items, until the others take at most
 * `mostBytes`: first those that were used longest ago. One that gets a turn meanwhile stays.
 */
export async function trimReferences(tenant: TenantAccess, mostBytes: number): Promise<void> {
  const { tenantId } = tenant
  await tenant.write(async (tx) => {
    const beyond = await findBeyond(tx, { tenantId, mostBytes })
    if (beyond.length === 0) return
    const times = new Map(beyond.map(({ key, expiresAt }) => [hex(key), expiresAt?.getTime()] as const))
    // A turn that is being kept holds the first one of its conversation, and extends it.
    const held = await tx.q
      .selectFrom('response_references')
      .select(['key', 'expires_at'])
      .where('tenant_id', '=', tenantId)
      .where(
        isAmong(
          'key',
          beyond.map(({ key }) => key),
        ),
      )
      .forUpdate()
      .skipLocked()
      .execute()
    const free = held.filter(({ key, expires_at: expiresAt }) => times.get(hex(key)) === expiresAt?.getTime())
    // Without a first turn are those of which a process of an earlier version dropped it.
    const keys = [...free, ...beyond.filter(({ expiresAt }) => expiresAt === null)].map(({ key }) => key)
    await dropWhole(tx, tenantId, keys)
  })
}

/** Finds conversations, and answers of providers, beyond those used last that take at most so many bytes. */
async function findBeyond(
  tx: Transaction,
  { tenantId, mostBytes }: { readonly tenantId: string; readonly mostBytes: number },
) {
  return await tx.q
    .selectFrom((inner) =>
      inner
        .selectFrom((rows) =>
          rows
            .selectFrom('response_references as row')
            .select((of) => [
              of.fn.coalesce('row.root_key', 'row.response_key', 'row.key').as('key'),
              of.fn.max('row.expires_at').as('expires_at'),
              of.fn.sum<number>('row.size_bytes').as('size'),
            ])
            .where('row.tenant_id', '=', tenantId)
            .groupBy((of) => of.fn.coalesce('row.root_key', 'row.response_key', 'row.key'))
            .as('whole'),
        )
        .select((of) => [
          'whole.key',
          'whole.expires_at as expiresAt',
          of.fn
            .sum<number>('whole.size')
            .over((by) => by.orderBy('whole.expires_at', (order) => order.desc().nullsLast()).orderBy('whole.key'))
            .as('bytes'),
        ])
        .as('sums'),
    )
    .select(['sums.key', 'sums.expiresAt'])
    .where('sums.bytes', '>', mostBytes)
    .execute()
}

/** Drops rows, and those of later turns and of items that belong to them. */
async function dropWhole(tx: Transaction, tenantId: string, keys: readonly Uint8Array[]): Promise<void> {
  await tx.q
    .deleteFrom('response_references')
    .where('tenant_id', '=', tenantId)
    .where((of) => of.or([isAmong('key', keys), isAmong('root_key', keys), isAmong('response_key', keys)]))
    .execute()
}

function isAmong(column: 'key' | 'root_key' | 'response_key', keys: readonly Uint8Array[]) {
  return sql<boolean>`${sql.ref(column)} = any(${[...keys]}::bytea[])`
}

function hex(key: Uint8Array): string {
  return Buffer.from(key).toString('hex')
}
