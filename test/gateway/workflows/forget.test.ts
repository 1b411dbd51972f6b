import { expect } from 'chai'
import { Forget } from '../../../core/gateway/workflows.ts'
import { commitCaptures } from '../../../db/gateway/across/commit-captures.ts'
import { beginForget } from '../../../db/gateway/captures/forget/begin-forget.ts'
import { listForgets } from '../../../db/gateway/captures/forget/list-forgotten.ts'
import { listCaptures } from '../../../db/gateway/captures/list-captures.ts'
import { verifyCaptures } from '../../../db/gateway/captures/verify-captures.ts'
import { givenTenant } from '../../support/db/given.ts'
import { aCapture } from '../../support/db/given-captures.ts'
import { eventually } from '../../support/wire/eventually.ts'
import { recordHistory } from '../../support/workflows/histories.ts'
import { useService } from '../../support/workflows/service.ts'

describe('a request to forget many captures', () => {
  const service = useService()

  it('is carried out by a workflow, batch by batch, and the chain still verifies', async () => {
    const { op } = await givenTenant(service.database.db)
    const captures = Array.from({ length: 1200 }, (_, i) => aCapture(op.tenantId, { question: `Question ${i}` }))
    const ready = captures.map((capture) => ({ capture, blobSha256: null, bytes: 0 }))
    for (let i = 0; i < ready.length; i += 400) {
      await commitCaptures(op.db, service.deps.signer, ready.slice(i, i + 400), new Date())
    }
    const ids = captures.slice(0, 1100).map(({ facts }) => facts.id)
    const request = { kind: 'ids', ids, sought: null, reason: 'user_request', namespace: null, most: 10 } as const
    const { id } = await beginForget(op, request)
    await service.deps.workflows.start(id)
    await eventually(async () => {
      const [forget] = await listForgets(op)
      expect(forget).to.deep.include({ id, state: 'done', forgotten: 1100 })
    })
    expect((await listCaptures(op, {}, { limit: 200 })).items).to.have.length(100)
    expect(await verifyCaptures(op, 'default')).to.deep.include({ ok: true, chainLength: 1200 })
    const handle = service.temporal.client.workflow.getHandle(
      Forget.plan({ forgetId: id, tenantId: op.tenantId }).workflowId,
    )
    expect(await handle.result()).to.equal(1100)
    await recordHistory(service.temporal, 'forget', id)
  })
})
