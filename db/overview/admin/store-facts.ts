import type { Database } from '../../kernel/database.ts'

/** What is known of the database server. */
export interface StoreFacts {
  readonly version: string
  readonly sizeBytes: number
}

/** Version of the server, and how large the database is. */
export async function storeFacts(db: Database): Promise<StoreFacts> {
  const [row] = await db.query<StoreFacts>(
    `select current_setting('server_version') as version, pg_database_size(current_database()) as "sizeBytes"`,
  )
  if (row === undefined) throw new Error('the database says nothing of itself')
  return row
}
