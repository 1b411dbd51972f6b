import { sql } from 'kysely'
import type { Queries } from '../../kernel/queries/typed.ts'
import { DISTIL_SOURCES, HAS_DISTIL } from './distil-sources.ts'

/**
 * Adds the table `source` to a query: the ids of an artifact and of the jobs that it is built on, directly or through others.
 * Those are the jobs of earlier versions, those whose examples were compiled again, and the student and the teacher of a
 * distillation.
 */
export function withSources(
  q: Pick<Queries, 'withRecursive'>,
  { tenantId, artifactId }: { readonly tenantId: string; readonly artifactId: string },
) {
  return q.withRecursive('source(id)', (within) =>
    within.selectNoFrom(sql<string>`${artifactId}::text`.as('id')).union(
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
                  .where('again.tenant_id', '=', tenantId)
                  .where(sql<boolean>`again.spec ->> 'earlier_job' is not null`),
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
}
