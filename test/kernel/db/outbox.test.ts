import { expect } from 'chai'
import { Mail } from '../../../core/accounts/workflows.ts'
import { Billing } from '../../../core/billing/workflows.ts'
import { newId } from '../../../core/kernel/ids.ts'
import { openOutbox } from '../../../db/kernel/outbox/outbox.ts'
import { requestStart } from '../../../db/kernel/outbox/request-start.ts'
import { givenTenant } from '../../support/db/given.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { tenantOf } from '../../../db/kernel/operation.ts'
import { writeAll } from '../../support/db/send-sql.ts'

describe('outbox of workflows', () => {
  const test = useDatabase()
  const outbox = () => openOutbox(test.db)
  const request = async (mailId = newId('mail')): Promise<string> => {
    await writeAll(test.db, async (tx) => await requestStart(tx, Mail, { mailId, tenantId: null }))
    return mailId
  }

  it('announces a request to this process after the commit, and not at all without one', async () => {
    const announced: string[] = []
    const stop = test.db.onStart((workflowId) => announced.push(workflowId))
    const id = await request()
    const lost = writeAll(test.db, async (tx) => {
      await requestStart(tx, Mail, { mailId: newId('mail'), tenantId: null })
      throw new Error('rolled back')
    })
    expect(await Promise.allSettled([lost])).to.have.nested.property('[0].status', 'rejected')
    stop()
    await request()
    expect(announced).to.deep.equal([id])
  })

  it('stores the input of the family under the id that the family computes', async () => {
    const { tenant } = await givenTenant(test.db)
    await tenantOf(test.db, tenant.id).write(async (tx) => await requestStart(tx, Billing, { tenantId: tenant.id }))
    const stored = await outbox().find(`${tenant.id}/billing`)
    expect(stored).to.deep.include({ family: 'billing', input: { tenantId: tenant.id }, version: 1 })
  })

  it('keeps a request that came while the one before it was carried out', async () => {
    const id = await request()
    const first = await outbox().find(id)
    if (first === null) throw new Error('there is a request')
    await request(id)
    await outbox().remove(first)
    const second = await outbox().find(id)
    expect(second).to.include({ workflowId: id, version: 2 })
    if (second !== null) await outbox().remove(second)
    expect(await outbox().find(id)).to.equal(null)
  })

  it('keeps a request that came after another process had carried out the one before it', async () => {
    const id = await request()
    const first = await outbox().find(id)
    if (first === null) throw new Error('there is a request')
    await outbox().remove(first)
    await request(id)
    await outbox().remove(first)
    expect(await outbox().find(id)).to.include({ workflowId: id, version: 1 })
  })

  it('gives due requests of a family to one reconciler at a time', async () => {
    const ids = [await request(), await request(), await request(), await request(), await request()]
    const due = async (now: Date, batch = 3) => await outbox().claimDue({ family: 'mail', batch, now })
    const past = new Date(Date.now() - 3_600_000)
    expect(await due(past)).to.deep.equal([])
    const now = new Date(Date.now() + 60_000)
    const claimed = (await Promise.all([due(now), due(now), due(now)])).flat().map(({ workflowId }) => workflowId)
    expect(new Set(claimed).size).to.equal(claimed.length)
    expect(claimed).to.include.members(ids)
    expect(await outbox().claimDue({ family: 'billing', batch: 10, now: past })).to.deep.equal([])
    // The process that claimed them may have died.
    const claimedAgain = await due(new Date(now.getTime() + 60_000), 100)
    expect(claimedAgain.map(({ workflowId }) => workflowId)).to.include.members(ids)
  })

  it('keeps a commit whose callbacks fail', async () => {
    const mailId = newId('mail')
    await writeAll(test.db, async (tx) => {
      tx.afterCommit(() => {
        throw new Error('too late')
      })
      await requestStart(tx, Mail, { mailId, tenantId: null })
    })
    expect(await outbox().find(mailId)).to.include({ workflowId: mailId })
  })
})
