import { sql } from 'kysely'
import type { Operation } from '../../kernel/operation.ts'
import type { Artifact } from './artifact.ts'
import { ARTIFACT } from './find-artifact.ts'

/** Returns the newest artifact of each concept that was compiled in a namespace and is in force, the newest first. */
export async function newestOfNamespace(op: Operation, namespace: string, most: number): Promise<readonly Artifact[]> {
  const artifacts = await op.read((q) =>
    q
      .selectFrom('artifacts')
      .select(ARTIFACT)
      .where('tenant_id', '=', op.tenantId)
      .where('state', 'not in', ['revoked', 'archived', 'superseded'])
      .where((of) =>
        of(
          'id',
          'in',
          of
            .selectFrom('compile_jobs as j')
            .select('j.id')
            .where('j.tenant_id', '=', op.tenantId)
            .where(sql<string>`j.spec ->> 'corpus_namespace'`, '=', namespace),
        ),
      )
      .where((of) =>
        of.not(
          of.exists(
            of
              .selectFrom('artifacts as later')
              .select('later.id')
              .whereRef('later.tenant_id', '=', 'artifacts.tenant_id')
              .whereRef('later.concept_id', '=', 'artifacts.concept_id')
              .where(sql<boolean>`(later.created_at, later.id) > (artifacts.created_at, artifacts.id)`),
          ),
        ),
      )
      .orderBy('created_at', 'desc')
      .limit(most),
  )
  return artifacts
}
