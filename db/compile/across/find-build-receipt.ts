import { sql } from 'kysely'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import type { Database } from '../../kernel/database.ts'
import { service } from '../../kernel/queries/service.ts'

/**
 * Finds the build receipt with an artifact hash, of all tenants including deleted ones, to check a claim that the
 * service signed an artifact. Undefined when there is none.
 */
export async function findBuildReceipt(db: Database, artifactHash: string): Promise<JsonObject | undefined> {
  const hasHash = sql<boolean>`receipt ->> 'artifact_hash' = ${artifactHash}`
  const [row] = await service.read(db, 'any holder of an artifact may verify it', (q) =>
    q
      .selectFrom(
        q
          .selectFrom('artifacts')
          .select(['receipt', 'created_at'])
          .where(hasHash)
          .unionAll(q.selectFrom('build_receipts').select(['receipt', 'created_at']).where(hasHash))
          .as('found'),
      )
      .select('receipt')
      .orderBy('created_at')
      .limit(1),
  )
  return row?.receipt
}
