import { expect } from 'chai'
import { columnOf, referencesOf } from '../../db/kernel/tables/define-table.ts'
import { SEALED_COLUMNS } from '../../db/ledger/across/sealed-columns.ts'
import { EXPORT_SECTIONS } from '../../db/overview/account/export/sections.ts'
import { REMOVALS } from '../../db/overview/deletion/purge/removals.ts'
import { TABLES } from '../../db/schema.ts'
import { useDatabase } from '../support/stack/postgres.ts'
import { sendSql } from '../support/db/send-sql.ts'

/** Written by the library of the migrations, which defines it. */
const OF_LIBRARIES = ['migrations']

describe('the facts of the tables', () => {
  const test = useDatabase()
  const columnsOfSchema = async (): Promise<ReadonlyMap<string, readonly string[]>> => {
    const rows = await sendSql<{ table: string; column: string }>(
      test.db,
      `select table_name as "table", column_name as "column" from information_schema.columns
       where table_schema = 'public' order by 1, 2`,
    )
    const byTable = Map.groupBy(rows, ({ table }) => table)
    return new Map([...byTable].map(([table, of]) => [table, of.map(({ column }) => column)]))
  }

  it('stand beside every table of the database', async () => {
    const tables = [...TABLES.map(({ tableName }) => tableName), ...OF_LIBRARIES]
    expect(tables.toSorted()).to.deep.equal([...(await columnsOfSchema()).keys()].toSorted())
  })

  it('name the columns as the database does', async () => {
    const schema = await columnsOfSchema()
    for (const { tableName, meta } of TABLES) {
      expect(Object.keys(meta.properties).map(columnOf).toSorted(), tableName).to.deep.equal(
        [...(schema.get(tableName) ?? [])].toSorted(),
      )
    }
  })

  it('say of every table with a tenant that its rows are of that tenant', async () => {
    const schema = await columnsOfSchema()
    for (const { tableName, facts } of TABLES) {
      expect(facts.tenant === 'row', tableName).to.equal(schema.get(tableName)?.includes('tenant_id'))
    }
  })

  it('remove the rows of a tenant before those that they refer to', () => {
    const place = new Map(REMOVALS.map(({ table }, i) => [table, i]))
    for (const table of TABLES) {
      for (const target of referencesOf(table)) {
        const [own, other] = [place.get(table.tableName), place.get(target)]
        if (own !== undefined && other !== undefined) expect(own, `${table.tableName}, ${target}`).to.be.lessThan(other)
      }
    }
  })

  it('call the lists of an export by names of their own', () => {
    const names = EXPORT_SECTIONS.map(({ name }) => name)
    expect(new Set(names).size).to.equal(names.length)
  })

  it('name every column of sealed secrets', async () => {
    const schema = await columnsOfSchema()
    const sealed = [...schema].flatMap(([table, columns]) =>
      columns.filter((column) => column.startsWith('sealed')).map((column) => `${table}.${column}`),
    )
    expect(SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`).toSorted()).to.deep.equal(sealed.toSorted())
  })

  it('name every column that refers to a blob', async () => {
    const rows = await sendSql<{ name: string }>(
      test.db,
      `select c.conrelid::regclass || '.' || a.attname as name from pg_constraint c
       join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
       where c.contype = 'f' and c.confrelid = 'blobs'::regclass and c.conparentid = 0`,
    )
    const named = TABLES.flatMap(({ tableName, facts }) =>
      ('blobs' in facts ? (facts.blobs ?? []) : []).map((property) => `${tableName}.${columnOf(property)}`),
    )
    expect(named.toSorted()).to.deep.equal(rows.map(({ name }) => name).toSorted())
  })
})
