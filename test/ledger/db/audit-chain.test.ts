import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { newId } from '../../../core/kernel/ids.ts'
import { recordDownload } from '../../../db/compile/artifacts/record-download.ts'
import { chainLeftovers } from '../../../db/ledger/across/keep-ledgers.ts'
import { listAudit, streamAudit } from '../../../db/ledger/audit/list-audit.ts'
import { recordAudit } from '../../../db/ledger/audit/record-audit.ts'
import { verifyAudit } from '../../../db/ledger/audit/verify-audit.ts'
import { commitWaiting } from '../../support/db/ledger-lines.ts'
import { openDatabase } from '../../../db/kernel/database.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { givenTenant } from '../../support/db/given.ts'
import { givenLines, waitingEntry } from './given-lines.ts'
import { sendSql } from '../../support/db/send-sql.ts'
import { tenantOf } from '../../../db/kernel/operation.ts'

const signal = new AbortController().signal

describe('audit chain', () => {
  const test = useDatabase()

  it('keeps no line of a rolled back transaction', async () => {
    const { op } = await givenTenant(test.db)
    const failed = tenantOf(test.db, op.tenantId).write(async (tx) => {
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
      const [left] = await sendSql(test.db, 'select 1 from audit_pending where tenant_id = $1', [op.tenantId])
      expect(left).to.equal(undefined)
    } finally {
      await other.close()
    }
  })

  it('chains the entries of a killed process, at the next read and by the schedule', async () => {
    const { op } = await givenTenant(test.db)
    const { op: quiet } = await givenTenant(test.db)
    for (const each of [op, quiet]) await commitWaiting(test.db, waitingEntry(each, { target: 'left' }))
    expect((await listAudit(op, { limit: 1 })).items[0]).to.include({ target: 'left', seq: 2 })
    const later = () => new Date(Date.now() + 60_000)
    expect(await chainLeftovers(test.db, { now: later, signal })).to.equal(1)
    const [entry] = await sendSql(test.db, 'select seq from audit_entries where tenant_id = $1 and target = $2', [
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
    ['id', 'id = (select id from audit_entries where tenant_id = $2)'],
  ] as const) {
    it(`gives a waiting line its place although its ${what} was changed, and reports it`, async () => {
      const { op: first } = await givenTenant(test.db)
      const { op } = await givenTenant(test.db)
      const entry = waitingEntry(what === 'tenant' ? first : op)
      await commitWaiting(test.db, entry)
      await sendSql(test.db, `update audit_pending set ${change} where id = $1 and $2 <> ''`, [entry.id, op.tenantId])
      await commitWaiting(test.db, waitingEntry(op))
      const verified = await verifyAudit(op)
      expect(verified).to.include({ ok: false, total: 3, broken_at: 2 })
      // An id that another line has cannot be had twice: there the line gets a new one.
      const id = what === 'id' ? verified.breaks[0]?.id : entry.id
      expect(verified.breaks).to.deep.equal([{ index: 1, seq: 2, id, reason: 'event_hash_mismatch' }])
    })
  }

  it('goes on when a process begins to use a new key, also where it is not known yet', async () => {
    const { op } = await givenTenant(test.db)
    const other = await openDatabase({ url: test.url, poolSize: 2, masterKey: test.masterKey })
    try {
      expect(await verifyAudit(op)).to.include({ ok: true, total: 1 })
      const id = newId('aud')
      const sealed = test.db.secrets.seal(randomBytes(32), { owner: 'service', id, purpose: 'audit' })
      await sendSql(
        test.db,
        `insert into service_secrets (id, purpose, sealed_secret, created_at)
         values ($1, 'audit', $2, now() + interval '1 second')`,
        [id, sealed],
      )
      await commitWaiting(other, waitingEntry(op, { target: 'new key' }))
      expect(await verifyAudit(op)).to.include({ ok: true, total: 2 })
      const keys = await sendSql<{ keyId: string }>(
        test.db,
        'select key_id as "keyId" from audit_entries where tenant_id = $1 order by seq',
        [op.tenantId],
      )
      expect(keys.map(({ keyId }) => keyId === id)).to.deep.equal([false, true])
    } finally {
      await other.close()
    }
  })

  it('chains the ledgers of others when one cannot be', async () => {
    const { op: broken } = await givenTenant(test.db)
    const { op } = await givenTenant(test.db)
    for (const each of [broken, op]) await commitWaiting(test.db, waitingEntry(each))
    await sendSql(test.db, 'delete from audit_heads where tenant_id = $1', [broken.tenantId])
    const later = () => new Date(Date.now() + 60_000)
    const failed = await chainLeftovers(test.db, { now: later, signal }).catch((error: unknown) => error)
    expect(failed).to.be.instanceOf(AggregateError)
    const left = await sendSql<{ tenantId: string }>(test.db, 'select tenant_id as "tenantId" from audit_pending')
    expect(left.map(({ tenantId }) => tenantId)).to.deep.equal([broken.tenantId])
    await sendSql(test.db, 'delete from audit_pending where tenant_id = $1', [broken.tenantId])
  })

  it('lists since a time, and streams the whole', async () => {
    const { op } = await givenTenant(test.db)
    await commitWaiting(test.db, waitingEntry(op, { at: new Date('2030-01-01'), target: 'late' }))
    await givenLines(op, 600)
    const since = new Date('2029-01-01')
    expect((await listAudit(op, { limit: 10, since })).items.map(({ target }) => target)).to.deep.equal(['late'])
    const streamed: number[] = []
    for await (const { seq } of streamAudit(op, {})) streamed.push(seq)
    expect(streamed).to.deep.equal(Array.from({ length: 602 }, (_, i) => 602 - i))
  })
})
