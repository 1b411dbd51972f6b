import { expect } from 'chai'
import type { AuditAction } from '../../../core/actions.ts'
import { listAudit } from '../../../db/ledger/audit/list-audit.ts'
import { verifyAudit } from '../../../db/ledger/audit/verify-audit.ts'
import { recordDownload } from '../../../db/compile/artifacts/record-download.ts'
import { putBlob } from '../../../db/kernel/blobs/put-blob.ts'
import { deleteConcept } from '../../../db/compile/concepts/delete-concept.ts'
import { failExport, succeedExport } from '../../../db/compile/exports/finish-export.ts'
import { recordExportDownload } from '../../../db/compile/exports/open-export-file.ts'
import { cancelJob } from '../../../db/compile/jobs/cancel-job.ts'
import { findJob } from '../../../db/compile/jobs/find-job.ts'
import { finishFailed, finishGated } from '../../../db/compile/jobs/finish/finish-otherwise.ts'
import { revokeKey } from '../../../db/accounts/keys/revoke-key.ts'
import { listReceiptSecrets } from '../../../db/ledger/receipt-secrets/list-secrets.ts'
import { pruneReceiptSecret } from '../../../db/ledger/receipt-secrets/prune-secret.ts'
import { rotateReceiptSecret } from '../../../db/ledger/receipt-secrets/rotate-secret.ts'
import { closeSession } from '../../../db/accounts/sessions/close-session.ts'
import { openSession } from '../../../db/accounts/sessions/open-session.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { givenExport, givenJob, givenReady, givenTenant, limits } from '../../support/db/given.ts'
import { sendSql } from '../../support/db/send-sql.ts'

describe('audit ledger', () => {
  const test = useDatabase()

  it('chains the lines of every verb, also of concurrent ones', async () => {
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

  it('has a line of each verb, by whom, to what and in which request', async () => {
    const { op, tenant, keyId } = await givenTenant(test.db)
    const all = limits({ running_jobs_free: 10 })
    const job = async () => (await givenJob(op, { limits: all })).job.id
    const ended = async (end: (jobId: string) => Promise<unknown>): Promise<string> => {
      const jobId = await job()
      await end(jobId)
      return jobId
    }
    const written: (readonly [action: AuditAction, target: string])[] = [['tenant.created', tenant.id]]
    const wrote = (action: AuditAction, target: string): number => written.push([action, target])

    const { sessionId } = await openSession(op, { keyId, memberId: null, authMethod: 'key', limits: all })
    wrote('session.opened', sessionId)
    await closeSession(op, { sessionId })
    await closeSession(op, { sessionId })
    wrote('session.closed', sessionId)
    const [first] = (await listReceiptSecrets(op)).live
    const rotated = await rotateReceiptSecret(op, { limits: limits() })
    wrote('receipt_secret.rotated', rotated.keyId)
    await pruneReceiptSecret(op, { keyId: first?.id ?? '' })
    await pruneReceiptSecret(op, { keyId: first?.id ?? '' })
    wrote('receipt_secret.pruned', first?.id ?? '')

    const gate = {
      limits: all,
      kScore: 0.2,
      evaluation: {},
      failingRows: [],
      failingCount: 0,
      message: 'below the floor',
    }
    const failure = { limits: all, errorCode: 'compile_failed', errorMessage: 'no' } as const
    for (const [action, end] of [
      ['compile.completed', async (jobId) => await givenReady(op, jobId, all)],
      ['compile.gated', async (jobId) => await finishGated(op, { jobId, ...gate })],
      ['compile.failed', async (jobId) => await finishFailed(op, { jobId, ...failure })],
      ['compile.cancelled', async (jobId) => await cancelJob(op, { jobId, limits: all })],
    ] satisfies [AuditAction, (jobId: string) => Promise<unknown>][]) {
      const jobId = await ended(end)
      wrote('compile.created', jobId)
      wrote(action, jobId)
    }
    const ready = written.find(([action]) => action === 'compile.completed')?.[1] ?? ''
    await recordDownload(op, { artifactId: ready })
    wrote('artifact.downloaded', ready)
    for (const end of ['export.succeeded', 'export.failed'] as const) {
      const { id: exportId } = await givenExport(op, ready, { limits: all })
      wrote('export.created', exportId)
      if (end === 'export.failed') {
        await failExport(op, { exportId, errorCode: 'export_failed', errorMessage: 'no' })
        wrote(end, exportId)
        continue
      }
      const result = {
        ...(await putBlob(op.db, Buffer.from('a file'))),
        fileName: 'a.svc',
        mediaType: 'application/zip',
      }
      await succeedExport(op, { exportId, result, keptDays: 7 })
      wrote(end, exportId)
      await recordExportDownload(op, { exportId })
      wrote('export.downloaded', exportId)
    }
    const { conceptId } = await findJob(op, ready)
    await deleteConcept(op, { conceptId: conceptId ?? '' })
    wrote('concept.deleted', conceptId ?? '')
    await revokeKey(op, { keyId })
    await revokeKey(op, { keyId })
    wrote('api_key.revoked', keyId)

    const { items } = await listAudit(op, { limit: 100 })
    const lines = items.toReversed()
    expect(lines.map(({ action, target }) => [action, target])).to.deep.equal(written)
    expect(lines.slice(1).every((line) => line.actor === `key:${keyId}` && line.requestId === op.requestId)).to.equal(
      true,
    )
    expect(await verifyAudit(op)).to.include({ ok: true, total: written.length })
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
      await sendSql(test.db, statement, [tenant.id])
      expect(await verifyAudit(op)).to.include({ ok: false, broken_at: at })
    })
  }
})
