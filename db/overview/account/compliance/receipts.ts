import { sql } from 'kysely'
import type { JsonObject } from '../../../../core/kernel/json/json.ts'
import type { Operation } from '../../../kernel/operation.ts'

/** A build receipt and its artifact. */
export interface ArtifactReceipt {
  readonly artifactId: string
  readonly name: string
  readonly archiveHash: string
  readonly kScore: number
  readonly receipt: JsonObject
  readonly createdAt: Date
}

const BATCH = 200

const COLUMNS = [
  'id as artifactId',
  'name',
  'archive_sha256 as archiveHash',
  'k_score as kScore',
  'receipt',
  'created_at as createdAt',
] as const

/** Yields the build receipts of the tenant's artifacts, oldest first, a few hundred in memory at a time. */
export async function* streamReceipts(op: Operation): AsyncGenerator<ArtifactReceipt> {
  for (let after: readonly [Date, string] = [new Date(0), '']; ;) {
    const [at, id] = after
    const rows = await op.read((q) =>
      q
        .selectFrom('artifacts')
        .select(COLUMNS)
        .where('tenant_id', '=', op.tenantId)
        .where(sql<boolean>`(created_at, id) > (${at}, ${id})`)
        .orderBy('created_at')
        .orderBy('id')
        .limit(BATCH),
    )
    yield* rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < BATCH) return
    after = [last.createdAt, last.artifactId]
  }
}

/** Lists the newest receipts. */
export async function newestReceipts(op: Operation, limit: number): Promise<readonly ArtifactReceipt[]> {
  return await op.read((q) =>
    q
      .selectFrom('artifacts')
      .select(COLUMNS)
      .where('tenant_id', '=', op.tenantId)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit),
  )
}
