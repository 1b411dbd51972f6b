import { expect } from 'chai'
import { columnOf, tenantColumnOf, type AnyTable } from '../../../db/kernel/tables/define-table.ts'
import { privilegesOn } from '../../../db/kernel/tenant/tenant-grants.ts'
import { tenantOf } from '../../../db/kernel/operation.ts'
import { failureCode } from '../../../db/kernel/faults/failures.ts'
import { TABLES } from '../../../db/schema.ts'
import { givenJob, givenReady, givenTenant, type GivenTenant } from '../../support/db/given.ts'
import { seededNumbers } from '../../model/llama/tiny-model.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { writeAll, sendSql } from '../../support/db/send-sql.ts'

/** Statements of one run; `SVC_BOUNDARY_STATEMENTS` asks for more. */
const STATEMENTS = Number(process.env['SVC_BOUNDARY_STATEMENTS'] ?? 400)
const OWNED: readonly AnyTable[] = TABLES.filter((table) => tenantColumnOf(table) !== null)

describe('the boundary between tenants', () => {
  const test = useDatabase()

  it('is a policy on every table whose rows belong to a tenant, and a grant that the facts name', async () => {
    const rows = await sendSql<{ table: string; isBound: boolean; privileges: readonly string[] }>(
      test.db,
      `select relname as "table", relrowsecurity and exists (select 1 from pg_policy where polrelid = c.oid) as "isBound",
         array(select lower(privilege_type) from aclexplode(c.relacl) a
               where a.grantee = 'svc_tenant'::regrole order by 1) as privileges
       from pg_class c where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`,
    )
    const found = new Map(rows.map(({ table, ...rest }) => [table, rest]))
    for (const table of TABLES as readonly AnyTable[]) {
      const { isBound, privileges } = found.get(table.tableName) ?? {}
      expect(isBound, table.tableName).to.equal(tenantColumnOf(table) !== null)
      expect(privileges, table.tableName).to.deep.equal([...privilegesOn(table)].toSorted())
    }
  })

  it('lets no random statement of one tenant read, change or make a row of another', async () => {
    const own = await givenTenant(test.db)
    const other = await givenTenant(test.db)
    for (const { op } of [own, other]) await givenReady(op, (await givenJob(op)).job.id)
    const before = await rowsOf(other)
    const numbers = seededNumbers(7)
    const pick = () => (numbers() + 1) / 2
    for (let i = 0; i < STATEMENTS; i++) {
      const table = OWNED[Math.floor(pick() * OWNED.length)]
      if (table === undefined) throw new Error('no table')
      await attack(table, own, other, pick)
    }
    expect(await rowsOf(other)).to.deep.equal(before)
  })

  it('answers queries without a tenant with an error or with nothing', async () => {
    const outside = await writeAll(test.db, async (tx) => {
      await tx.query('set local role svc_tenant')
      return await tx.query('select id from tenants').catch((error: unknown) => failureCode(error))
    })
    expect(outside === '42704' || outside.length === 0).to.equal(true)
  })

  /** All rows of a tenant, as text, by table. */
  async function rowsOf({ tenant }: GivenTenant): Promise<ReadonlyMap<string, readonly string[]>> {
    const found = new Map<string, readonly string[]>()
    for (const table of OWNED) {
      const rows = await sendSql<{ row: string }>(
        test.db,
        `select t::text as row from ${table.tableName} t where ${tenantColumnOf(table)} = $1 order by 1`,
        [tenant.id],
      )
      found.set(
        table.tableName,
        rows.map(({ row }) => row),
      )
    }
    return found
  }

  /** Runs one statement as `own`, aimed at rows of `other`. */
  async function attack(table: AnyTable, own: GivenTenant, other: GivenTenant, pick: () => number): Promise<void> {
    const column = tenantColumnOf(table)
    const { tableName } = table
    const properties = Object.keys(table.meta.properties).map(columnOf)
    const any = properties[Math.floor(pick() * properties.length)] ?? column
    const target = pick() < 0.5 ? `${column} = $1::text` : '$1::text is not null'
    const kinds = [
      `select ${column} as tenant from ${tableName} where ${target}`,
      `select o.${column} as tenant from ${tableName} t right join ${tableName} o on true where $1::text is not null`,
      `update ${tableName} set ${any} = ${any} where ${target} returning ${column} as tenant`,
      `update ${tableName} set ${column} = $1 returning ${column} as tenant`,
      `delete from ${tableName} where ${target} returning ${column} as tenant`,
      `insert into ${tableName} select (jsonb_populate_record(t, jsonb_build_object('${column}', $1::text))).* from ${tableName} t
       returning ${column} as tenant`,
      `with gone as (delete from ${tableName} where ${target} returning *) select ${column} as tenant from gone`,
      `select ${column} as tenant from ${tableName} where ${target} for update`,
    ]
    const statement = kinds[Math.floor(pick() * kinds.length)] ?? ''
    // What is done to rows of its own is undone, so that there are some for the next statement.
    const undo = new Error('undo')
    await tenantOf(test.db, own.tenant.id)
      .write(async (tx) => {
        const rows = await sendSql<{ tenant: string }>(tx, statement, [other.tenant.id])
        const tenants = [...new Set(rows.map(({ tenant }) => tenant))]
        expect(tenants, statement).to.satisfy((seen: string[]) => seen.every((id) => id === own.tenant.id))
        if (pick() < 0.9) throw undo
      })
      .catch((error: unknown) => {
        if (error !== undo && failureCode(error) === '') throw error
        if (failureCode(error) !== '')
          expect(failureCode(error), `${statement}: ${String(error)}`).to.match(/^(42501|23...)$/)
      })
  }
})
