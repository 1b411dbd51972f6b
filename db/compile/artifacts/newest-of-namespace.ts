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
      .where(
        sql<boolean>`id in (select j.id from compile_jobs j where j.tenant_id = ${op.tenantId}
          and j.spec ->> 'corpus_namespace' = ${namespace})`,
      )
      .where(
        sql<boolean>`not exists (select 1 from artifacts later where later.tenant_id = artifacts.tenant_id
          and later.concept_id = artifacts.concept_id and (later.created_at, later.id) > (artifacts.created_at, artifacts.id))`,
      )
      .orderBy('created_at', 'desc')
      .limit(most),
  )
  return artifacts
}
