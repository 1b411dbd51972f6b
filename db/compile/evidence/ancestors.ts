import { sql } from 'kysely'
import { DISTIL_SOURCES, HAS_DISTIL } from './distil-sources.ts'
import type { TenantAccess } from '../../kernel/operation.ts'

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
    q
      .withRecursive('source(id)', (within) =>
        within
          .selectFrom(sql<{ id: string }>`(select ${artifactId}::text)`.as<'g'>(sql`g(id)`))
          .select('g.id')
          .union(
            within
              .selectFrom('source')
              .innerJoinLateral(
                (on) =>
                  on
                    .selectFrom('versions as child')
                    .innerJoin('versions as parent', 'parent.id', 'child.parent_version_id')
                    .select('parent.job_id as id')
                    .whereRef('child.job_id', '=', 'source.id')
                    .where('child.tenant_id', '=', tenantId)
                    .where('parent.tenant_id', '=', tenantId)
                    .unionAll(
                      on
                        .selectFrom('compile_jobs as again')
                        .select(sql<string>`again.spec ->> 'earlier_job'`.as('id'))
                        .whereRef('again.id', '=', 'source.id')
                        .where('again.tenant_id', '=', tenantId),
                    )
                    .unionAll(
                      on
                        .selectFrom('compile_jobs as j')
                        .select(DISTIL_SOURCES.as('id'))
                        .whereRef('j.id', '=', 'source.id')
                        .where('j.tenant_id', '=', tenantId)
                        .where(HAS_DISTIL),
                    )
                    .as('next'),
                (join) => join.onTrue(),
              )
              .select('next.id'),
          ),
      )
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
