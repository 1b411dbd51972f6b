import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { newId } from '../../../core/kernel/ids.ts'
import { readDatasets } from '../../../db/overview/account/export/read-examples.ts'
import { readSection } from '../../../db/overview/account/export/read-section.ts'
import { EXPORT_SECTIONS } from '../../../db/overview/account/export/sections.ts'
import { readerOver } from '../../../db/kernel/queries/read.ts'
import { putBlob } from '../../../db/kernel/blobs/put-blob.ts'
import { insertKey } from '../../../db/accounts/keys/insert-key.ts'
import { mintKey } from '../../../db/accounts/keys/key-text.ts'
import { givenJob, givenReady } from '../../support/db/given.ts'
import { givenApiTenant, NO_TEMPORAL, useApi } from '../../support/api.ts'
import { expectAudited } from '../../support/db/audit.ts'
import { hiddenBytesOf, writtenForms } from '../../support/people/hidden-bytes.ts'
import { findOwner, givenSession, setUpOperation } from '../../support/people/given-members.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { writeAll, sendSql } from '../../support/db/send-sql.ts'
import { tenantOf } from '../../../db/kernel/operation.ts'

describe('account export', () => {
  const database = useDatabase()
  const api = useApi({ stores: () => ({ database, temporal: NO_TEMPORAL }) })

  async function givenScopedKey(tenantId: string, scopes: readonly string[]): Promise<string> {
    const minted = await mintKey(database.db.hashSlots, 'ks')
    await tenantOf(database.db, tenantId).write(async (tx) => {
      insertKey(tx, { tenantId, minted, kind: 'scoped', memberId: null, teamId: null, scopes, now: new Date() })
    })
    return minted.apiKey
  }

  it('is one document of everything that the tenant has, and of nothing of others', async () => {
    const tenant = await givenApiTenant(api)
    const other = await givenApiTenant(api)
    const op = setUpOperation(database.db, tenant.id)
    for (let i = 0; i < 3; i++) await givenReady(op, (await givenJob(op, { task: `Grüße ${i}` })).job.id)
    await sendSql(
      database.db,
      `insert into snoozes (tenant_id, dismiss_key, until, created_at)
       select $1, 'key:' || i, now(), now() from generate_series(1, 450) i`,
      [tenant.id],
    )
    const answer = await api.call('GET', '/v1/account/export', { key: tenant.key })
    expect(answer.status).to.equal(200)
    expect(answer.headers.get('content-type')).to.equal('application/json; charset=utf-8')
    expect(answer.headers.get('content-disposition')).to.match(/^attachment; filename="svc-export-[\w-]+\.json"$/)
    const { body } = answer
    expect(body).to.include({ spec: 'svc-export-v1' })
    expect(body.tenant).to.include({ id: tenant.id, plan: 'free' })
    expect(body.tenant.settings).to.include({ timezone: 'UTC' })
    expect(body.jobs.map(({ task }: { task: string }) => task)).to.have.members(['Grüße 0', 'Grüße 1', 'Grüße 2'])
    expect(body.counts).to.include({ concepts: 3, artifacts: 3, jobs: 3, members: 1, keys: 1, snoozes: 450 })
    expect(new Set(body.snoozes.map((row: { dismiss_key: string }) => row.dismiss_key)).size).to.equal(450)
    expect(body.evidence_edges).to.have.length(3)
    expect(body.job_events.length).to.be.at.least(3)
    expect(body.audit.at(-1)).to.include({ action: 'account.exported' })
    for (const { name } of EXPORT_SECTIONS) expect(body[name], name).to.have.length(body.counts[name])
    expect(answer.text).to.not.include(other.id)
    await expectAudited(op, 'account.exported', tenant.id)
  })

  it('the export holds no secret', async () => {
    const tenant = await givenApiTenant(api)
    const op = setUpOperation(database.db, tenant.id)
    const owner = await findOwner(op)
    const { headers } = await givenSession(database.db, owner)
    const scoped = await givenScopedKey(tenant.id, ['capture:read'])
    const fingerprint = `hmac-sha256:${randomBytes(32).toString('hex')}`
    const sealed = randomBytes(80)
    await sendSql(
      database.db,
      `insert into provider_keys (id, tenant_id, scope, holder_id, member_id, provider, prefix, fingerprint,
         sealed_value, created_at, updated_at)
       values ($1, $2, 'member', $3, $3, 'openai', 'sk-a', $4, $5, now(), now())`,
      [newId('pk'), tenant.id, owner.id, fingerprint, sealed],
    )
    const { text } = await api.call('GET', '/v1/account/export', { key: tenant.key })
    const secrets = [tenant.key, scoped, fingerprint, headers.cookie.split('=')[1] ?? '']
    for (const key of [tenant.key, scoped]) secrets.push(key.split('_').at(-1) ?? '')
    const [ring] = await sendSql<{ id: string; sealed: Uint8Array }>(
      database.db,
      'select id, sealed_secret as sealed from receipt_secrets where tenant_id = $1',
      [tenant.id],
    )
    const opened = database.db.secrets.open(ring?.sealed ?? Buffer.of(), {
      owner: tenant.id,
      id: ring?.id ?? '',
      purpose: 'receipt',
    })
    const hidden = [sealed, Buffer.from(opened), ...(await hiddenBytesOf(database.db, tenant.id))]
    secrets.push(...hidden.flatMap(writtenForms))
    expect(hidden.length).to.be.greaterThan(7)
    for (const secret of secrets) {
      expect(secret.length).to.be.greaterThan(8)
      expect(text.includes(secret), secret.slice(0, 6)).to.equal(false)
    }
  })

  it('holds the examples of its jobs, each dataset once', async () => {
    const tenant = await givenApiTenant(api)
    const op = setUpOperation(database.db, tenant.id)
    const rows = Array.from({ length: 9000 }, (_, i) => ({ id: String(i), input: `Straße ${i}\n"`, output: '€' }))
    const { sha256 } = await putBlob(database.db, Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join('')))
    const jobs = [await givenJob(op), await givenJob(op), await givenJob(op)]
    await sendSql(database.db, 'update compile_jobs set dataset_sha256 = $2, dataset_hash = $2 where id = $1', [
      jobs[1]?.job.id,
      sha256,
    ])
    await sendSql(database.db, 'update compile_jobs set dataset_sha256 = null where id = $1', [jobs[2]?.job.id])
    const { body } = await api.call('GET', '/v1/account/export', { key: tenant.key })
    expect(body.counts).to.include({ examples: 2, jobs: 3 })
    const [small, large] = body.examples
    expect(small.rows).to.deep.equal([{ id: 'row_1', input: 'a', output: 'A' }])
    expect(large.dataset_hash).to.equal(sha256)
    expect(large.rows).to.deep.equal(rows)
  })

  it('passes over a dataset that is let go while the ones before it are read', async () => {
    const op = setUpOperation(database.db, (await givenApiTenant(api)).id)
    const shas: string[] = []
    for (const output of ['first', 'second', 'third']) {
      const { sha256 } = await putBlob(database.db, Buffer.from(`${JSON.stringify({ input: output, output })}\n`))
      const { job } = await givenJob(op)
      await sendSql(database.db, 'update compile_jobs set dataset_sha256 = $2 where id = $1', [job.id, sha256])
      shas.push(sha256)
    }
    const read: string[] = []
    for await (const pieces of readDatasets(op)) {
      let text = ''
      for await (const piece of pieces) text += piece
      read.push(JSON.parse(text).rows[0].output)
      if (read.length > 1) continue
      await sendSql(database.db, 'update compile_jobs set dataset_sha256 = null where dataset_sha256 = $1', [shas[1]])
      await sendSql(database.db, 'delete from blobs where sha256 = $1', [shas[1]])
    }
    expect(read).to.deep.equal(['first', 'third'])
  })

  it('reads each page by an index, however many rows there are', async () => {
    // Few in any tenant: people, keys at providers, what they bought.
    const few = ['identities', 'team_members', 'mails', 'subscriptions', 'refunds', 'dunnings']
    for (const section of EXPORT_SECTIONS.filter(({ name }) => !few.includes(name))) {
      const texts: string[] = []
      const recording = readerOver(async ({ sql: text }) => {
        texts.push(text)
        const isOfSection = text.includes(` from ${section.table} `)
        return Array.from({ length: texts.length < 4 && isOfSection ? 200 : 1 }, () => ({ id: '' }))
      })
      for await (const _page of readSection({ ...recording, tenantId: 'ten_1' }, section)) if (texts.length > 6) break
      const next = texts.findLast((text) => text.includes(` from ${section.table} `) && text.includes(' > ('))
      if (next === undefined) expect.fail(`${section.name} has no second page`)
      const plan = await writeAll(database.db, async (tx) => {
        await tx.query('set local enable_seqscan = off')
        await tx.query('set local enable_sort = off')
        await tx.query('set local enable_bitmapscan = off')
        return await sendSql<Record<'QUERY PLAN', string>>(tx, `explain (generic_plan, costs off) ${next}`)
      })
      const text = plan.map((row) => row['QUERY PLAN']).join('\n')
      expect(text, section.name)
        .to.match(/Index/)
        .and.not.match(/(^|-> +)Sort\b|Seq Scan/m)
      // An index that begins with the tenant, or with the job or artifact: not one of all tenants that is gone through.
      expect(text, section.name).to.match(/Index Cond: .*(tenant_id|job_id|artifact_id)/)
    }
  })

  it('is for keys that may do everything, or this', async () => {
    const tenant = await givenApiTenant(api)
    const narrow = await givenScopedKey(tenant.id, ['capture:read', 'account:read', 'account:write'])
    const refused = await api.call('GET', '/v1/account/export', { key: narrow })
    expect([refused.status, refused.body.code]).to.deep.equal([403, 'insufficient_scope'])
    const wide = await givenScopedKey(tenant.id, ['account:export'])
    expect((await api.call('GET', '/v1/account/export', { key: wide })).status).to.equal(200)
    const bound = await givenScopedKey(tenant.id, ['account:export', 'namespace:support'])
    for (const path of ['/v1/account/export', '/v1/account/compliance-package']) {
      const answer = await api.call('GET', path, { key: bound })
      expect([answer.status, answer.body.code], path).to.deep.equal([403, 'insufficient_scope'])
    }
  })
})
