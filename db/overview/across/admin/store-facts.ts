import { sql } from 'kysely'
import type { Database } from '../../../kernel/database.ts'
import { service } from '../../../kernel/queries/service.ts'

/** Facts about the database server. */
export interface StoreFacts {
  readonly version: string
  readonly sizeBytes: number
}

/** Returns the version of the server, and the size of the database. */
export async function storeFacts(db: Database): Promise<StoreFacts> {
  const [row] = await service.read(db, 'facts of the whole server', (q) =>
    q.selectNoFrom([
      sql<string>`current_setting('server_version')`.as('version'),
      sql<number>`pg_database_size(current_database())`.as('sizeBytes'),
    ]),
  )
  if (row === undefined) throw new Error('the database returned no facts about itself')
  return row
}
