import type { JsonObject } from '../../core/json.ts'
import type { Database } from '../database.ts'

/**
 * The build receipt with that artifact hash, of whatever tenant: a claim that the service signed an artifact is checked
 * against it. Undefined when there is none.
 */
export async function findBuildReceipt(db: Database, artifactHash: string): Promise<JsonObject | undefined> {
  const [row] = await db.query<{ receipt: JsonObject }>(
    `select receipt from artifacts where receipt ->> 'artifact_hash' = $1 order by created_at limit 1`,
    [artifactHash],
  )
  return row?.receipt
}
