import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { enqueueMail } from '../../../db/accounts/mails/enqueue-mail.ts'
import { bootstrapWorkspace } from '../../../db/accounts/across/sign-up/bootstrap.ts'
import { findExport } from '../../../db/compile/exports/find-export.ts'
import { findJob } from '../../../db/compile/jobs/find-job.ts'
import { migrate } from '../../../db/migrations/migrate.ts'
import { expireWorkspaces } from '../../../db/overview/across/deletion/expire-workspaces.ts'
import { wakeBilling } from '../../../db/billing/standing/project.ts'
import { newId } from '../../../core/kernel/ids.ts'
import { DEFAULT_LIMITS } from '../../../core/limits.ts'
import { Reconcile } from '../../../core/overview/workflows.ts'
import { findRun } from '../../../temporal/runs.ts'
import { givenProgramArtifact } from '../../support/archives/signed-artifacts.ts'
import { givenExport, givenTenant } from '../../support/db/given.ts'
import { mailsTo } from '../../support/mail/mails.ts'
import { nameExamples, submitJob, useService } from '../../support/workflows/service.ts'
import { writeAll, sendSql } from '../../support/db/send-sql.ts'
import { tenantOf } from '../../../db/kernel/operation.ts'

/** Makes of the one outbox the three places that held requests in the version before, with what waits in them. */
const BACK = [
  `alter table outbox rename to newer_outbox`,
  `alter table newer_outbox rename constraint outbox_pkey to newer_outbox_pkey`,
  `create table outbox (
     job_id text not null, tenant_id text not null, created_at timestamptz(3) not null, attempts int not null,
     due_at timestamptz(3) not null, primary key (job_id)
   )`,
  `create index outbox_due_at_index on outbox (due_at)`,
  `alter table outbox add constraint outbox_job_id_foreign foreign key (job_id) references compile_jobs (id) on update cascade on delete cascade`,
  `insert into outbox select workflow_id, tenant_id, created_at, attempts, due_at from newer_outbox where family = 'compile'`,
  `alter table exports add start_due_at timestamptz(3) null`,
  `create index exports_to_start on exports (start_due_at) where start_due_at is not null`,
  `update exports e set start_due_at = o.due_at from newer_outbox o where o.workflow_id = e.id`,
  `create table workflow_starts (
     workflow_id text not null, family text not null, tenant_id text null, version int not null, attempts int not null,
     created_at timestamptz(3) not null, due_at timestamptz(3) not null, primary key (workflow_id)
   )`,
  `create index workflow_starts_due_at_index on workflow_starts (due_at)`,
  `create index workflow_starts_tenant_id_index on workflow_starts (tenant_id)`,
  `insert into workflow_starts select workflow_id, family, tenant_id, version, attempts, created_at, due_at from newer_outbox
   where family not in ('compile', 'export')`,
  `drop table newer_outbox`,
  `delete from migrations where name = '013-one-outbox'`,
]

describe('a database of the version before', function () {
  this.timeout(120_000)
  const service = useService({ change: (deps) => ({ ...deps, now: () => new Date(Date.now() + 10_000) }) })

  it('is migrated with the compiles, exports and wakes that wait in it, and all of them are finished', async () => {
    const { db } = service.database
    const { op } = await givenTenant(db)
    const { job } = await submitJob(op, { examples: nameExamples() })
    const waiting = await givenTenant(db)
    const jobs = [
      await submitJob(waiting.op, { examples: nameExamples() }),
      await submitJob(waiting.op, { examples: nameExamples() }),
      await submitJob(waiting.op, { examples: nameExamples() }),
    ]
    expect(jobs.map(({ isAdmitted }) => isAdmitted)).to.deep.equal([true, true, false])
    const { id: exportId } = await givenExport(op, await givenProgramArtifact(op))
    const to = `${newId('mail')}@example.test`
    const now = new Date()
    await writeAll(db, async (tx) => {
      const expiresAt = new Date(now.getTime() + 3_600_000).toISOString()
      const params = { workspace: 'w', link: 'https://x.test', expires_at: expiresAt }
      await enqueueMail(tx, db, { template: 'sign_in', to, tenantId: null, params, now })
    })
    await tenantOf(db, op.tenantId).write(async (tx) => await wakeBilling(tx, op))
    const longAgo = new Date(now.getTime() - (DEFAULT_LIMITS.anonymous_days + 1) * 86_400_000)
    const { tenantId: goneId } = await bootstrapWorkspace(db, {
      requestId: newId('req'),
      now: longAgo,
      limits: DEFAULT_LIMITS,
    })
    await expireWorkspaces(db, now)

    for (const statement of BACK) await sendSql(db, statement)
    // A start of a job that has ended meanwhile is not carried over.
    const old = async () => (await sendSql<{ id: string }>(db, 'select job_id as id from outbox')).map(({ id }) => id)
    expect(await old()).to.have.members([job.id, jobs[0]?.job.id, jobs[1]?.job.id])
    expect(await migrate(db)).to.deep.equal(['013-one-outbox'])
    const carried = await sendSql<{ family: string }>(db, 'select family from outbox order by family')
    const families = ['billing', 'compile', 'compile', 'compile', 'deletion', 'export', 'mail']
    expect(carried.map(({ family }) => family)).to.deep.equal(families)

    const isDone = async (): Promise<boolean> => {
      const statuses = await Promise.all([
        findJob(op, job.id),
        ...jobs.map(async (each) => await findJob(waiting.op, each.job.id)),
      ])
      const [gone] = await sendSql<{ isPurged: boolean }>(
        db,
        'select purged_at is not null as "isPurged" from tenants where id = $1',
        [goneId],
      )
      return (
        statuses.every(({ status }) => status === 'ready') &&
        (await findExport(op, exportId)).state === 'succeeded' &&
        (await mailsTo(db, to))[0]?.errorCode === 'mail_not_configured' &&
        (await findRun(service.temporal, `${op.tenantId}/billing`)) === 'completed' &&
        gone?.isPurged === true
      )
    }
    while (!(await isDone())) {
      const { name, queue } = Reconcile
      await service.temporal.client.workflow.execute(name, { workflowId: 'one-tick', taskQueue: queue, args: [] })
      await sleep(200)
    }
    expect(await sendSql(db, 'select 1 from outbox')).to.deep.equal([])
  })
})
