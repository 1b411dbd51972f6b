import { expect } from 'chai'
import { service } from '../../../db/kernel/queries/service.ts'
import { usage30d } from '../../../db/overview/account/usage-30d.ts'
import { CHARGED_TO_NOBODY } from '../../../db/billing/usage/charged-to.ts'
import { conceptStats } from '../../../db/compile/invocations/concept-stats.ts'
import { createInvocationRecorder } from '../../../db/compile/invocations/recorder.ts'
import { lockWorkspace } from '../../../db/accounts/tenants/anonymous/lock-workspace.ts'
import { mergeTenant } from '../../../db/overview/across/merge-tenant.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { givenJob, givenReady, givenTenant, type GivenTenant } from '../../support/db/given.ts'
import { sendSql } from '../../support/db/send-sql.ts'

describe('calls of a workspace that is merged', () => {
  const test = useDatabase()

  /** A workspace with a concept that was called three times, and the tenant that it is merged into. */
  const given = async () => {
    const workspace = await givenTenant(test.db)
    const target = await givenTenant(test.db)
    const { id: workspaceId } = workspace.tenant
    await sendSql(test.db, `update tenants set kind = 'anonymous' where id = $1`, [workspaceId])
    const { job } = await givenReady(workspace.op, (await givenJob(workspace.op)).job.id)
    const recorder = createInvocationRecorder(test)
    const call = () => {
      recorder.record({
        tenantId: workspaceId,
        conceptId: job.conceptId ?? '',
        versionId: job.versionId ?? '',
        latencyUs: 100,
        isCacheHit: false,
        isFailed: false,
        charge: { units: 1, to: CHARGED_TO_NOBODY },
      })
    }
    for (let n = 0; n < 3; n++) call()
    return { workspace, target, recorder, call, conceptId: job.conceptId ?? '' }
  }
  const merge = async (
    { workspace, target }: { readonly workspace: GivenTenant; readonly target: GivenTenant },
    beforeCommit: () => Promise<void> = async () => undefined,
  ): Promise<void> => {
    await service.write(test.db, 'a test', async (tx) => {
      await lockWorkspace(tx, { tenantId: workspace.tenant.id, keyId: workspace.keyId })
      await mergeTenant(tx, target.op, { sourceTenantId: workspace.tenant.id })
      await beforeCommit()
    })
  }
  const rowsOf = async (tenantId: string): Promise<number> => {
    const [row] = await sendSql<{ rows: number }>(
      test.db,
      `select ((select count(*) from invocation_stats where tenant_id = $1)
        + (select count(*) from usage_days where tenant_id = $1))::integer as rows`,
      [tenantId],
    )
    return row?.rows ?? 0
  }
  const expectCalls = async (
    { workspace, target, conceptId }: Awaited<ReturnType<typeof given>>,
    calls: number,
  ): Promise<void> => {
    expect((await conceptStats(target.op, conceptId)).invocations).to.equal(calls)
    expect((await usage30d(target.op)).calls30d).to.equal(calls)
    expect(await rowsOf(workspace.tenant.id)).to.equal(0)
  }

  it('count for the new owner when they are written after the merge', async () => {
    const merged = await given()
    await merge(merged)
    await merged.recorder.flush()
    await expectCalls(merged, 3)
    merged.call()
    await merged.recorder.close()
    await expectCalls(merged, 4)
  })

  it('count for the new owner when some were written before', async () => {
    const merged = await given()
    await merged.recorder.flush()
    merged.call()
    await merge(merged)
    await merged.recorder.close()
    await expectCalls(merged, 4)
  })

  it('count for the new owner when they are written while the merge commits', async () => {
    const merged = await given()
    let writing: Promise<void> | undefined
    await merge(merged, async () => {
      writing = merged.recorder.flush()
      await waitForLock(writing)
    })
    await writing
    await merged.recorder.close()
    await expectCalls(merged, 3)
  })

  /** Returns when a statement waits for a lock, or the recorder is done without having waited. */
  async function waitForLock(writing: Promise<void>): Promise<void> {
    let isWritten = false
    writing.then(
      () => (isWritten = true),
      () => (isWritten = true),
    )
    while (!isWritten) {
      const waiting = await sendSql(
        test.db,
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        [],
      )
      if (waiting.length > 0) return
    }
  }
})
