import { expect } from 'chai'
import { sweepAll } from '../../support/workflows/chores.ts'
import { findAcceptance } from '../../../db/compile/progress/acceptances/find-acceptance.ts'
import { findExport } from '../../../db/compile/exports/find-export.ts'
import { findJob } from '../../../db/compile/jobs/find-job.ts'
import { deleteTenant } from '../../../db/overview/deletion/delete-tenant.ts'
import { givenExport, givenPendingAcceptance, givenTenant, limits } from '../../support/db/given.ts'
import { givenProgramArtifact } from '../../support/archives/signed-artifacts.ts'
import { expectAudited } from '../../support/db/audit.ts'
import { recordHistory } from '../../support/workflows/histories.ts'
import { nameExamples, submitJob, useService } from '../../support/workflows/service.ts'
import { sendSql } from '../../support/db/send-sql.ts'

const DAY_MS = 86_400_000

describe('deletion workflow', () => {
  let aheadMs = 0
  const now = () => new Date(Date.now() + aheadMs)
  const service = useService({ change: (deps) => ({ ...deps, now }) })

  it("removes a tenant's data when housekeeping finds that its grace period is over, and not before", async () => {
    const { db } = service.database
    const { op, tenant } = await givenTenant(db)
    await submitJob(op, { examples: nameExamples() })
    await deleteTenant(op, { confirm: `DELETE ${tenant.name}`, limits: limits() })
    const workflowId = `${op.tenantId}/deletion`
    const clearUp = async (): Promise<unknown> => {
      await service.deps.workflows.start(workflowId)
      return await service.temporal.client.workflow.getHandle(workflowId).result()
    }
    const sweep = async () => await sweepAll({ ...service.deps, now })
    const jobs = async () => await sendSql(db, 'select status from compile_jobs where tenant_id = $1', [op.tenantId])

    expect(await clearUp()).to.include({ runsCancelled: 1, isPurged: false })
    expect(await sweep()).to.include({ deletedTenants: 0 })
    expect(await jobs()).to.deep.equal([{ status: 'cancelled' }])
    aheadMs = 31 * DAY_MS
    expect(await sweep()).to.include({ deletedTenants: 1 })
    expect(await clearUp()).to.include({ runsCancelled: 0, isPurged: true })
    expect(await jobs()).to.deep.equal([])
    expect(await sweep()).to.include({ deletedTenants: 0 })
    await expectAudited(op, 'tenant.purged', op.tenantId)
    await recordHistory(service.temporal, 'deletion-purged', workflowId)
    aheadMs = 0
  })

  it("ends the tenant's running work, acceptances and exports too", async () => {
    const { db } = service.database
    const { op, tenant } = await givenTenant(db)
    const { job } = await submitJob(op, { examples: nameExamples() })
    const artifactId = await givenProgramArtifact(op)
    const { id } = await givenExport(op, artifactId)
    const accepted = await givenPendingAcceptance(op)
    await deleteTenant(op, { confirm: `DELETE ${tenant.name}`, limits: limits() })
    const workflowId = `${op.tenantId}/deletion`
    await service.deps.workflows.start(workflowId)
    const outcome: unknown = await service.temporal.client.workflow.getHandle(workflowId).result()
    expect(outcome).to.include({ runsCancelled: 3 })
    expect((await findJob(op, job.id)).status).to.equal('cancelled')
    expect(await findAcceptance(op, accepted.job.id)).to.include({ state: 'failed', errorCode: 'compile_cancelled' })
    expect(await findExport(op, id)).to.include({ state: 'failed', errorCode: 'export_failed' })
  })
})
