import type { Database } from '../../../db/kernel/database.ts'
import type { Reader } from '../../../db/kernel/queries/read.ts'
import { service, type ServiceTransaction } from '../../../db/kernel/queries/service.ts'
import { raw } from '../../../db/kernel/queries/typed.ts'

/** Sends a statement as text: over all tenants on a database, in its transaction on another reader. */
export async function sendSql<Row extends object = Record<string, never>>(
  on: Database | Reader,
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> {
  const build = () => raw<Row>(text, values)
  return 'read' in on ? await on.read(build) : await service.send(on, 'a test looks at all tenants', build)
}

/** Runs `work` in one transaction that sees the rows of all tenants. */
export async function writeAll<T>(db: Database, work: (tx: ServiceTransaction) => Promise<T>): Promise<T> {
  return await service.write(db, 'a test looks at all tenants', work)
}
