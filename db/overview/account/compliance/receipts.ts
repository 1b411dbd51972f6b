import type { JsonObject } from '../../../../core/kernel/json/json.ts'
import type { Operation } from '../../../kernel/operation.ts'

/** A build receipt with the artifact that it is for. */
export interface ArtifactReceipt {
  readonly artifactId: string
  readonly name: string
  readonly archiveHash: string
  readonly kScore: number
  readonly receipt: JsonObject
  readonly createdAt: Date
}

const BATCH = 200

const COLUMNS = `id as "artifactId", name, archive_sha256 as "archiveHash", k_score as "kScore", receipt,
  created_at as "createdAt"`

/** The build receipts of the tenant's artifacts, oldest first, a few hundred in memory at a time. */
export async function* streamReceipts(op: Operation): AsyncGenerator<ArtifactReceipt> {
  for (let after: readonly [Date, string] = [new Date(0), '']; ;) {
    const rows = await op.db.query<ArtifactReceipt>(
      `select ${COLUMNS} from artifacts where tenant_id = $1 and (created_at, id) > ($2, $3)
       order by created_at, id limit ${BATCH}`,
      [op.tenantId, ...after],
    )
    yield* rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < BATCH) return
    after = [last.createdAt, last.artifactId]
  }
}

/** The newest of them. */
export async function newestReceipts(op: Operation, limit: number): Promise<readonly ArtifactReceipt[]> {
  return await op.db.query<ArtifactReceipt>(
    `select ${COLUMNS} from artifacts where tenant_id = $1 order by created_at desc, id desc limit $2`,
    [op.tenantId, limit],
  )
}
