import { expect } from 'chai'
import { auditKeys } from '../../../db/ledger/audit/audit-key.ts'
import { pruneLedgers, signGrownChains } from '../../../db/ledger/across/keep-ledgers.ts'
import { listAudit } from '../../../db/ledger/audit/list-audit.ts'
import { settleLedger } from '../../../db/ledger/audit/chain/settle.ts'
import { checkLedger } from '../../../db/ledger/audit/verify/check-ledger.ts'
import { verifyAudit } from '../../../db/ledger/audit/verify-audit.ts'
import { commitWaiting } from '../../support/db/ledger-lines.ts'
import { grantPlan } from '../../../db/billing/subscriptions/grant-plan.ts'
import { OPERATOR_TENANT_ID } from '../../../db/kernel/operation.ts'
import { loadSigningKeys } from '../../../db/ledger/across/signing-keys.ts'
import { setUpOperation } from '../../support/people/given-members.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { givenTenant, limits } from '../../support/db/given.ts'
import { givenLines, reasonsOf, waitingEntry } from './given-lines.ts'
import { sendSql } from '../../support/db/send-sql.ts'

const DAY_MS = 86_400_000
const signal = new AbortController().signal

describe('retention of the audit log', () => {
  const test = useDatabase()

  it('removes lines whose time is over, up to a checkpoint, and still proves the rest', async () => {
    const { op } = await givenTenant(test.db)
    const later = (days: number) => () => new Date(Date.now() + days * DAY_MS)
    const prune = async (days: number): Promise<number> =>
      await pruneLedgers(test.db, { now: later(days), signal, limits: limits(), requestId: 'req_prune' })
    await givenLines(op, 4)
    await signGrownChains(test.db, { now: later(0), signal })
    await givenLines(op, 2)
    await prune(29)
    expect(await verifyAudit(op)).to.include({ ok: true, total: 7, prunedThrough: 0 })
    await prune(31)
    expect(await verifyAudit(op)).to.include({ ok: true, total: 3, checkpoints: 1, prunedThrough: 5 })
    const [told] = (await listAudit(op, { limit: 1 })).items
    expect(told).to.include({ action: 'audit.pruned', actor: 'system:ledger', requestId: 'req_prune' })
    expect(told?.payload).to.deep.equal({ through_seq: 5, entries: 5 })
    await prune(32)
    expect(await verifyAudit(op)).to.include({ ok: true, total: 3 })

    await sendSql(test.db, `delete from audit_entries where tenant_id = $1 and seq > 7`, [op.tenantId])
    await sendSql(
      test.db,
      `update audit_heads set seq = 7, hash = (select hash from audit_entries where tenant_id = $1 and seq = 7)
       where tenant_id = $1`,
      [op.tenantId],
    )
    expect(await reasonsOf(op)).to.deep.equal(['unexplained_prune'])
  })

  it('keeps lines for the days of the plan that they were written under, or of a larger one that came later', async () => {
    const { op } = await givenTenant(test.db)
    const plan = async (name: string): Promise<void> => {
      await sendSql(test.db, 'update tenants set plan = $2 where id = $1', [op.tenantId, name])
    }
    const at = (days: number) => () => new Date(Date.now() + days * DAY_MS)
    const prune = async (days: number): Promise<number> => {
      await pruneLedgers(test.db, { now: at(days), signal, limits: limits(), requestId: 'req_prune' })
      return (await verifyAudit(op)).prunedThrough
    }
    await plan('business')
    await givenLines(op, 4)
    await signGrownChains(test.db, { now: at(0), signal })
    await plan('free')
    // Written under the free plan, but before it was known under which: between a checkpoint of each.
    await givenLines(op, 3)
    await signGrownChains(test.db, { now: at(1), signal })
    await givenLines(op, 2)
    await signGrownChains(test.db, { now: at(2), signal })
    expect(await prune(364)).to.equal(0)
    expect(await prune(365.5)).to.equal(5)
    await plan('enterprise')
    expect(await prune(400)).to.equal(5)
    await plan('free')
    expect(await prune(400)).to.equal(10)
    expect(await verifyAudit(op)).to.include({ ok: true })
  })

  it('keeps lines written under a larger plan that was in force for less than an hour', async () => {
    const { op } = await givenTenant(test.db)
    const at = (days: number) => () => new Date(Date.now() + days * DAY_MS)
    const grant = async (plan: 'business' | null): Promise<void> => {
      await grantPlan(op, { tenantId: op.tenantId, plan, limits: limits() })
      await settleLedger(test.db, op)
    }
    await givenLines(op, 4)
    await signGrownChains(test.db, { now: at(0), signal })
    await grant('business')
    await givenLines(op, 3)
    await grant(null)
    await givenLines(op, 2)
    await signGrownChains(test.db, { now: at(1), signal })
    const prune = async (days: number): Promise<number> => {
      await pruneLedgers(test.db, { now: at(days), signal, limits: limits(), requestId: 'req_prune' })
      return (await verifyAudit(op)).prunedThrough
    }
    expect(await prune(364)).to.equal(5)
    expect(await prune(367)).to.be.greaterThan(9)
    expect(await verifyAudit(op)).to.include({ ok: true })
  })

  it("keeps the operator's lines as long as any plan does", async () => {
    const op = setUpOperation(test.db, OPERATOR_TENANT_ID)
    const later = (days: number) => () => new Date(Date.now() + days * DAY_MS)
    await givenLines(op, 2)
    await signGrownChains(test.db, { now: later(0), signal })
    for (const [days, prunedThrough] of [
      [2554, 0],
      [2556, 2],
    ] as const) {
      await pruneLedgers(test.db, { now: later(days), signal, limits: limits(), requestId: 'req_prune' })
      expect(await verifyAudit(op)).to.include({ ok: true, prunedThrough })
    }
  })

  it('takes no line for the proof of a pruning that the service did not write', async () => {
    const { op } = await givenTenant(test.db)
    await givenLines(op, 2)
    await signGrownChains(test.db, { now: () => new Date(), signal })
    await sendSql(test.db, 'delete from audit_entries where tenant_id = $1', [op.tenantId])
    const [point] = await sendSql<{ id: string }>(
      test.db,
      'update audit_checkpoints set pruned_through_at = now() where tenant_id = $1 returning id',
      [op.tenantId],
    )
    const told = waitingEntry(op, { action: 'audit.pruned', target: point?.id ?? '' })
    const ledger = {
      tenantId: op.tenantId,
      keys: (await auditKeys(test.db, op)).all,
      trusted: new Map((await loadSigningKeys(test.db)).all.map(({ kid, publicKey }) => [kid, publicKey])),
    }
    const client = await test.db.pool.connect()
    try {
      const reasons = async () => (await checkLedger(client, ledger)).breaks.map(({ reason }) => reason)
      expect(await reasons()).to.deep.equal(['unexplained_prune'])
      await commitWaiting(test.db, { ...told, target: 'chk_other' })
      await sendSql(test.db, 'update audit_pending set target = $2 where id = $1', [told.id, point?.id])
      expect(await reasons()).to.deep.equal(['unexplained_prune'])
      await sendSql(test.db, 'delete from audit_pending where id = $1', [told.id])
      await commitWaiting(test.db, told)
      expect(await reasons()).to.deep.equal([])
    } finally {
      client.release()
    }
  })
})
