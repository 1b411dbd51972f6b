import { expect } from 'chai'
import { openDatabase, type Database } from '../../../db/kernel/database.ts'
import { failureCode } from '../../../db/kernel/faults/failures.ts'
import { encloseTransactions } from '../../../db/kernel/idempotency/enclosing-transaction.ts'
import { tenantOf } from '../../../db/kernel/operation.ts'
import { prepared } from '../../../db/kernel/queries/compiled.ts'
import { service } from '../../../db/kernel/queries/service.ts'
import { raw, rowInsert } from '../../../db/kernel/queries/typed.ts'
import { inAllNamespaces, type Transaction } from '../../../db/kernel/transaction.ts'
import { givenTenant } from '../../support/db/given.ts'
import { sendSql } from '../../support/db/send-sql.ts'
import { useDatabase } from '../../support/stack/postgres.ts'

const DIVISION_BY_ZERO = '22012'

const insertSnooze = rowInsert('snoozes', ['tenant_id', 'dismiss_key', 'until', 'created_at'])

describe('transactions with a statement that fails', () => {
  const test = useDatabase()
  let db: Database
  before(async () => {
    db = await openDatabase({ url: test.url, poolSize: 1, masterKey: test.masterKey })
  })
  after(async () => await db.close())

  const given = async (namespaces: readonly string[] | null = null) => {
    const { tenant } = await givenTenant(test.db)
    const snooze = (key: string) => {
      const now = new Date()
      return insertSnooze({ tenant_id: tenant.id, dismiss_key: key, until: now, created_at: now })
    }
    const keys = async () =>
      await service.read(test.db, 'the rows of a test', (q) =>
        q.selectFrom('snoozes').select('dismiss_key').where('tenant_id', '=', tenant.id),
      )
    return { id: tenant.id, own: tenantOf(db, tenant.id, namespaces), snooze, keys }
  }
  const codeOf = async (work: Promise<unknown>) => await work.then(() => 'none', failureCode)
  const roleIn = async (tx: Transaction) => await tx.query('select current_user as role')

  it('send no statement that waited, once the work has failed', async () => {
    const { own, snooze, keys } = await given()
    const waiting: Promise<unknown>[] = []
    const failing = own.write(async (tx) => {
      waiting.push(...['a', 'b', 'c'].map(async (key) => await tx.send(snooze(key))))
      for (const one of waiting) one.catch(() => undefined)
      await Promise.reject(new Error('not of the database'))
    })
    expect(await failing.then(String, String)).to.contain('not of the database')
    const ends = await Promise.allSettled(waiting)
    expect(ends.slice(1).map(({ status }) => status)).to.deep.equal(['rejected', 'rejected'])
    expect(await keys()).to.deep.equal([])
  })

  it('do not commit when the work caught the failure', async () => {
    const { own, snooze, keys } = await given()
    let isAfter = false
    const caught = own.write(async (tx) => {
      tx.afterCommit(() => void (isAfter = true))
      await tx.send(snooze('before'))
      tx.post(snooze('posted'))
      await tx.query('select 1 / 0').catch(() => undefined)
    })
    expect(await caught.then(String, String)).to.contain('rolled back')
    expect([isAfter, await keys()]).to.deep.equal([false, []])
  })

  it('throw the failure of a statement that was posted for all namespaces', async () => {
    const { own, snooze, keys } = await given(['alpha'])
    const posted = own.write(async (tx) => {
      await tx.send(snooze('before'))
      await inAllNamespaces(tx, 'a test', async () => await Promise.resolve(tx.post(raw('select 1 / 0'))))
    })
    expect(await codeOf(posted)).to.equal(DIVISION_BY_ZERO)
    expect(await keys()).to.deep.equal([])
  })

  it('keep the role of a part around, when what it posted fails at the savepoint of a part inside', async () => {
    const { id, snooze, keys } = await given()
    const enclosure = encloseTransactions(db)
    const own = tenantOf(enclosure.db, id)
    const outer = own.write(async (tx) => {
      await tx.send(snooze('outer'))
      tx.post(raw('select 1 / 0'))
      await own.write(async (inner) => await inner.send(snooze('inner'))).catch(() => undefined)
      return await roleIn(tx)
    })
    // The part around is broken as well: no statement of it runs under another role.
    expect(await codeOf(outer)).to.equal('25P02')
    await enclosure.rollback()
    expect(await keys()).to.deep.equal([])
  })

  it('return to the role of the tenant after a query over all tenants that could not be built', async () => {
    const { own } = await given()
    const roles = await own.write(async (tx) => {
      const refused = service.within(tx, 'a test', () => {
        throw new Error('not built')
      })
      expect(await refused.then(String, String)).to.contain('not built')
      return await roleIn(tx)
    })
    expect(roles).to.deep.equal([{ role: 'svc_tenant' }])
  })

  it('close a connection whose kept plan a change of the schema broke', async () => {
    const { own, snooze } = await given()
    const untils = prepared((q) => q.selectFrom('snoozes').select('until'))
    const read = async () => await own.write(async (tx) => await tx.send(untils({})))
    await own.write(async (tx) => await tx.send(snooze('k')))
    expect(await read()).to.have.length(1)
    await sendSql(test.db, 'alter table snoozes alter column until type text')
    try {
      expect(await codeOf(read())).to.equal('0A000')
      expect(await read()).to.have.length(1)
    } finally {
      await sendSql(test.db, 'alter table snoozes alter column until type timestamptz using until::timestamptz')
    }
  })
})
