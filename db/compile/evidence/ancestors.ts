import type { TenantAccess } from '../../kernel/operation.ts'
import { withSources } from './job-sources.ts'

/**
 * Returns the jobs that an artifact of the tenant is built on, directly or through others: those of earlier versions, and those
 * whose examples were compiled again, and the student and the teacher of a distillation. Some of them have no artifact. In the order of their ids, at most `limit`, without the
 * artifact itself.
 */
export async function findAncestors(
  tenant: TenantAccess,
  artifactId: string,
  limit: number,
): Promise<readonly string[]> {
  const { tenantId } = tenant
  const rows = await tenant.read((q) =>
    withSources(q, { tenantId, artifactId })
      .selectFrom('source')
      .innerJoin('compile_jobs', 'compile_jobs.id', 'source.id')
      .select('source.id')
      .where('compile_jobs.tenant_id', '=', tenantId)
      .where('source.id', '!=', artifactId)
      .orderBy('source.id')
      .limit(limit),
  )
  return rows.map(({ id }) => id)
}
