import type { Database } from '../../../db/kernel/database.ts'
import { sendSql } from '../db/send-sql.ts'

/** Every value of every column of bytes in the rows of a tenant: sealed secrets, salts and hashes. */
export async function hiddenBytesOf(db: Database, tenantId: string): Promise<readonly Buffer[]> {
  const columns = await sendSql<{ table: string; column: string }>(
    db,
    `select c.table_name as "table", c.column_name as "column" from information_schema.columns c
     join information_schema.columns t
       on t.table_schema = c.table_schema and t.table_name = c.table_name and t.column_name = 'tenant_id'
     where c.table_schema = 'public' and c.data_type = 'bytea'`,
  )
  const found: Buffer[] = []
  for (const { table, column } of columns) {
    const rows = await sendSql<{ bytes: Buffer | null }>(
      db,
      `select "${column}" as bytes from "${table}" where tenant_id = $1`,
      [tenantId],
    )
    for (const { bytes } of rows) if (bytes !== null) found.push(bytes)
  }
  return found
}

/** The texts in which these bytes could stand in an answer. */
export function writtenForms(bytes: Buffer): readonly string[] {
  return [bytes.toString('hex'), bytes.toString('base64url'), bytes.toString('base64').replace(/=+$/, '')]
}
