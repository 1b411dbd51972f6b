import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Sha256 } from '../../../core/kernel/json/json.ts'
import type { Database } from '../../kernel/database.ts'
import { tenantOf } from '../../kernel/operation.ts'
import { BUILDER } from '../../kernel/queries/typed.ts'

/** Target of a call: a concept's head, one version, one artifact, or the newest artifact with a CID. */
export type RunTarget =
  | { readonly conceptId: string }
  | { readonly versionId: string }
  | { readonly artifactId: string }
  | { readonly artifactCid: string }

/** A version that can be run, with the archive that holds it. */
export interface Runnable {
  readonly tenantId: string
  readonly conceptId: string
  readonly conceptName: string
  readonly versionId: string
  readonly artifactId: string
  readonly archiveSha256: Sha256
  readonly sizeBytes: number
  readonly cid: string
  /** Column of the examples' file that held the inputs; null where they are objects or came otherwise. */
  readonly inputColumn: string | null
  /** True for an artifact that was revoked and is refused. */
  readonly isRevoked: boolean
}

/**
 * Resolves a target of the tenant, within these namespaces or in all; null when it is unknown, another tenant's,
 * outside of them, deleted or expired. Of several artifacts with a CID, a revoked one is the last choice. A notification on
 * `svc_concepts` with the concept's id invalidates a cached result.
 */
export async function findRunnable(
  db: Database,
  input: { readonly tenantId: string; readonly target: RunTarget; readonly bounds: readonly string[] | null },
): Promise<Runnable | null> {
  const { tenantId, target, bounds } = input
  const [row] = await tenantOf(db, tenantId, bounds).read((q) =>
    q
      .selectFrom('artifacts as a')
      .innerJoin('versions as v', 'v.id', 'a.version_id')
      .innerJoin('concepts as c', 'c.id', 'a.concept_id')
      // An artifact may outlive its job.
      .leftJoin('compile_jobs as j', 'j.id', 'a.id')
      .select([
        'a.tenant_id as tenantId',
        'c.id as conceptId',
        'c.name as conceptName',
        'v.id as versionId',
        'a.id as artifactId',
        sql<Sha256>`a.archive_sha256`.as('archiveSha256'),
        'a.size_bytes as sizeBytes',
        'a.cid',
        sql<string | null>`j.spec ->> 'input_column'`.as('inputColumn'),
        sql<boolean>`a.revoked_at is not null`.as('isRevoked'),
      ])
      .where(isTarget(target))
      .where('a.tenant_id', '=', tenantId)
      .where('c.deleted_at', 'is', null)
      .where('v.deleted_at', 'is', null)
      .where(sql<SqlBool>`(a.expires_at is null or a.expires_at > now())`)
      .orderBy(sql`a.revoked_at is not null`)
      .orderBy('a.created_at', 'desc')
      .limit(1),
  )
  return row ?? null
}

function isTarget(target: RunTarget): RawBuilder<SqlBool> {
  if ('conceptId' in target) {
    return sql`v.id = ${BUILDER.selectFrom('concepts').select('head_version_id').where('id', '=', target.conceptId)}`
  }
  if ('versionId' in target) return sql`v.id = ${target.versionId}`
  if ('artifactId' in target) return sql`a.id = ${target.artifactId}`
  return sql`a.cid = ${target.artifactCid}`
}
