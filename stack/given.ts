import pg from 'pg'
import { StackError } from './stack-error.ts'
import { askTemporal } from './temporal/server.ts'

/** Throws `StackError` `not_reachable` when nothing answers at a `DATABASE_URL`; the password stays out of the message. */
export async function checkDatabase(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
  } catch (error) {
    const { host, pathname } = new URL(databaseUrl)
    const reason = error instanceof Error ? error.message : String(error)
    throw new StackError(
      'not_reachable',
      `DATABASE_URL is set, but ${host}${pathname} cannot be used: ${reason}\nUnset it to use the embedded Postgres.`,
      error,
    )
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Throws `StackError` `not_reachable` when nothing answers at a `TEMPORAL_ADDRESS`. */
export async function checkTemporal(address: string): Promise<void> {
  const problem = await askTemporal(address)
  if (problem === undefined) return
  throw new StackError(
    'not_reachable',
    `TEMPORAL_ADDRESS is set, but nothing answers at ${address}: ${problem.message}\nUnset it to use the embedded dev server.`,
    problem,
  )
}
