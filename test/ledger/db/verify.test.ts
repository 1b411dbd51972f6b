import { expect } from 'chai'
import fc from 'fast-check'
import { canonicalJson, type JsonObject } from '../../../core/kernel/json/json.ts'
import { recordDownload } from '../../../db/compile/artifacts/record-download.ts'
import { signGrownChains } from '../../../db/ledger/across/keep-ledgers.ts'
import { listAudit } from '../../../db/ledger/audit/list-audit.ts'
import { settleLedger } from '../../../db/ledger/audit/chain/settle.ts'
import { readLines } from '../../../db/ledger/audit/verify/read-lines.ts'
import { verifyAudit } from '../../../db/ledger/audit/verify-audit.ts'
import { commitWaiting } from '../../support/db/ledger-lines.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { givenTenant } from '../../support/db/given.ts'
import { givenChained, givenLines, reasonsOf, waitingEntry } from './given-lines.ts'
import { sendSql } from '../../support/db/send-sql.ts'

const HOUR_MS = 3_600_000
const signal = new AbortController().signal

describe('check of the audit chain', () => {
  const test = useDatabase()

  it('the log shows actions and verify detects tampering', async () => {
    const { op, keyId } = await givenTenant(test.db)
    await recordDownload(op, { artifactId: 'cmp_1' })
    const { items } = await listAudit(op, { limit: 10 })
    expect(items.map(({ action, target }) => [action, target])).to.deep.equal([
      ['artifact.downloaded', 'cmp_1'],
      ['tenant.created', op.tenantId],
    ])
    expect(items[0]).to.include({ actor: `key:${keyId}`, requestId: op.requestId })
    expect(await verifyAudit(op)).to.include({ ok: true, total: 2 })
    await sendSql(test.db, `update audit_entries set target = 'cmp_2' where tenant_id = $1 and seq = 2`, [op.tenantId])
    expect(await verifyAudit(op)).to.include({ ok: false, broken_at: 2 })
    expect(await reasonsOf(op)).to.deep.equal(['event_hash_mismatch'])
  })

  it('reads a line in the form of RFC 8785, with any text in it', async () => {
    const { op } = await givenTenant(test.db)
    const text = fc.string({ unit: 'binary', maxLength: 20 }).filter((sample) => !sample.includes('\0'))
    const value = fc.jsonValue({ maxDepth: 2 }).map((json) => JSON.parse(JSON.stringify(json)))
    const entries = fc.sample(
      fc.record({ actor: text, target: fc.option(text), requestId: text, payload: fc.dictionary(text, value) }),
      100,
    )
    for (const entry of entries) await commitWaiting(test.db, waitingEntry(op, entry))
    await settleLedger(test.db, op)
    const client = await test.db.pool.connect()
    try {
      for await (const lines of readLines(client, op.tenantId, 0)) {
        for (const line of lines) expect(line.text).to.equal(canonicalJson(JSON.parse(line.text) as JsonObject))
      }
    } finally {
      client.release()
    }
    expect(await verifyAudit(op)).to.include({ ok: true, total: 101 })
  })

  it('takes a payload that was stored in another order, but none with a member twice', async () => {
    const { op } = await givenTenant(test.db)
    await commitWaiting(test.db, waitingEntry(op, { payload: { a: 1, b: 2 } }))
    await settleLedger(test.db, op)
    const store = async (payload: string) =>
      await sendSql(test.db, 'update audit_entries set payload = $2 where tenant_id = $1 and seq = 2', [
        op.tenantId,
        payload,
      ])
    await store('{"b":2,"a":1}')
    expect(await verifyAudit(op)).to.include({ ok: true, total: 2 })
    await store('{"b":1,"b":2,"a":1}')
    expect(await verifyAudit(op)).to.include({ ok: false, broken_at: 2 })
  })

  it('signs the ends of chains that grew, once an hour', async () => {
    const { op } = await givenTenant(test.db)
    const at = (ms: number) => () => new Date(Date.now() + ms)
    const checkpoints = async () => (await verifyAudit(op)).checkpoints
    await signGrownChains(test.db, { now: at(0), signal })
    expect(await checkpoints()).to.equal(1)
    await recordDownload(op, { artifactId: 'cmp_1' })
    await signGrownChains(test.db, { now: at(HOUR_MS / 2), signal })
    expect(await checkpoints()).to.equal(1)
    await signGrownChains(test.db, { now: at(HOUR_MS + 1000), signal })
    await signGrownChains(test.db, { now: at(3 * HOUR_MS), signal })
    expect(await checkpoints()).to.equal(2)
  })

  it('signs a checkpoint of its own accord every thousand lines', async () => {
    const { op } = await givenTenant(test.db)
    await givenLines(op, 1005)
    expect(await verifyAudit(op)).to.include({ ok: true, total: 1006, checkpoints: 1 })
  })

  it('notices a chain that was cut and closed again, and a checkpoint that was changed', async () => {
    const { op } = await givenTenant(test.db)
    await givenLines(op, 3)
    await signGrownChains(test.db, { now: () => new Date(), signal })
    await sendSql(test.db, `update audit_checkpoints set at = at + interval '1 day' where tenant_id = $1`, [
      op.tenantId,
    ])
    expect(await reasonsOf(op)).to.deep.equal(['checkpoint_mismatch'])
    await sendSql(test.db, `update audit_checkpoints set at = at - interval '1 day' where tenant_id = $1`, [
      op.tenantId,
    ])
    expect(await reasonsOf(op)).to.deep.equal([])
    await sendSql(test.db, 'delete from audit_entries where tenant_id = $1 and seq > 2', [op.tenantId])
    await sendSql(
      test.db,
      `update audit_heads set seq = 2, hash = (select hash from audit_entries where tenant_id = $1 and seq = 2)
       where tenant_id = $1`,
      [op.tenantId],
    )
    expect(await reasonsOf(op)).to.deep.equal(['checkpoint_mismatch'])
  })

  it('checks a long ledger in a thread, as it checks a short one', async () => {
    const { op } = await givenTenant(test.db)
    await givenChained(op, 2500)
    expect(await verifyAudit(op)).to.include({ ok: true, total: 2501, broken_at: null })
    await sendSql(test.db, `update audit_entries set actor = 'key:other' where tenant_id = $1 and seq = 2222`, [
      op.tenantId,
    ])
    expect(await verifyAudit(op)).to.include({ ok: false, total: 2501, broken_at: 2222 })
    await sendSql(test.db, 'delete from audit_entries where tenant_id = $1 and seq = 1234', [op.tenantId])
    const results = await Promise.all(Array.from({ length: 10 }, async () => await verifyAudit(op)))
    // Callers that ask while the ledger is checked share the next check.
    expect(new Set(results).size).to.be.at.most(2)
    for (const found of results) expect(found).to.include({ ok: false, total: 2500, broken_at: 1235 })
  })
})
