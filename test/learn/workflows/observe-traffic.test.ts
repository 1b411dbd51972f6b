import { expect } from 'chai'
import { ObserveTraffic } from '../../../core/learn/workflows.ts'
import { givenTenant } from '../../support/db/given.ts'
import { givenCaptured } from '../../support/db/given-captures.ts'
import { sendSql } from '../../support/db/send-sql.ts'
import { recordHistory } from '../../support/workflows/histories.ts'
import { useService } from '../../support/workflows/service.ts'

describe('the workflow that observes traffic', () => {
  const service = useService()

  it('counts the templates of new captures on its schedule', async () => {
    const { op } = await givenTenant(service.database.db)
    for (const place of [1, 2, 3]) await givenCaptured(op, { question: `Classify the ticket: ${place}` })
    // An embedding has no answer that a recipe could give.
    await givenCaptured(op, { question: 'Classify the ticket: 4', plain: 'embeddings' })
    const workflowId = 'traffic-test'
    const { client } = service.temporal
    const report: unknown = await client.workflow.execute(ObserveTraffic.name, {
      workflowId,
      taskQueue: ObserveTraffic.queue,
      args: [],
    })
    expect(report).to.include({ failed: 0, counted: 1 })
    const rows = await sendSql(
      op.db,
      'select namespace, calls::integer, fresh::integer, sketch is not null as sketched from traffic_templates where tenant_id = $1',
      [op.tenantId],
    )
    expect(rows).to.deep.equal([{ namespace: 'default', calls: 3, fresh: 0, sketched: true }])
    await recordHistory(service.temporal, 'traffic-observed', workflowId)
  })
})
