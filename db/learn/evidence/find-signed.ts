import { sql } from 'kysely'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import type { Operation } from '../../kernel/operation.ts'

/** The signed evidence of an artifact, for benchmark evidence. */
export interface SignedEvidence {
  readonly id: string
  readonly artifactHash: string
  readonly kScore: number
  readonly sizeBytes: number
  readonly receipt: JsonObject
}

/**
 * Returns the tenant's newest artifact in force, or the one in force that an artifact hash names; null without one.
 */
export async function findSigned(op: Operation, artifactHash?: string): Promise<SignedEvidence | null> {
  const [row] = await op.read((q) => {
    const rows = q
      .selectFrom('artifacts')
      .select(['id', 'k_score as kScore', 'size_bytes as sizeBytes', 'manifest', 'receipt'])
      .where('tenant_id', '=', op.tenantId)
      .where('revoked_at', 'is', null)
      .where((of) => of.or([of('expires_at', 'is', null), of('expires_at', '>', op.now())]))
    const named =
      artifactHash === undefined ? rows : rows.where(sql<boolean>`receipt ->> 'artifact_hash' = ${artifactHash}`)
    return named.orderBy('created_at', 'desc').limit(1)
  })
  const hash = row?.manifest['artifact_hash']
  if (row === undefined || typeof hash !== 'string') return null
  const { id, kScore, sizeBytes, receipt } = row
  return { id, artifactHash: hash, kScore, sizeBytes, receipt }
}
