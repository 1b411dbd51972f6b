import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { newId } from '../../../core/ids.ts'
import { EXPORT_SECTIONS, LEFT_OUT_TABLES } from '../../../db/account/export/sections.ts'
import { insertKey } from '../../../db/keys/insert-key.ts'
import { mintKey } from '../../../db/keys/key-text.ts'
import { inTransaction } from '../../../db/transaction.ts'
import { givenJob, givenReady } from '../../db/given.ts'
import { givenApiTenant, NO_TEMPORAL, useApi } from '../../support/api.ts'
import { expectAudited } from '../../support/audit.ts'
import { findOwner, givenSession, setUpOperation } from '../../support/people/given-members.ts'
import { useDatabase } from '../../support/stack/postgres.ts'

describe('account export', () => {
  const database = useDatabase()
  const api = useApi({ stores: () => ({ database, temporal: NO_TEMPORAL }) })

  async function givenScopedKey(tenantId: string, scopes: readonly string[]): Promise<string> {
    const minted = await mintKey(database.db.hashSlots, 'ks')
    await inTransaction(database.db, tenantId, async (tx) => {
      insertKey(tx, { tenantId, minted, kind: 'scoped', memberId: null, teamId: null, scopes, now: new Date() })
    })
    return minted.apiKey
  }

  it('is one document of everything that the tenant has, and of nothing of others', async () => {
    const tenant = await givenApiTenant(api)
    const other = await givenApiTenant(api)
    const op = setUpOperation(database.db, tenant.id)
    for (let i = 0; i < 3; i++) await givenReady(op, (await givenJob(op, { task: `Grüße ${i}` })).job.id)
    await database.db.query(
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
    await database.db.query(
      `insert into provider_keys (id, tenant_id, scope, holder_id, member_id, provider, prefix, fingerprint,
         sealed_value, created_at, updated_at)
       values ($1, $2, 'member', $3, $3, 'openai', 'sk-a', $4, $5, now(), now())`,
      [newId('pk'), tenant.id, owner.id, fingerprint, sealed],
    )
    const { text } = await api.call('GET', '/v1/account/export', { key: tenant.key })
    const secrets = [tenant.key, scoped, fingerprint, headers.cookie.split('=')[1] ?? '']
    for (const key of [tenant.key, scoped]) secrets.push(key.split('_').at(-1) ?? '')
    const [ring] = await database.db.query<{ id: string; sealed: Uint8Array }>(
      'select id, sealed_secret as sealed from receipt_secrets where tenant_id = $1',
      [tenant.id],
    )
    const opened = database.db.secrets.open(ring?.sealed ?? Buffer.of(), {
      owner: tenant.id,
      id: ring?.id ?? '',
      purpose: 'receipt',
    })
    const hidden = [sealed, Buffer.from(opened), ...(await bytesOf(tenant.id))]
    for (const bytes of hidden) {
      secrets.push(bytes.toString('hex'), bytes.toString('base64url'), bytes.toString('base64').replace(/=+$/, ''))
    }
    expect(hidden.length).to.be.greaterThan(7)
    for (const secret of secrets) {
      expect(secret.length).to.be.greaterThan(8)
      expect(text.includes(secret), secret.slice(0, 6)).to.equal(false)
    }
  })

  it('leaves out no table that has rows of tenants without saying why', async () => {
    const tables = await database.db.query<{ table: string }>(
      `select table_name as "table" from information_schema.columns
       where table_schema = 'public' and column_name = 'tenant_id' order by 1`,
    )
    const named = [...EXPORT_SECTIONS.map(({ table }) => table), ...Object.keys(LEFT_OUT_TABLES)]
    expect(named.toSorted()).to.deep.equal(tables.map(({ table }) => table).toSorted())
  })

  it('is for keys that may do everything, or this', async () => {
    const tenant = await givenApiTenant(api)
    const narrow = await givenScopedKey(tenant.id, ['capture:read', 'account:read', 'account:write'])
    const refused = await api.call('GET', '/v1/account/export', { key: narrow })
    expect([refused.status, refused.body.code]).to.deep.equal([403, 'insufficient_scope'])
    const wide = await givenScopedKey(tenant.id, ['account:export'])
    expect((await api.call('GET', '/v1/account/export', { key: wide })).status).to.equal(200)
  })

  /** Every value of every column of bytes in the tenant's rows: sealed secrets, salts and hashes. */
  async function bytesOf(tenantId: string): Promise<readonly Buffer[]> {
    const columns = await database.db.query<{ table: string; column: string }>(
      `select c.table_name as "table", c.column_name as "column" from information_schema.columns c
       join information_schema.columns t
         on t.table_schema = c.table_schema and t.table_name = c.table_name and t.column_name = 'tenant_id'
       where c.table_schema = 'public' and c.data_type = 'bytea'`,
    )
    const found: Buffer[] = []
    for (const { table, column } of columns) {
      const rows = await database.db.query<{ bytes: Buffer | null }>(
        `select "${column}" as bytes from "${table}" where tenant_id = $1`,
        [tenantId],
      )
      for (const { bytes } of rows) if (bytes !== null) found.push(bytes)
    }
    return found
  }
})
