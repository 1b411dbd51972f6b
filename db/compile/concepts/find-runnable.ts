import type { Sha256 } from '../../../core/kernel/json/json.ts'
import type { Database } from '../../kernel/database.ts'
import { jobInBounds } from '../../kernel/namespaces/bounds.ts'

/** What a caller wants to run: a concept's head, one version, or the newest artifact with a CID. */
export type RunTarget =
  | { readonly conceptId: string }
  | { readonly versionId: string }
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
}

/**
 * What a target of the tenant stands for now, within these namespaces or in all; null when it is unknown, another
 * tenant's, outside of them, deleted, revoked or expired.
 * A notification on `svc_concepts` with the concept's id says that a remembered answer is no longer good.
 */
export async function findRunnable(
  db: Database,
  input: { readonly tenantId: string; readonly target: RunTarget; readonly bounds: readonly string[] | null },
): Promise<Runnable | null> {
  const [condition, id] = conditionOf(input.target)
  const [row] = await db.query<Runnable>(
    `select a.tenant_id as "tenantId", c.id as "conceptId", c.name as "conceptName", v.id as "versionId",
       a.id as "artifactId", a.archive_sha256 as "archiveSha256", a.size_bytes as "sizeBytes", a.cid
     from artifacts a
     join versions v on v.id = a.version_id
     join concepts c on c.id = a.concept_id
     where ${condition} and a.tenant_id = $1 and c.deleted_at is null and v.deleted_at is null
       and a.revoked_at is null and (a.expires_at is null or a.expires_at > now())
       and ${jobInBounds('a.id', 3)}
     order by a.created_at desc limit 1`,
    [input.tenantId, id, input.bounds],
  )
  return row ?? null
}

function conditionOf(target: RunTarget): readonly [condition: string, id: string] {
  if ('conceptId' in target) {
    return ['v.id = (select head_version_id from concepts where id = $2)', target.conceptId]
  }
  if ('versionId' in target) return ['v.id = $2', target.versionId]
  return ['a.cid = $2', target.artifactCid]
}
