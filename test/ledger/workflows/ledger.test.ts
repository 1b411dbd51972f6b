import { expect } from 'chai'
import { newId } from '../../../core/kernel/ids.ts'
import { keepLedgers } from '../../../activities/ledger/ledger/keep-ledgers.ts'
import { verifyAudit } from '../../../db/ledger/audit/verify-audit.ts'
import { commitWaiting } from '../../support/db/ledger-lines.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { Ledger } from '../../../core/ledger/workflows.ts'
import { givenTenant } from '../../support/db/given.ts'
import { recordHistory } from '../../support/workflows/histories.ts'
import { useService } from '../../support/workflows/service.ts'
import { sendSql } from '../../support/db/send-sql.ts'

const DAY_MS = 86_400_000

describe('ledger schedule', () => {
  const service = useService()

  /** A line whose process was killed between its commit and its place in the chain. */
  async function leaveLine(op: Operation): Promise<void> {
    await commitWaiting(op.db, {
      id: newId('aud'),
      tenantId: op.tenantId,
      at: new Date(Date.now() - 60_000),
      actor: 'system:test',
      action: 'artifact.downloaded',
      target: null,
      requestId: op.requestId,
      payload: {},
    })
  }

  it('chains unchained entries and signs the heads', async () => {
    const { op } = await givenTenant(service.database.db)
    await leaveLine(op)
    const workflowId = 'ledger-test'
    const report: unknown = await service.temporal.client.workflow.execute(Ledger.name, {
      workflowId,
      taskQueue: Ledger.queue,
      args: [],
    })
    expect(report).to.deep.include({ chained: 1, pruned: 0 })
    const [entry] = await sendSql(op.db, 'select seq from audit_entries where tenant_id = $1 and seq = 2', [
      op.tenantId,
    ])
    expect(entry).to.deep.equal({ seq: 2 })
    expect(await verifyAudit(op)).to.include({ ok: true, total: 2, checkpoints: 1 })
    await recordHistory(service.temporal, 'ledger-done', workflowId)
  })

  it('removes lines by the plan of their tenant', async () => {
    const { op: free } = await givenTenant(service.database.db)
    const { op: business } = await givenTenant(service.database.db)
    await sendSql(business.db, `update tenants set plan = 'business' where id = $1`, [business.tenantId])
    const keepAfter = async (days: number) =>
      await keepLedgers(
        { ...service.deps, now: () => new Date(Date.now() + days * DAY_MS) },
        new AbortController().signal,
      )
    await keepAfter(0)
    await keepAfter(31)
    expect(await verifyAudit(free)).to.include({ ok: true, prunedThrough: 1 })
    expect(await verifyAudit(business)).to.include({ ok: true, total: 1, prunedThrough: 0 })
  })

  it('does not go on when its activity is over', async () => {
    const isOver = new Error('over')
    const kept = keepLedgers(service.deps, AbortSignal.abort(isOver))
    expect(await kept.catch((error: unknown) => error)).to.equal(isOver)
  })
})
