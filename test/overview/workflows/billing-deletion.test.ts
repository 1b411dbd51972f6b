import { expect } from 'chai'
import { findJob } from '../../../db/compile/jobs/find-job.ts'
import { deleteTenant } from '../../../db/overview/deletion/delete-tenant.ts'
import { recordHistory } from '../../support/workflows/histories.ts'
import { nameExamples, submitJob } from '../../support/workflows/service.ts'
import { nowS, useBillingService } from '../../billing/workflows/billing-service.ts'
import { QUICK } from '../../support/stripe/paying.ts'

describe('workflows of deletion', () => {
  const { service, stripe, givenPaying, start, resultOf } = useBillingService()

  it('clear up after a deletion: jobs and subscription', async () => {
    const { op, name, subscriptionId } = await givenPaying(nowS() + 9999)
    const { job } = await submitJob(op, { examples: nameExamples() })
    await deleteTenant(op, { confirm: `DELETE ${name}`, limits: QUICK })
    const workflowId = `${op.tenantId}/deletion`
    await start(workflowId)
    expect(await resultOf(workflowId)).to.deep.equal({ runsCancelled: 1, subscriptions: 'ended', isPurged: false })
    expect((await findJob(op, job.id)).status).to.equal('cancelled')
    expect(stripe.state.subscriptions.get(subscriptionId)).to.include({ status: 'canceled' })
    await recordHistory(service.temporal, 'deletion-done', workflowId)
  })

  it('leave the subscription of a deleted tenant to be ended later while the processor is down', async () => {
    const { op, name, subscriptionId } = await givenPaying(nowS() + 9999)
    stripe.setDown(true)
    await deleteTenant(op, { confirm: `DELETE ${name}`, limits: QUICK })
    const workflowId = `${op.tenantId}/deletion`
    await start(workflowId)
    expect(await resultOf(workflowId)).to.deep.equal({ runsCancelled: 0, subscriptions: 'left', isPurged: false })
    stripe.setDown(false)
    await recordHistory(service.temporal, 'deletion-down', workflowId)
    await start(`${op.tenantId}/billing`)
    await resultOf(`${op.tenantId}/billing`)
    expect(stripe.state.subscriptions.get(subscriptionId)).to.include({ status: 'canceled' })
  })
})
