import { expect } from 'chai'
import { encloseTransactions } from '../../../db/kernel/idempotency/enclosing-transaction.ts'
import { tenantOf } from '../../../db/kernel/operation.ts'
import { service } from '../../../db/kernel/queries/service.ts'
import { raw } from '../../../db/kernel/queries/typed.ts'
import type { Transaction } from '../../../db/kernel/transaction.ts'
import { givenTenant } from '../../support/db/given.ts'
import { useDatabase } from '../../support/stack/postgres.ts'

const refusal = new Error('refused')

describe('the transaction around a claimed call', () => {
  const test = useDatabase()

  const rename = (name: string) => async (tx: Transaction) => {
    await tx.q.updateTable('tenants').set({ name }).execute()
  }
  const refuse = async () => await Promise.reject(refusal)
  const given = async () => {
    const { tenant } = await givenTenant(test.db)
    const enclosure = encloseTransactions(test.db)
    const nameNow = async () => {
      const [row] = await tenantOf(test.db, tenant.id).read((q) => q.selectFrom('tenants').select('name'))
      return row?.name
    }
    return { id: tenant.id, name: tenant.name, enclosure, own: tenantOf(enclosure.db, tenant.id), nameNow }
  }

  it('undoes all of a part that fails after a part inside of it has failed', async () => {
    const { id, name, enclosure, own, nameNow } = await given()
    const outer = own.write(async (tx) => {
      await rename(`${id}-outer`)(tx)
      await own.write(refuse).catch(() => undefined)
      throw refusal
    })
    expect(await outer.catch((error: unknown) => error)).to.equal(refusal)
    const [setting] = await service.read(enclosure.db, 'a test', () =>
      raw<{ role: string }>(`select current_setting('role') as role`),
    )
    expect(setting?.role).to.equal('none')
    await enclosure.commit(async () => undefined)
    expect(await nameNow()).to.equal(name)
  })

  it('drops the after-commit callbacks of a part that was rolled back, its inner parts included', async () => {
    const { enclosure, own } = await given()
    const happened: string[] = []
    const note = (what: string) => async (tx: Transaction) => tx.afterCommit(() => void happened.push(what))
    await own
      .write(async () => {
        await own.write(note('inside of an undone part'))
        throw refusal
      })
      .catch(() => undefined)
    await own.write(async (tx) => {
      await note('in a part')(tx)
      await own.write(note('inside of a part'))
    })
    await enclosure.commit(async () => undefined)
    expect(happened).to.have.members(['in a part', 'inside of a part'])
  })

  it('keeps a part whose inner part has failed', async () => {
    const { id, enclosure, own, nameNow } = await given()
    await own.write(async (tx) => {
      await rename(`${id}-before`)(tx)
      await own.write(refuse).catch(() => undefined)
      await rename(`${id}-after`)(tx)
    })
    await enclosure.commit(async () => undefined)
    expect(await nameNow()).to.equal(`${id}-after`)
  })

  it('begins once for parts that are asked for at the same time, and keeps their tenants apart', async () => {
    const one = await given()
    const other = await given()
    const others = tenantOf(one.enclosure.db, other.id)
    await Promise.all([one.own.write(rename(`${one.id}-new`)), others.write(rename(`${other.id}-new`))])
    const ids = await Promise.all(
      [one.own, others, one.own, others].map(
        async (each) => await each.read((q) => q.selectFrom('tenants').select('id')),
      ),
    )
    expect(ids.map((rows) => rows.map(({ id }) => id))).to.deep.equal([[one.id], [other.id], [one.id], [other.id]])
    await one.enclosure.commit(async () => undefined)
    expect(await one.nameNow()).to.equal(`${one.id}-new`)
    expect(await other.nameNow()).to.equal(`${other.id}-new`)
  })

  it('waits for parts under way before it is undone', async () => {
    const { id, name, enclosure, own, nameNow } = await given()
    const parts = [own.write(refuse), own.write(rename(`${id}-late`))]
    expect(await Promise.all(parts).catch((error: unknown) => error)).to.equal(refusal)
    await enclosure.rollback()
    expect(await Promise.allSettled(parts)).to.have.nested.property('[1].status', 'fulfilled')
    expect(await nameNow()).to.equal(name)
  })
})
