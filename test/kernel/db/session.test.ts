import { expect } from 'chai'
import { openDatabase, type Database } from '../../../db/kernel/database.ts'
import { failureCode } from '../../../db/kernel/faults/failures.ts'
import { tenantOf } from '../../../db/kernel/operation.ts'
import { compiled, prepared } from '../../../db/kernel/queries/compiled.ts'
import { raw, rowInsert } from '../../../db/kernel/queries/typed.ts'
import type { Transaction } from '../../../db/kernel/transaction.ts'
import { givenTenant } from '../../support/db/given.ts'
import { useDatabase } from '../../support/stack/postgres.ts'

const DIVISION_BY_ZERO = '22012'

const insertSnooze = rowInsert('snoozes', ['tenant_id', 'dismiss_key', 'until', 'created_at'])

describe('transactions whose statements go together', () => {
  const test = useDatabase()
  let db: Database
  before(async () => {
    db = await openDatabase({ url: test.url, poolSize: 1, masterKey: test.masterKey })
  })
  after(async () => await db.close())

  const given = async () => {
    const { tenant } = await givenTenant(test.db)
    const own = tenantOf(db, tenant.id)
    const snooze = (key: string) => {
      const now = new Date()
      return insertSnooze({ tenant_id: tenant.id, dismiss_key: key, until: now, created_at: now })
    }
    const keys = async () => {
      const rows = await own.read((q) => q.selectFrom('snoozes').select('dismiss_key as key').orderBy('dismiss_key'))
      return rows.map(({ key }) => key)
    }
    return { id: tenant.id, own, snooze, keys }
  }
  const codeOf = async (work: Promise<unknown>) => await work.then(() => 'none', failureCode)

  it('run no statement when their beginning is refused', async () => {
    const { snooze, keys } = await given()
    const refused = tenantOf(db, 'ten_\0')
    const works: Readonly<Record<string, (tx: Transaction) => Promise<unknown>>> = {
      one: async (tx) => await tx.send(snooze('one')),
      'several at once': async (tx) =>
        await Promise.allSettled(['a', 'b', 'c'].map(async (key) => await tx.send(snooze(key)))),
      'one after a failure that was caught': async (tx) => {
        await tx.send(snooze('caught')).catch(() => undefined)
        await tx.send(snooze('later'))
      },
      'one for the commit, after a failure that was caught': async (tx) => {
        await tx.send(snooze('caught')).catch(() => undefined)
        tx.post(snooze('posted'))
      },
      posted: async (tx) => tx.post(snooze('posted')),
    }
    for (const [name, work] of Object.entries(works)) {
      const code = await codeOf(refused.write(work))
      if (name !== 'several at once') expect(code, name).to.equal('validation_failed')
      expect(await keys(), name).to.deep.equal([])
    }
    expect(await codeOf(refused.read((q) => [q.selectFrom('snoozes').select('until'), raw('select 1')]))).to.equal(
      'validation_failed',
    )
  })

  it('throw the failure of a posted statement at the next one or at the commit, and keep nothing', async () => {
    const { own, snooze, keys } = await given()
    const atNext = own.write(async (tx) => {
      await tx.send(snooze('before'))
      tx.post(raw('select 1 / 0'))
      await tx.send(snooze('next'))
    })
    expect(await codeOf(atNext)).to.equal(DIVISION_BY_ZERO)
    const atCommit = own.write(async (tx) => {
      await tx.send(snooze('before'))
      tx.post(raw('select 1 / 0'))
    })
    expect(await codeOf(atCommit)).to.equal(DIVISION_BY_ZERO)
    expect(await keys()).to.deep.equal([])
    await own.write(async (tx) => tx.post(snooze('kept')))
    expect(await keys()).to.deep.equal(['kept'])
  })

  it('take no statement after their end', async () => {
    const { own, snooze, keys } = await given()
    let ended: Transaction | undefined
    await own.write(async (tx) => {
      ended = tx
      await tx.send(snooze('in time'))
    })
    expect(await ended?.send(snooze('late')).then(String, String)).to.contain('the transaction has ended')
    expect(() => ended?.post(snooze('late'))).to.throw('the transaction has ended')
    expect(await keys()).to.deep.equal(['in time'])
  })

  it('keep plans of statements, also when the server skipped their first use', async () => {
    const { id, own } = await given()
    const touch = prepared((q, { key, until }: { readonly key: string; readonly until: Date }) =>
      q.updateTable('snoozes').set({ until }).where('dismiss_key', '=', key).returning('dismiss_key as key'),
    )
    const write = async (values: Parameters<typeof touch>[0]) =>
      await own.write(async (tx) => await tx.send(touch(values)))
    const until = new Date()
    await own.write(async (tx) => tx.post(insertSnooze({ tenant_id: id, dismiss_key: 'k', until, created_at: until })))
    const skipped = own.write(async (tx) => {
      tx.post(raw('select 1 / 0'))
      await tx.send(touch({ key: 'k', until }))
    })
    expect(await codeOf(skipped)).to.equal(DIVISION_BY_ZERO)
    expect(await codeOf(write({ key: 'ten_\0', until }))).to.equal('validation_failed')
    for (let use = 0; use < 7; use++) expect(await write({ key: 'k', until })).to.deep.equal([{ key: 'k' }])
  })

  it('keep plans within the tenant of each use', async () => {
    const [one, two] = [await given(), await given()]
    const all = prepared((q) => q.selectFrom('snoozes').select('tenant_id as id'))
    for (let use = 0; use < 7; use++) {
      for (const each of [one, two]) {
        const rows = await each.own.write(async (tx) => {
          await tx.send(each.snooze(`${use}`))
          return await tx.send(all({}))
        })
        expect(rows).to.deep.equal(Array.from({ length: use + 1 }, () => ({ id: each.id })))
      }
    }
  })

  it('close a connection whose message a value broke off', async () => {
    const { own, snooze, keys } = await given()
    const circular: Record<string, unknown> = {}
    circular['itself'] = circular
    const broken = own.write(async (tx) => await tx.query('select $1::json', [circular]))
    expect(await broken.then(String, String)).to.contain('circular')
    await own.write(async (tx) => tx.post(snooze('after')))
    expect(await keys()).to.deep.equal(['after'])
  })

  it('bind the values of a compiled query by name, and its constants as they are', () => {
    const build = compiled((q, { key, at }: { readonly key: string; readonly at: Date }) =>
      q
        .selectFrom('snoozes')
        .select('until')
        .where('until', '>', at)
        .where('dismiss_key', 'in', [key, 'always'])
        .limit(3),
    )
    const at = new Date()
    expect(build({ key: 'k', at }).compile(undefined as never).parameters).to.deep.equal([at, 'k', 'always', 3])
  })
})
