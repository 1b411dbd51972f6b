import { TABLES } from '../../schema.ts'
import { columnOf, tenantColumnOf, type AnyTable } from '../tables/define-table.ts'
import type { Reader } from '../queries/read.ts'
import { raw } from '../queries/typed.ts'

/** Returns the digests of the blobs that rows of the tenant `$1` name, by the facts of the tables. */
const NAMED_BLOBS = TABLES.flatMap((table: AnyTable) =>
  (table.facts.blobs ?? []).map((property) => {
    const column = columnOf(property)
    return `select ${column} from ${table.tableName} where ${tenantColumnOf(table)} = $1 and ${column} is not null`
  }),
).join(' union ')

/** The sums of the columns that count bytes of the tenant `$1` outside of the blob store. */
const COUNTED_BYTES = TABLES.flatMap((table: AnyTable) =>
  ('storedBytes' in table.facts ? (table.facts.storedBytes ?? []) : []).map(
    (property) =>
      `coalesce((select sum(${columnOf(property)}) from ${table.tableName} where ${tenantColumnOf(table)} = $1), 0)`,
  ),
)

/**
 * Returns the bytes of a tenant's blobs, each once, of its uploads under way, and of the rows that count theirs. Reads the rows
 * of all of the tenant's jobs, so it is for recounts, not for every call.
 */
export async function countHeldBytes(from: Reader, tenantId: string): Promise<number> {
  const [row] = await from.read(() =>
    raw<{ bytes: number }>(
      `select (
       coalesce((select sum(size_bytes) from blobs where sha256 in (
         ${NAMED_BLOBS}
       )), 0)
       + coalesce((select sum(reserved_bytes) from blob_uploads where tenant_id = $1), 0)
       + ${COUNTED_BYTES.join(' + ')}
     )::bigint as bytes`,
      [tenantId],
    ),
  )
  return row?.bytes ?? 0
}
