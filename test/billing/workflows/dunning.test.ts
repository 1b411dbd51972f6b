import { expect } from 'chai'
import { findBillingAccount, openDunnings } from '../../../db/billing/account/find-account.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { expectAudited } from '../../support/db/audit.ts'
import { eventOf, invoiceObject } from '../../support/stripe/objects.ts'
import { recordHistory } from '../../support/workflows/histories.ts'
import { nowS, useBillingService } from './billing-service.ts'
import { fresh } from '../../support/stripe/paying.ts'
import { sendSql } from '../../support/db/send-sql.ts'

describe('workflows of dunning', () => {
  const { service, tell, givenPaying, start, resultOf } = useBillingService()
  const mailsTo = async (op: Operation): Promise<readonly string[]> => {
    const rows = await sendSql<{ template: string }>(
      op.db,
      `select template from mails where tenant_id = $1 and template <> 'plan_changed' order by created_at, id`,
      [op.tenantId],
    )
    return rows.map(({ template }) => template)
  }

  it('remind twice, suspend the plan, and bring it back when the payment comes', async () => {
    const { op, ...ids } = await givenPaying(nowS() + 9999)
    const failing = { ...ids, id: fresh('in'), created: nowS() }
    const failed = invoiceObject({ ...failing, change: { status: 'open', amount_paid: 0 } })
    await tell(eventOf(fresh('evt'), 'invoice.payment_failed', nowS(), failed))
    const [dunning] = await openDunnings(op)
    expect(dunning).to.include({ attempt: 0, state: 'scheduled', subscriptionId: ids.subscriptionId })
    expect(await findBillingAccount(op)).to.include({ plan: 'pro', billingStatus: 'past_due' })
    const workflowId = dunning?.id ?? ''
    await expectAudited(op, 'billing.dunning_opened', workflowId)
    await start(workflowId)
    expect(await resultOf(workflowId)).to.deep.equal({ state: 'suspended' })
    expect(await findBillingAccount(op)).to.include({ plan: 'free', billingStatus: 'suspended' })
    const mails = await mailsTo(op)
    expect(mails.at(-1)).to.equal('suspended')
    expect(mails.length).to.be.within(1, 3)
    await expectAudited(op, 'billing.dunning_suspended', workflowId)
    await recordHistory(service.temporal, 'dunning-suspended', workflowId)
    await tell(eventOf(fresh('evt'), 'invoice.paid', nowS(), invoiceObject(failing)))
    expect(await findBillingAccount(op)).to.include({ plan: 'pro', billingStatus: 'active' })
    expect(await openDunnings(op)).to.deep.equal([])
    expect((await mailsTo(op)).at(-1)).to.equal('recovered')
    await expectAudited(op, 'billing.dunning_recovered', workflowId)
  })

  it('end a dunning when the payment comes before its first step, without a mail', async () => {
    const { op, ...ids } = await givenPaying(nowS() + 9999)
    const failing = { ...ids, id: fresh('in'), created: nowS() }
    const later = nowS() + 3600
    const failed = invoiceObject({ ...failing, change: { status: 'open', amount_paid: 0 } })
    await tell(eventOf(fresh('evt'), 'invoice.payment_failed', later, failed))
    const workflowId = (await openDunnings(op))[0]?.id ?? ''
    await start(workflowId)
    await tell(eventOf(fresh('evt'), 'invoice.paid', later, invoiceObject(failing)))
    await start(workflowId)
    expect(await resultOf(workflowId)).to.deep.equal({ state: 'over' })
    expect(await mailsTo(op)).to.deep.equal([])
    await recordHistory(service.temporal, 'dunning-recovered', workflowId)
  })
})
