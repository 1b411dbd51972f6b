import type { Database } from '../../../kernel/database.ts'
import { service } from '../../../kernel/queries/service.ts'
import { raw } from '../../../kernel/queries/typed.ts'
import { MIGRATIONS_TABLE } from '../../../migrations/index.ts'

/** An applied migration. */
export interface AppliedMigration {
  readonly name: string
  readonly appliedAt: Date
}

/** Lists the applied migrations, oldest first. */
export async function appliedMigrations(db: Database): Promise<readonly AppliedMigration[]> {
  return await service.read(db, 'migrations are those of the whole database', () =>
    raw<AppliedMigration>(
      `select name, executed_at as "appliedAt" from ${MIGRATIONS_TABLE} order by executed_at, name`,
    ),
  )
}
