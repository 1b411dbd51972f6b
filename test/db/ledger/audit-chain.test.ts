import { expect } from 'chai'
import fc from 'fast-check'
import { newId } from '../../../core/ids.ts'
import { canonicalJson, type JsonObject } from '../../../core/json.ts'
import { recordDownload } from '../../../db/artifacts/record-download.ts'
import { chainLeftovers, pruneLedgers, signGrownChains } from '../../../db/audit/keep-ledgers.ts'
import { listAudit, streamAudit } from '../../../db/audit/list-audit.ts'
import { readLines } from '../../../db/audit/read-lines.ts'
import { recordAudit } from '../../../db/audit/record-audit.ts'
import { settleLedger } from '../../../db/audit/settle.ts'
import { verifyAudit } from '../../../db/audit/verify-audit.ts'
import { insertWaiting, type WaitingEntry } from '../../../db/audit/wait-for-chain.ts'
import { openDatabase } from '../../../db/database.ts'
import { OPERATOR_TENANT_ID, type Operation } from '../../../db/operation.ts'
import { inTransaction } from '../../../db/transaction.ts'
import { setUpOperation } from '../../support/people/given-members.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { givenTenant, limits } from '../given.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const signal = new AbortController().signal

describe('audit chain', () => {
  const test = useDatabase()

  const waiting = (op: Operation, given: Partial<WaitingEntry> = {}): WaitingEntry => ({
    id: newId('aud'),
    tenantId: op.tenantId,
    at: op.now(),
    actor: 'system:test',
    action: 'artifact.downloaded',
    target: null,
    requestId: op.requestId,
    payload: {},
    ...given,
  })

  /** A ledger of `count` lines beside the one of the sign-up. */
  async function givenLines(op: Operation, count: number): Promise<void> {
    for (let i = 0; i < count; i++) await insertWaiting(test.db, test.db, waiting(op, { payload: { i } }))
    await settleLedger(test.db, op)
  }

  async function reasonsOf(op: Operation): Promise<readonly string[]> {
    return (await verifyAudit(op)).breaks.map(({ reason }) => reason)
  }

  it('the log shows what was done and verify notices tampering', async () => {
    const { op, keyId } = await givenTenant(test.db)
    await recordDownload(op, { artifactId: 'cmp_1' })
    const { items } = await listAudit(op, { limit: 10 })
    expect(items.map(({ action, target }) => [action, target])).to.deep.equal([
      ['artifact.downloaded', 'cmp_1'],
      ['tenant.created', op.tenantId],
    ])
    expect(items[0]).to.include({ actor: `key:${keyId}`, requestId: op.requestId })
    expect(await verifyAudit(op)).to.include({ ok: true, total: 2 })
    await test.db.query(`update audit_entries set target = 'cmp_2' where tenant_id = $1 and seq = 2`, [op.tenantId])
    expect(await verifyAudit(op)).to.include({ ok: false, broken_at: 2 })
    expect(await reasonsOf(op)).to.deep.equal(['event_hash_mismatch'])
  })

  it('keeps no line of what was rolled back', async () => {
    const { op } = await givenTenant(test.db)
    const failed = inTransaction(test.db, op.tenantId, async (tx) => {
      await recordAudit(tx, op, { action: 'artifact.downloaded', payload: {} })
      throw new Error('no')
    })
    expect(await failed.catch((error: Error) => error.message)).to.equal('no')
    expect(await verifyAudit(op)).to.include({ ok: true, total: 1 })
  })

  it('is one chain without gaps when several processes write at once', async () => {
    const { op } = await givenTenant(test.db)
    const other = await openDatabase({ url: test.url, poolSize: 6, masterKey: test.masterKey })
    try {
      const writers = [op, { ...op, db: other }]
      await Promise.all(
        Array.from({ length: 80 }, async (_, i) => {
          await recordDownload(writers[i % 2] ?? op, { artifactId: `cmp_${i}` })
        }),
      )
      expect(await verifyAudit(op)).to.include({ ok: true, total: 81 })
      const [left] = await test.db.query('select 1 from audit_pending where tenant_id = $1', [op.tenantId])
      expect(left).to.equal(undefined)
    } finally {
      await other.close()
    }
  })

  it('chains what a killed process left, at the next look and by the schedule', async () => {
    const { op } = await givenTenant(test.db)
    const { op: quiet } = await givenTenant(test.db)
    for (const each of [op, quiet]) await insertWaiting(test.db, test.db, waiting(each, { target: 'left' }))
    expect((await listAudit(op, { limit: 1 })).items[0]).to.include({ target: 'left', seq: 2 })
    const later = () => new Date(Date.now() + 60_000)
    expect(await chainLeftovers(test.db, { now: later, signal })).to.equal(1)
    const [entry] = await test.db.query('select seq from audit_entries where tenant_id = $1 and target = $2', [
      quiet.tenantId,
      'left',
    ])
    expect(entry).to.deep.equal({ seq: 2 })
    expect(await verifyAudit(quiet)).to.include({ ok: true, total: 2 })
  })

  for (const [what, change] of [
    ['actor', `actor = 'key:other'`],
    ['payload', `payload = '{"a": "\\ud800"}'`],
    ['MAC', `mac = 'hmac-sha256:00'`],
    ['tenant', 'tenant_id = $2'],
  ] as const) {
    it(`gives a waiting line its place although its ${what} was changed, and reports it`, async () => {
      const { op: first } = await givenTenant(test.db)
      const { op } = await givenTenant(test.db)
      const entry = waiting(what === 'tenant' ? first : op)
      await insertWaiting(test.db, test.db, entry)
      await test.db.query(`update audit_pending set ${change} where id = $1 and $2 <> ''`, [entry.id, op.tenantId])
      await insertWaiting(test.db, test.db, waiting(op))
      const verified = await verifyAudit(op)
      expect(verified).to.include({ ok: false, total: 3, broken_at: 2 })
      expect(verified.breaks).to.deep.equal([{ index: 1, seq: 2, id: entry.id, reason: 'event_hash_mismatch' }])
    })
  }

  it('reads a line as RFC 8785 wants it, whatever its texts hold', async () => {
    const { op } = await givenTenant(test.db)
    const text = fc.string({ unit: 'binary', maxLength: 20 }).filter((sample) => !sample.includes('\0'))
    const value = fc.jsonValue({ maxDepth: 2 }).map((json) => JSON.parse(JSON.stringify(json)))
    const entries = fc.sample(
      fc.record({ actor: text, target: fc.option(text), requestId: text, payload: fc.dictionary(text, value) }),
      100,
    )
    for (const entry of entries) await insertWaiting(test.db, test.db, waiting(op, entry))
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
    await insertWaiting(test.db, test.db, waiting(op, { payload: { a: 1, b: 2 } }))
    await settleLedger(test.db, op)
    const store = async (payload: string) =>
      await test.db.query('update audit_entries set payload = $2 where tenant_id = $1 and seq = 2', [
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
    await test.db.query(`update audit_checkpoints set at = at + interval '1 day' where tenant_id = $1`, [op.tenantId])
    expect(await reasonsOf(op)).to.deep.equal(['checkpoint_mismatch'])
    await test.db.query(`update audit_checkpoints set at = at - interval '1 day' where tenant_id = $1`, [op.tenantId])
    expect(await reasonsOf(op)).to.deep.equal([])
    await test.db.query('delete from audit_entries where tenant_id = $1 and seq > 2', [op.tenantId])
    await test.db.query(
      `update audit_heads set seq = 2, hash = (select hash from audit_entries where tenant_id = $1 and seq = 2)
       where tenant_id = $1`,
      [op.tenantId],
    )
    expect(await reasonsOf(op)).to.deep.equal(['checkpoint_mismatch'])
  })

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

    await test.db.query(`delete from audit_entries where tenant_id = $1 and seq > 7`, [op.tenantId])
    await test.db.query(
      `update audit_heads set seq = 7, hash = (select hash from audit_entries where tenant_id = $1 and seq = 7)
       where tenant_id = $1`,
      [op.tenantId],
    )
    expect(await reasonsOf(op)).to.deep.equal(['unexplained_prune'])
  })

  it('keeps the lines of those who run the service as long as any plan does', async () => {
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

  it('lists since a time and by action, and streams the whole', async () => {
    const { op } = await givenTenant(test.db)
    await insertWaiting(test.db, test.db, waiting(op, { at: new Date('2030-01-01'), target: 'late' }))
    await givenLines(op, 600)
    const since = new Date('2029-01-01')
    expect((await listAudit(op, { limit: 10, since })).items.map(({ target }) => target)).to.deep.equal(['late'])
    const { items } = await listAudit(op, { limit: 10, action: 'tenant.created' })
    expect(items.map(({ seq }) => seq)).to.deep.equal([1])
    const streamed: number[] = []
    for await (const { seq } of streamAudit(op, {})) streamed.push(seq)
    expect(streamed).to.deep.equal(Array.from({ length: 602 }, (_, i) => 602 - i))
  })
})
