import type { Operation } from '../../kernel/operation.ts'

/** The address of a member of the tenant, or of the tenant itself for a caller who is no member; null without one. */
export async function findMemberEmail(op: Operation, memberId: string | null): Promise<string | null> {
  const [row] = await op.db.query<{ email: string | null }>(
    `select coalesce(m.email, t.email) as email
     from tenants t left join members m on m.tenant_id = t.id and m.id = $2 where t.id = $1`,
    [op.tenantId, memberId],
  )
  return row?.email ?? null
}
