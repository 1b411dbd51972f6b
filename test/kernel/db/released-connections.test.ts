import { expect } from 'chai'
import { openDatabase, type Database } from '../../../db/kernel/database.ts'
import { failureCode } from '../../../db/kernel/faults/failures.ts'
import { tenantOf } from '../../../db/kernel/operation.ts'
import { service } from '../../../db/kernel/queries/service.ts'
import { raw } from '../../../db/kernel/queries/typed.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { givenTenant } from '../../support/db/given.ts'

/** Sends one statement under the role of the login, without a transaction; its first row. */
async function askAll<Row extends object>(db: Database, statement: string): Promise<Row | undefined> {
  const [row] = await service.read(db, 'a test', () => raw<Row>(statement))
  return row
}

describe('connections that are given back', () => {
  const test = useDatabase()

  it('stay open when their only statement was refused', async () => {
    const db = await openDatabase({ url: test.url, poolSize: 1, masterKey: test.masterKey })
    try {
      const pid = async () => (await askAll<{ pid: number }>(db, 'select pg_backend_pid() as pid'))?.pid
      const before = await pid()
      expect(await askAll(db, 'select 1 / 0').catch((error: unknown) => failureCode(error))).to.equal('22012')
      expect(await pid()).to.equal(before)
    } finally {
      await db.close()
    }
  })

  it('are of no tenant, however their use ended', async () => {
    const { tenant } = await givenTenant(test.db)
    const db = await openDatabase({ url: test.url, poolSize: 1, masterKey: test.masterKey })
    const own = tenantOf(db, tenant.id)
    const hostile = tenantOf(db, `x'; commit; set role none; select set_config('svc.tenant', 'x', false); --`)
    const uses: Readonly<Record<string, () => Promise<unknown>>> = {
      'a read': async () => await own.read((q) => q.selectFrom('tenants').select('id')),
      'a read that fails': async () => await own.read(() => raw('select 1 / 0')),
      'a read whose second query fails': async () => await own.read(() => [raw('select 1'), raw('select 1 / 0')]),
      'a read that is cancelled': async () => await own.read(() => raw('select pg_cancel_backend(pg_backend_pid())')),
      'a read of a hostile tenant': async () => await hostile.read((q) => q.selectFrom('tenants').select('id')),
      'a write': async () => await own.write(async (tx) => await tx.query('select 1')),
      'a write that throws': async () => await own.write(async () => await Promise.reject(new Error('thrown'))),
      'a write that fails': async () => await own.write(async (tx) => await tx.query('select 1 / 0')),
      'a write that swallows a failure': async () =>
        await own.write(async (tx) => await tx.query('select 1 / 0').catch(() => undefined)),
      'a write of a hostile tenant': async () => await hostile.write(async (tx) => await tx.query('select 1')),
      'a write that is cut': async () =>
        await own.write(async (tx) => await tx.query('select pg_terminate_backend(pg_backend_pid())')),
    }
    try {
      for (const [name, use] of Object.entries(uses)) {
        await use().catch(() => undefined)
        const row = await askAll<{ role: string; tenant: string | null }>(
          db,
          `select current_setting('role') as role, current_setting('svc.tenant', true) as tenant`,
        )
        expect([row?.role, row?.tenant ?? ''], name).to.deep.equal(['none', ''])
      }
    } finally {
      await db.close()
    }
  })
})
