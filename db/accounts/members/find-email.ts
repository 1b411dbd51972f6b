import type { Operation } from '../../kernel/operation.ts'

/**
 * Returns the address of a member of the tenant, or of the tenant itself for a caller who is not a member; null without
 * one.
 */
export async function findMemberEmail(op: Operation, memberId: string | null): Promise<string | null> {
  const [row] = await op.read((q) =>
    q
      .selectFrom('tenants as t')
      .leftJoin('members as m', (on) => on.onRef('m.tenant_id', '=', 't.id').on('m.id', '=', memberId))
      .select((of) => of.fn.coalesce('m.email', 't.email').as('email'))
      .where('t.id', '=', op.tenantId),
  )
  return row?.email ?? null
}
