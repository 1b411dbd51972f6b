import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { commitCaptures } from '../../../db/gateway/across/commit-captures.ts'
import { makeMonths } from '../../../db/gateway/across/capture-months.ts'
import { removeMonths } from '../../../db/gateway/across/remove-months.ts'
import { lockWorkspace } from '../../../db/accounts/tenants/anonymous/lock-workspace.ts'
import { mergeTenant } from '../../../db/overview/across/merge-tenant.ts'
import { verifyCaptures } from '../../../db/gateway/captures/verify-captures.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import type { SigningKey } from '../../../core/ledger/keys/signing-key.ts'
import { loadSigningKeys } from '../../../db/ledger/across/signing-keys.ts'
import { aCapture } from '../../support/db/given-captures.ts'
import { givenTenant } from '../../support/db/given.ts'
import { sendSql, writeAll } from '../../support/db/send-sql.ts'
import { holdRow, holdTable } from '../../support/stack/held-row.ts'
import { untilWaiting } from '../../support/stack/under-locks.ts'
import { useDatabase } from '../../support/stack/postgres.ts'

const BYTES = 7

describe('the removal of a month of captures', () => {
  const database = useDatabase()
  let signer: SigningKey
  /** A time in the month that a test removes, which is earlier with each test. */
  let old = new Date()
  before(async () => {
    signer = (await loadSigningKeys(database.db)).current
  })
  beforeEach(async () => {
    old = new Date(Date.UTC(old.getUTCFullYear(), old.getUTCMonth() - 6, 15))
    await makeMonths(database.db, new Date())
    await makeMonths(database.db, old)
  })

  const commit = async (ops: readonly Operation[], at: Date) => {
    const group = ops.map(({ tenantId }) => ({ capture: aCapture(tenantId, { at }), blobSha256: null, bytes: BYTES }))
    await commitCaptures(database.db, signer, group, at)
  }
  const remove = async () =>
    await removeMonths(database.db, { now: new Date(), keptDays: 30, signer, signal: new AbortController().signal })
  const inlineBytes = async ({ tenantId }: Operation) => {
    const rows = await sendSql<{ inline_bytes: number }>(
      database.db,
      'select inline_bytes from capture_heads where tenant_id = $1',
      [tenantId],
    )
    return rows[0]?.inline_bytes
  }
  const isDeadlocked = async () =>
    (
      await sendSql(
        database.db,
        `select 1 from pg_stat_activity a, pg_stat_activity b where a.datname = current_database()
         and b.datname = a.datname and a.pid = any (pg_blocking_pids(b.pid)) and b.pid = any (pg_blocking_pids(a.pid))`,
      )
    ).length > 0

  it('locks tenants before their chains, as commits do', async () => {
    const [{ op: one }, { op: other }] = [await givenTenant(database.db), await givenTenant(database.db)]
    await commit([one], old)
    await commit([other], old)
    const held = await holdRow(database.db, 'select 1 from capture_chains where tenant_id = $1', [other.tenantId])
    const removal = remove()
    await held.untilWaiting(1)
    const commits = commit([one, other], new Date())
    await held.untilWaiting(2)
    let isOver = false
    const ended = Promise.all([removal, commits, held.release()]).finally(() => (isOver = true))
    while (!isOver) {
      expect(await isDeadlocked(), 'the removal and a commit wait for each other').to.equal(false)
      await sleep(10)
    }
    await ended
    for (const op of [one, other]) {
      expect(await inlineBytes(op)).to.equal(BYTES)
      expect(await verifyCaptures(op, 'default')).to.include({ ok: true, chainLength: 1, cutThrough: 1 })
    }
  })

  it('lets captures be committed while it sums the bytes of the month', async () => {
    const { op } = await givenTenant(database.db)
    await commit([op], old)
    const month = old.toISOString().slice(0, 7).replace('-', '_')
    const held = await holdTable(database.db, `svc_months.capture_contents_${month}`)
    let isOver = false
    const removal = remove().finally(() => (isOver = true))
    try {
      await held.untilWaiting(1)
      await commit([op], new Date())
      expect(isOver).to.equal(false)
    } finally {
      await held.release()
    }
    await removal
    expect(await inlineBytes(op)).to.equal(BYTES)
  })

  it('takes the bytes of captures that are committed into the month behind the sum', async () => {
    const { op } = await givenTenant(database.db)
    await commit([op], old)
    const held = await holdRow(database.db, 'select 1 from capture_chains where tenant_id = $1', [op.tenantId])
    const late = commit([op], old)
    await held.untilWaiting(1)
    const removal = remove()
    await held.untilWaiting(2)
    await Promise.all([late, held.release()])
    await removal
    expect(await inlineBytes(op)).to.equal(0)
    expect(await verifyCaptures(op, 'default')).to.include({ ok: true, chainLength: 0, cutThrough: 2 })
  })

  it('takes the bytes of a workspace from the tenant that it is merged into behind the sum', async () => {
    const { op } = await givenTenant(database.db)
    const workspace = await givenTenant(database.db)
    await sendSql(database.db, `update tenants set kind = 'anonymous' where id = $1`, [workspace.tenant.id])
    await commit([op, workspace.op], old)
    await commit([workspace.op], new Date())
    let removal = Promise.resolve(0)
    await writeAll(database.db, async (tx) => {
      await lockWorkspace(tx, { tenantId: workspace.tenant.id, keyId: workspace.keyId })
      await mergeTenant(tx, op, { sourceTenantId: workspace.tenant.id })
      await tx.query('select 1')
      removal = remove()
      await untilWaiting(database.db, removal)
    })
    await removal
    expect(await inlineBytes(op)).to.equal(BYTES)
  })
})
