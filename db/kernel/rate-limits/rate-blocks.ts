import type { SqlRunner } from '../database.ts'

/** A block of calls that a process wants to take out of a tenant's window. */
export interface BlockRequest {
  readonly tenantId: string
  /** Number of the window since 1970. */
  readonly window: number
  readonly block: number
}

/**
 * Adds each block to the shared count of its tenant's window, in one statement. Answers the new counts by tenant. A
 * tenant that is missing had used its window up before. A count may exceed the limit by part of one block: then only
 * the part below the limit was granted, and every later request finds the window used up. Rows are locked in the order
 * of their keys, so that two processes never lock crosswise.
 */
export async function takeBlocks(
  sql: SqlRunner,
  requests: readonly BlockRequest[],
  options: { readonly limit: number; readonly windowMs: number },
): Promise<ReadonlyMap<string, number>> {
  const rows = await sql.query<{ key: string; points: number }>(
    `insert into rate_limits as r (key, points, expire)
     select b.key, b.block, b.expire
     from unnest($1::text[], $2::integer[], $3::bigint[]) as b(key, block, expire) order by b.key
     on conflict (key) do update set points = r.points + excluded.points where r.points < $4
     returning key, points`,
    [
      requests.map(keyOf),
      requests.map(({ block }) => block),
      requests.map(({ window }) => (window + 1) * options.windowMs),
      options.limit,
    ],
  )
  return new Map(rows.map(({ key, points }) => [tenantOf(key), points]))
}

const PREFIX = 'tenant'

function keyOf({ tenantId, window }: BlockRequest): string {
  return `${PREFIX}:${tenantId}:${window}`
}

function tenantOf(key: string): string {
  return key.split(':')[1] ?? ''
}
