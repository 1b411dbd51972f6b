import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { service } from '../queries/service.ts'
import { list, unnest } from '../queries/typed.ts'

/** A block of calls to take out of a tenant's window. */
export interface BlockRequest {
  readonly tenantId: string
  /** Number of the window since 1970. */
  readonly window: number
  readonly block: number
}

/**
 * Adds each block to the shared count of its tenant's window, in one statement. Returns the new counts by tenant. A
 * tenant that is missing had used its window up before. A count may exceed the limit by part of one block: then only
 * the part below the limit was granted, and every later request finds the window used up. Rows are locked in the order
 * of their keys, so that two processes never deadlock.
 */
export async function takeBlocks(
  db: Database,
  requests: readonly BlockRequest[],
  options: { readonly limit: number; readonly windowMs: number },
): Promise<ReadonlyMap<string, number>> {
  const blocks = unnest('b', {
    key: list('text', requests.map(keyOf)),
    block: list(
      'integer',
      requests.map(({ block }) => block),
    ),
    expire: list(
      'bigint',
      requests.map(({ window }) => (window + 1) * options.windowMs),
    ),
  })
  const rows = await service.send(db, 'counts the calls of many tenants in one statement', (q) =>
    q
      .insertInto('rate_limits')
      .columns(['key', 'points', 'expire'])
      .expression((of) => of.selectFrom(blocks).select(['key', 'block as points', 'expire']).orderBy('key'))
      .onConflict((on) =>
        on
          .column('key')
          .doUpdateSet({ points: sql<number>`rate_limits.points + excluded.points` })
          .where('rate_limits.points', '<', options.limit),
      )
      .returning(['key', 'points']),
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
