import { expect } from 'chai'
import { keepCaptures } from '../../../activities/gateway/captures/keep-captures.ts'
import { CapturePartitions } from '../../../core/gateway/workflows.ts'
import { listCaptures } from '../../../db/gateway/captures/list-captures.ts'
import { verifyCaptures } from '../../../db/gateway/captures/verify-captures.ts'
import { commitCaptures } from '../../../db/gateway/across/commit-captures.ts'
import { givenTenant } from '../../support/db/given.ts'
import { aCapture } from '../../support/db/given-captures.ts'
import { sendSql } from '../../support/db/send-sql.ts'
import { recordHistory } from '../../support/workflows/histories.ts'
import { useService } from '../../support/workflows/service.ts'

const DAY_MS = 86_400_000

describe('chores of captures', () => {
  const service = useService()

  it('make partitions ahead of time, with the rows that the default partition took in their place', async () => {
    const { op } = await givenTenant(service.database.db)
    const later = new Date(Date.UTC(new Date().getUTCFullYear() + 1, 5, 15))
    await commitCaptures(
      op.db,
      service.deps.signer,
      [{ capture: aCapture(op.tenantId, { at: later }), blobSha256: null, bytes: 0 }],
      later,
    )
    const placeOf = async () =>
      (
        await sendSql<{ place: string }>(
          op.db,
          'select tableoid::regclass::text as place from captures where tenant_id = $1',
          [op.tenantId],
        )
      ).map(({ place }) => place)
    expect(await placeOf()).to.deep.equal(['svc_months.captures_other'])
    await keepCaptures({ ...service.deps, now: () => later }, new AbortController().signal)
    expect(await placeOf()).to.deep.equal([`svc_months.captures_${later.getUTCFullYear()}_06`])
    expect(await verifyCaptures(op, 'default')).to.deep.include({ ok: true, chainLength: 1 })
  })

  it('sign chains and index texts on their schedule', async () => {
    const { op } = await givenTenant(service.database.db)
    const now = new Date()
    await commitCaptures(
      op.db,
      service.deps.signer,
      [{ capture: aCapture(op.tenantId, { at: now }), blobSha256: null, bytes: 0 }],
      now,
    )
    const workflowId = 'captures-test'
    const { client } = service.temporal
    const report: unknown = await client.workflow.execute(CapturePartitions.name, {
      workflowId,
      taskQueue: CapturePartitions.queue,
      args: [],
    })
    expect(report).to.include({ removed: 0 })
    expect(await verifyCaptures(op, 'default')).to.include({ ok: true, checkpoints: 1 })
    await recordHistory(service.temporal, 'captures-kept', workflowId)
  })

  it('remove months past their days, and the rest of the chain verifies from the checkpoint at the cut', async () => {
    const { op } = await givenTenant(service.database.db)
    const { signer } = service.deps
    const old = new Date(Date.now() - 70 * DAY_MS)
    await keepCaptures({ ...service.deps, now: () => old }, new AbortController().signal)
    for (const at of [old, old, new Date()]) {
      await commitCaptures(op.db, signer, [{ capture: aCapture(op.tenantId, { at }), blobSha256: null, bytes: 7 }], at)
    }
    const bytes = async () =>
      await sendSql(op.db, 'select inline_bytes from capture_heads where tenant_id = $1', [op.tenantId])
    expect(await bytes()).to.deep.equal([{ inline_bytes: 21 }])
    await keepCaptures(
      { ...service.deps, limits: { ...service.deps.limits, capture_days: 30 } },
      new AbortController().signal,
    )
    expect((await listCaptures(op, {}, { limit: 10 })).items.map(({ seq }) => seq)).to.deep.equal([3])
    expect(await bytes()).to.deep.equal([{ inline_bytes: 7 }])
    expect(await verifyCaptures(op, 'default')).to.include({ ok: true, chainLength: 1, cutThrough: 2 })
    await sendSql(op.db, 'delete from capture_checkpoints where tenant_id = $1', [op.tenantId])
    expect(await verifyCaptures(op, 'default')).to.include({ ok: false, brokenAt: 2, reason: 'checkpoint_mismatch' })
  })
})
