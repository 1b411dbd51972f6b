import { expect } from 'chai'
import { listAudit } from '../../db/audit/list-audit.ts'
import { verifyAudit } from '../../db/audit/verify-audit.ts'
import { recordDownload } from '../../db/artifacts/record-download.ts'
import { useDatabase } from '../support/postgres.ts'
import { givenJob, givenReady, givenTenant } from './given.ts'

describe('audit ledger', () => {
  const test = useDatabase()

  it('chains what every verb writes, also when they run at once', async () => {
    const { op } = await givenTenant(test.db)
    const { job } = await givenJob(op, { task: 'Grüße → greetings' })
    await givenReady(op, job.id)
    await Promise.all(Array.from({ length: 20 }, async () => await recordDownload(op, { artifactId: job.id })))
    const verified = await verifyAudit(op)
    expect(verified).to.include({ ok: true, total: 23, broken_at: null })
    const { items, nextCursor } = await listAudit(op, { limit: 22 })
    expect(items[0]).to.include({
      action: 'artifact.downloaded',
      actor: `key:${op.actor.kind === 'key' && op.actor.keyId}`,
    })
    const { items: oldest } = await listAudit(op, { limit: 22, cursor: nextCursor ?? '' })
    expect(oldest.map((entry) => [entry.seq, entry.action])).to.deep.equal([[1, 'tenant.created']])
  })

  const tamperings = [
    {
      what: 'an edited entry',
      statement: `update audit_entries set actor = 'key:other' where tenant_id = $1 and seq = 2`,
      at: 2,
    },
    {
      what: 'an edited payload',
      statement: `update audit_entries set payload = '{}' where tenant_id = $1 and seq = 2`,
      at: 2,
    },
    { what: 'a removed entry', statement: 'delete from audit_entries where tenant_id = $1 and seq = 2', at: 3 },
    { what: 'a removed end', statement: 'delete from audit_entries where tenant_id = $1 and seq = 4', at: 4 },
  ]
  for (const { what, statement, at } of tamperings) {
    it(`notices ${what}`, async () => {
      const { op, tenant } = await givenTenant(test.db)
      for (let i = 0; i < 3; i++) await givenJob(op)
      await test.db.query(statement, [tenant.id])
      expect(await verifyAudit(op)).to.include({ ok: false, broken_at: at })
    })
  }
})
