import type { CompiledQuery } from 'kysely'
import pg from 'pg'
import type { Database } from '../database.ts'
import { explainFailure } from '../faults/failures.ts'
import type { Reach } from '../tenant/tenant-role.ts'
import { sendBatch } from './batch.ts'
import { isStalePlan } from './prepared.ts'
import { BEGIN_READ, COMMIT, entering, sentOf } from './sent.ts'
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

/** With a reach as one message: the server answers it up to the first failure. */
async function send(db: Database, reach: Reach | null, queries: readonly CompiledQuery[]): Promise<Rows[]> {
  const client = await db.pool.connect().catch((error: unknown) => {
    throw explainFailure(error)
  })
  try {
    const rows = reach === null ? await sendApart(client, queries) : await sendTogether(client, reach, queries)
    client.release()
    return rows
  } catch (error) {
    await release(client, error, reach)
    throw explainFailure(error)
  }
}

async function sendApart(client: pg.PoolClient, queries: readonly CompiledQuery[]): Promise<Rows[]> {
  const sent = queries.map(async ({ sql, parameters }) => await client.query<object>(sql, [...parameters]))
  // The connection is released after the last answer.
  await Promise.allSettled(sent)
  return (await Promise.all(sent)).map(({ rows }) => rows)
}

async function sendTogether(client: pg.PoolClient, reach: Reach, queries: readonly CompiledQuery[]): Promise<Rows[]> {
  const statements = queries.map(({ sql, parameters }) => sentOf(sql, parameters))
  const answers = await sendBatch(client, [BEGIN_READ, entering(reach), ...statements, COMMIT])
  return answers.slice(2, -1).map(({ rows }) => rows)
}

/** SQLSTATEs of a connection that the server ended or that was lost. */
const LOST = /^(?:57P|08)/

/**
 * Releases the connection after a failure, or closes it when it may be lost or keeps plans of an earlier schema. A
 * transaction is rolled back.
 */
async function release(client: pg.PoolClient, failure: unknown, reach: Reach | null): Promise<void> {
  const isRefusal = failure instanceof pg.DatabaseError && !LOST.test(failure.code ?? '') && !isStalePlan(failure)
  const lost = isRefusal ? undefined : failure instanceof Error ? failure : new Error(String(failure))
  if (lost !== undefined || reach === null) return client.release(lost)
  try {
    await client.query('rollback')
    client.release()
  } catch (error) {
    client.release(error instanceof Error ? error : true)
  }
}
