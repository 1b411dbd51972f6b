import { isCid, type Cid } from '../../../core/compile/archive/cid.ts'
import type { Operation } from '../../kernel/operation.ts'

/** Returns the CID of the head of a concept; null without a concept, for a deleted one, and for another tenant's. */
export async function findHeadCid(op: Operation, conceptId: string | null): Promise<Cid | null> {
  if (conceptId === null) return null
  const [head] = await op.read((q) =>
    q
      .selectFrom('concepts as c')
      .innerJoin('artifacts as a', 'a.version_id', 'c.head_version_id')
      .select('a.cid')
      .where('c.id', '=', conceptId)
      .where('c.tenant_id', '=', op.tenantId)
      .where('a.tenant_id', '=', op.tenantId)
      .where('c.deleted_at', 'is', null),
  )
  return head !== undefined && isCid(head.cid) ? head.cid : null
}
