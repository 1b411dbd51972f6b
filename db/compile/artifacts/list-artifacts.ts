import type { Operation } from '../../kernel/operation.ts'
import { newestFirst, type Page, type PageRequest } from '../../kernel/tables/page.ts'
import type { Artifact } from './artifact.ts'
import { ARTIFACT } from './find-artifact.ts'

/** Lists the tenant's artifacts, or that of one version, newest first. Throws `invalid_cursor`. */
export async function listArtifacts(
  op: Operation,
  { version, ...input }: PageRequest & { readonly version?: string | undefined },
): Promise<Page<Artifact>> {
  const newest = newestFirst(input)
  const rows = await op.read((q) =>
    newest.take(
      q
        .selectFrom('artifacts')
        .select(ARTIFACT)
        .where('tenant_id', '=', op.tenantId)
        .$if(version !== undefined, (one) => one.where('version_id', '=', version ?? '')),
    ),
  )
  return newest.page(rows)
}

/** Returns the total number of the tenant's artifacts. */
export async function countArtifacts(op: Operation): Promise<number> {
  const [row] = await op.read((q) =>
    q.selectFrom('artifacts').select(q.fn.countAll<number>().as('total')).where('tenant_id', '=', op.tenantId),
  )
  return row?.total ?? 0
}
