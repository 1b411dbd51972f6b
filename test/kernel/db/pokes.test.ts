import { expect } from 'chai'
import type { PokedFamily } from '../../../db/kernel/outbox/request-poke.ts'
import { duePokes, findPoke, markPoked, requestPoke } from '../../../db/kernel/outbox/request-poke.ts'
import { inTransaction } from '../../../db/kernel/transaction.ts'
import { newId } from '../../../core/kernel/ids.ts'
import { useDatabase } from '../../support/stack/postgres.ts'

describe('outbox of workflows', () => {
  const test = useDatabase()
  const request = async (workflowId: string, now = new Date(), family: PokedFamily = 'billing') =>
    await inTransaction(test.db, null, async (tx) => {
      await requestPoke(tx, test.db, { family, workflowId, tenantId: null, now })
    })

  it('tells this process after the commit, and not at all without one', async () => {
    const heard: string[] = []
    const stop = test.db.onPoke((workflowId) => heard.push(workflowId))
    const id = newId('mail')
    await request(id)
    const lost = inTransaction(test.db, null, async (tx) => {
      await requestPoke(tx, test.db, { family: 'mail', workflowId: newId('mail'), tenantId: null, now: new Date() })
      throw new Error('rolled back')
    })
    expect(await Promise.allSettled([lost])).to.have.nested.property('[0].status', 'rejected')
    stop()
    await request(newId('mail'))
    expect(heard).to.deep.equal([id])
  })

  it('keeps a request that came while the one before it was carried out', async () => {
    const id = newId('dun')
    await request(id)
    const first = await findPoke(test.db, id)
    if (first === null) throw new Error('it was asked for')
    await request(id)
    await markPoked(test.db, first)
    const second = await findPoke(test.db, id)
    expect(second).to.include({ workflowId: id, version: 2 })
    if (second !== null) await markPoked(test.db, second)
    expect(await findPoke(test.db, id)).to.equal(null)
  })

  it('gives what nobody reached to one reconciler at a time', async () => {
    const asked = new Date(Date.now() - 3_600_000)
    const ids = Array.from({ length: 5 }, () => newId('rfd'))
    for (const id of ids) await request(id, asked)
    const due = async (now: Date) => (await duePokes(test.db, { batch: 3, now })).map(({ workflowId }) => workflowId)
    expect(await due(asked)).to.deep.equal([])
    const now = new Date()
    const taken = (await Promise.all([due(now), due(now), due(now)])).flat()
    expect(taken).to.have.members(ids)
    // Who took them may have died.
    expect(await duePokes(test.db, { batch: 10, now: new Date(now.getTime() + 60_000) })).to.have.length.of.at.least(5)
  })

  it('lets what follows a commit fail without undoing it', async () => {
    const id = newId('mail')
    await inTransaction(test.db, null, async (tx) => {
      tx.afterCommit(() => {
        throw new Error('too late')
      })
      await requestPoke(tx, test.db, { family: 'mail', workflowId: id, tenantId: null, now: new Date() })
    })
    expect(await findPoke(test.db, id)).to.include({ workflowId: id })
  })
})
