import { expect } from 'chai'
import { admitWaiting } from '../../../db/compile/across/admit-waiting.ts'
import { cancelJob } from '../../../db/compile/jobs/cancel-job.ts'
import { tenantOf } from '../../../db/kernel/operation.ts'
import { service } from '../../../db/kernel/queries/service.ts'
import { raw } from '../../../db/kernel/queries/typed.ts'
import { givenJob, givenTenant, limits } from '../../support/db/given.ts'
import { useDatabase } from '../../support/stack/postgres.ts'

describe('admission of waiting jobs', () => {
  const test = useDatabase()
  const alterOutbox = async (change: string) =>
    await service.send(test.db, 'a test', () => raw(`alter table outbox ${change}`))

  it('admits the jobs of other tenants when those of one cannot be admitted', async () => {
    const [broken, other] = [await givenTenant(test.db), await givenTenant(test.db)]
    for (const { op } of [broken, other]) {
      for (let i = 0; i < 2; i++) await givenJob(op, { limits: limits({ running_jobs_free: 1 }) })
    }
    const { id } = broken.tenant
    await alterOutbox(`add constraint refuses check (tenant_id <> '${id}') not valid`)
    const raised = { limits: limits({ running_jobs_free: 2 }), batch: 100, now: new Date() }
    const waiting = async ({ tenant }: typeof other) => {
      const [row] = await tenantOf(test.db, tenant.id).read((q) =>
        q.selectFrom('compile_jobs').select(q.fn.countAll<number>().as('waiting')).where('admitted_at', 'is', null),
      )
      return row?.waiting
    }
    await admitWaiting(test.db, raised)
    expect([await waiting(broken), await waiting(other)]).to.deep.equal([1, 0])
    await alterOutbox('drop constraint refuses')
    await admitWaiting(test.db, raised)
    expect(await waiting(broken)).to.equal(0)
  })

  it('leaves a job finished although the next one cannot be admitted, and admits that one later', async () => {
    const { op, tenant } = await givenTenant(test.db)
    const set = limits({ running_jobs_free: 1 })
    const { job } = await givenJob(op, { limits: set })
    const next = await givenJob(op, { limits: set })
    await alterOutbox(`add constraint refuses check (tenant_id <> '${tenant.id}') not valid`)
    const finished = await cancelJob(op, { jobId: job.id, limits: set })
    expect([finished.job.status, finished.admitted]).to.deep.equal(['cancelled', []])
    await alterOutbox('drop constraint refuses')
    const admitted = await admitWaiting(test.db, { limits: set, batch: 100, now: new Date() })
    expect(admitted).to.deep.equal([next.job.id])
  })
})
