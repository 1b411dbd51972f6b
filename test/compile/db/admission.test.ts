import { expect } from 'chai'
import { admitWaiting } from '../../../db/compile/across/admit-waiting.ts'
import { givenJob, givenTenant, limits } from '../../support/db/given.ts'
import { useDatabase } from '../../support/stack/postgres.ts'

describe('admission of waiting jobs', () => {
  const test = useDatabase()

  it('lets the jobs of other tenants in when those of one cannot be', async () => {
    const [broken, other] = [await givenTenant(test.db), await givenTenant(test.db)]
    for (const { op } of [broken, other]) {
      for (let i = 0; i < 2; i++) await givenJob(op, { limits: limits({ running_jobs_free: 1 }) })
    }
    const { id } = broken.tenant
    await test.db.query(`alter table outbox add constraint refuses check (tenant_id <> '${id}') not valid`)
    const raised = { limits: limits({ running_jobs_free: 2 }), batch: 100, now: new Date() }
    const waiting = async ({ tenant }: typeof other) => {
      const [row] = await test.db.query<{ waiting: number }>(
        'select count(*)::integer as waiting from compile_jobs where tenant_id = $1 and admitted_at is null',
        [tenant.id],
      )
      return row?.waiting
    }
    await admitWaiting(test.db, raised)
    expect([await waiting(broken), await waiting(other)]).to.deep.equal([1, 0])
    await test.db.query(`alter table outbox drop constraint refuses`)
    await admitWaiting(test.db, raised)
    expect(await waiting(broken)).to.equal(0)
  })
})
