import type { TenantAccess } from '../../../kernel/operation.ts'

/**
 * Drops the references of a tenant that expire first until the others take at most `mostBytes`: those of whole answers, and of a
 * conversation its last turns before the earlier ones, which these need.
 */
export async function trimReferences(tenant: TenantAccess, mostBytes: number): Promise<void> {
  const { tenantId } = tenant
  await tenant.write(async (tx) => {
    await tx.q
      .deleteFrom('response_references')
      .where('tenant_id', '=', tenantId)
      .where('expires_at', '<=', (of) =>
        of
          .selectFrom((inner) =>
            inner
              .selectFrom('response_references as newer')
              .select((row) => [
                'newer.expires_at',
                row.fn
                  .sum<number>('newer.size_bytes')
                  .over((by) => by.orderBy('newer.expires_at', 'desc').orderBy('newer.key'))
                  .as('bytes'),
              ])
              .where('newer.tenant_id', '=', tenantId)
              .as('sums'),
          )
          .select((sums) => sums.fn.max('sums.expires_at').as('newest'))
          .where('sums.bytes', '>', mostBytes),
      )
      .execute()
  })
}
