import { openOrm } from '../../../db/kernel/tables/orm.ts'

/** Returns the statements that turn the schema of a database into that of the tables; an empty text when it is the same. */
export async function schemaDifference(url: string): Promise<string> {
  const orm = await openOrm({ clientUrl: url })
  try {
    return await orm.schema.getUpdateSchemaSQL({ wrap: false })
  } finally {
    await orm.close(true)
  }
}
