import { fieldInBounds } from '../../kernel/namespaces/bounds.ts'
import type { Operation } from '../../kernel/operation.ts'
import { pageOf, placeOf, type Page, type PageRequest } from '../../kernel/tables/page.ts'
import { forkForTenant } from '../../kernel/tables/tenant-filter.ts'
import { ArtifactEntity, type Artifact } from './artifact.ts'

/** The tenant's artifacts, newest first. Throws `invalid_cursor`. */
export async function listArtifacts(op: Operation, input: PageRequest): Promise<Page<Artifact>> {
  const after = placeOf(input.cursor)
  const at = new Date(after.rank)
  const rows = await forkForTenant(op.db, op.tenantId).find(
    ArtifactEntity,
    {
      createdAt: { $lte: at },
      $or: [{ createdAt: { $lt: at } }, { id: { $lt: after.id } }],
      $and: [fieldInBounds(op, 'id')],
    },
    { orderBy: [{ createdAt: 'desc' }, { id: 'desc' }], limit: input.limit + 1 },
  )
  return pageOf(rows, input.limit, (row) => ({ rank: row.createdAt.getTime(), id: row.id }))
}

/** How many artifacts the tenant has in all. */
export async function countArtifacts(op: Operation): Promise<number> {
  return await forkForTenant(op.db, op.tenantId).count(ArtifactEntity, fieldInBounds(op, 'id'))
}
