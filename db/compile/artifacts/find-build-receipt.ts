import type { JsonObject } from '../../../core/kernel/json/json.ts'
import type { Database } from '../../kernel/database.ts'

/**
 * The build receipt with that artifact hash, of whatever tenant, also of one that is no more: a claim that the service
 * signed an artifact is checked against it. Undefined when there is none.
 */
export async function findBuildReceipt(db: Database, artifactHash: string): Promise<JsonObject | undefined> {
  const [row] = await db.query<{ receipt: JsonObject }>(
    `select receipt from (
       select receipt, created_at from artifacts where receipt ->> 'artifact_hash' = $1
       union all select receipt, created_at from build_receipts where receipt ->> 'artifact_hash' = $1
     ) found order by created_at limit 1`,
    [artifactHash],
  )
  return row?.receipt
}
