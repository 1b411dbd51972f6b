import type { CompiledQuery } from 'kysely'
import pg from 'pg'
import type { Database } from '../database.ts'
import { explainFailure } from '../faults/failures.ts'
import { beginAs, type Reach } from '../tenant/tenant-role.ts'
import { answerOf, statementsOf, type Reading, type RowsOf } from './read.ts'
import { BUILDER, type Reads } from './typed.ts'

/**
 * Sends the queries of `build` and returns the rows. With a reach, the queries are one transaction that sees the rows
 * of that tenant only; begin, queries and commit go to the server in one round trip. Throws `store_unavailable`.
 */
export async function readRows<const R extends Reading>(
  db: Database,
  reach: Reach | null,
  build: (queries: Reads) => R,
): Promise<RowsOf<R>> {
  const built = build(BUILDER)
  const compiled = statementsOf(built).map((statement) => statement.compile(BUILDER))
  const rows = db.enclosing?.hasBegun === true ? await inside(db, reach, compiled) : await send(db, reach, compiled)
  return answerOf(built, rows)
}

/** Reads in the transaction of a claimed call, which has begun. */
async function inside(db: Database, reach: Reach | null, queries: readonly CompiledQuery[]): Promise<Rows[]> {
  if (db.enclosing === undefined) throw new Error('no enclosing transaction')
  return await db.enclosing.run(reach, async (tx) => {
    const found: Rows[] = []
    for (const query of queries) found.push(await tx.query(query.sql, query.parameters))
    return found
  })
}

type Rows = readonly object[]

async function send(db: Database, reach: Reach | null, queries: readonly CompiledQuery[]): Promise<Rows[]> {
  const client = await db.pool.connect().catch((error: unknown) => {
    throw explainFailure(error)
  })
  const opened = reach === null ? [] : [client.query(beginAs('begin read only', reach))]
  const sent = queries.map(({ sql, parameters }) => client.query<object>(sql, [...parameters]))
  const closed = reach === null ? [] : [client.query('commit')]
  const settled = await Promise.allSettled([...opened, ...sent, ...closed])
  const failed = settled.find((each) => each.status === 'rejected')
  release(client, settled.at(-1), reach)
  if (failed !== undefined) throw explainFailure(failed.reason)
  return await Promise.all(sent.map(async (each) => (await each).rows))
}

/**
 * Releases the connection, or closes it when it may be lost or still in a transaction: only a lost one refuses a
 * commit. A single refused statement changes nothing.
 */
function release(client: pg.PoolClient, last: PromiseSettledResult<unknown> | undefined, reach: Reach | null): void {
  const failure: unknown = last?.status === 'rejected' ? last.reason : undefined
  const isRefusal = reach === null && failure instanceof pg.DatabaseError && failure.severity === 'ERROR'
  client.release(failure instanceof Error && !isRefusal ? failure : undefined)
}
