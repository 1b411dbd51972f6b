import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { newId } from '../../../core/kernel/ids.ts'
import { openDatabase, type Database } from '../../../db/kernel/database.ts'
import { deactivateMember } from '../../../db/accounts/members/deactivate-member.ts'
import { tenantOf, OPERATOR_TENANT_ID } from '../../../db/kernel/operation.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { resolveProviderKey } from '../../../db/gateway/provider-keys/resolve-provider-key.ts'
import { createVaultReader } from '../../../db/gateway/provider-keys/vault-reader.ts'
import { eventually } from '../../support/wire/eventually.ts'
import { storeProviderKey } from '../../../db/gateway/provider-keys/store-provider-key.ts'
import { createReceiptSecrets } from '../../../db/ledger/across/receipt-secrets.ts'
import { countSealedUnderOldKey, rewrapSecrets } from '../../../db/ledger/across/rewrap-secrets.ts'
import { createSecretBox } from '../../../db/kernel/secrets/secret-box.ts'
import { loadSigningKeys } from '../../../db/ledger/across/signing-keys.ts'
import { expectAudited } from '../../support/db/audit.ts'
import { givenMember, givenPlan, setUpOperation } from '../../support/people/given-members.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { givenTenant, limits } from '../../support/db/given.ts'
import { sendSql } from '../../support/db/send-sql.ts'

const NEVER = new AbortController().signal

async function store(op: Operation, memberId: string, value: string, teamId?: string): Promise<string> {
  const { id } = await storeProviderKey(op, {
    provider: 'openai',
    value,
    label: null,
    teamId,
    memberId,
    limits: limits(),
  })
  return id
}

async function givenTeam(op: Operation): Promise<string> {
  const id = newId('team')
  await sendSql(
    op.db,
    `insert into teams (id, tenant_id, slug, name, source, created_at, updated_at)
     values ($1, $2, $3, 'A team', 'manual', now(), now())`,
    [id, op.tenantId, id.replace('_', '-')],
  )
  return id
}

describe('vault of provider keys', () => {
  const test = useDatabase()

  it('opens the key of the member, then that of the team, and none of a deactivated member', async () => {
    const { op, tenant, memberId: owner } = await givenTenant(test.db)
    await givenPlan(test.db, tenant.id, 'teams')
    const { id: memberId } = await givenMember(setUpOperation(test.db, tenant.id), { role: 'member' })
    const teamId = await givenTeam(op)
    const resolve = async (who: { memberId: string | null; teamId: string | null }) => {
      const found = await resolveProviderKey(test.db, {
        tenantId: tenant.id,
        ...who,
        provider: 'openai',
        now: new Date(),
      })
      return found?.value ?? null
    }
    expect(await resolve({ memberId, teamId })).to.equal(null)
    await store(op, owner, 'sk-of-the-team-0123', teamId)
    expect(await resolve({ memberId, teamId })).to.equal('sk-of-the-team-0123')
    expect(await resolve({ memberId, teamId: null })).to.equal(null)
    await store(op, memberId, 'sk-of-the-member-01')
    expect(await resolve({ memberId, teamId })).to.equal('sk-of-the-member-01')
    expect(await resolve({ memberId: owner, teamId: null })).to.equal(null)
    await tenantOf(test.db, tenant.id).write(async (tx) => await deactivateMember(tx, op, memberId))
    expect(await resolve({ memberId, teamId })).to.equal('sk-of-the-team-0123')
    const other = await givenTenant(test.db)
    expect(
      await resolveProviderKey(test.db, {
        tenantId: other.tenant.id,
        memberId,
        teamId,
        provider: 'openai',
        now: new Date(),
      }),
    ).to.equal(null)
  })

  it('keeps one key for each holder and provider, bound to its row', async () => {
    const { op, memberId } = await givenTenant(test.db)
    const first = await store(op, memberId, 'sk-first-0123456789')
    expect(await store(op, memberId, 'sk-second-0123456789')).to.equal(first)
    const other = await givenTenant(test.db)
    const second = await store(other.op, other.memberId, 'sk-second-0123456789')
    const rows = await sendSql<{ id: string; fingerprint: string; sealed: Buffer }>(
      test.db,
      'select id, fingerprint, sealed_value as sealed from provider_keys where id = any($1)',
      [[first, second]],
    )
    // The same value of two tenants cannot be recognised.
    expect(new Set(rows.map(({ fingerprint }) => fingerprint)).size).to.equal(2)
    for (const { sealed } of rows) expect(sealed.includes('sk-second')).to.equal(false)
    await sendSql(
      test.db,
      `update provider_keys set sealed_value = (select sealed_value from provider_keys where id = $2) where id = $1`,
      [second, first],
    )
    const moved = { tenantId: other.tenant.id, memberId: other.memberId, teamId: null, provider: 'openai' } as const
    let refused: unknown
    await resolveProviderKey(test.db, { ...moved, now: new Date() }).catch((error: unknown) => (refused = error))
    expect(String(refused)).to.contain('does not open')
  })

  it('remembers callers without a key until one is stored, here and in other processes', async () => {
    const { op, tenant, memberId } = await givenTenant(test.db)
    await givenPlan(test.db, tenant.id, 'teams')
    const vault = createVaultReader({ db: test.db, notifications: test.notifications })
    const who = { tenantId: tenant.id, memberId, teamId: null, provider: 'openai', now: new Date() } as const
    expect(await vault.find(who)).to.equal(null)
    await store(op, memberId, 'sk-of-the-member-0123')
    // The notification comes as if another process had stored it.
    await eventually(async () => expect((await vault.find(who))?.value).to.equal('sk-of-the-member-0123'))
    const { id: otherId } = await givenMember(setUpOperation(test.db, tenant.id), { role: 'member' })
    const other = { ...who, memberId: otherId }
    const asked = vault.find(other)
    await store(op, otherId, 'sk-of-the-other-01234')
    vault.forget(tenant.id)
    await asked
    expect((await vault.find(other))?.value).to.equal('sk-of-the-other-01234')
    vault.close()
  })
})

describe('rotation of the master key', () => {
  const test = useDatabase()

  it('opens seals of older keys, and none once the keys are removed', () => {
    const [first, second, third] = [randomBytes(32), randomBytes(32), randomBytes(32)]
    const scope = { owner: 'service', id: 'one', purpose: 'audit' } as const
    const secret = Buffer.from('a secret')
    const sealed = createSecretBox(first).seal(secret, scope)
    const box = createSecretBox(third, [second, first])
    expect(Buffer.from(box.open(sealed, scope)).equals(secret)).to.equal(true)
    const again = box.rewrap(sealed, scope)
    if (again === null) throw new Error('it was under an old key')
    expect(box.rewrap(again, scope)).to.equal(null)
    expect(Buffer.from(createSecretBox(third).open(again, scope)).equals(secret)).to.equal(true)
    expect(() => createSecretBox(third).open(sealed, scope)).to.throw('another master key')
    expect(() => box.rewrap(sealed, { ...scope, id: 'two' })).to.throw('another master key')
  })

  it('resumes after a kill, through three keys', async () => {
    const given = await givenTenant(test.db)
    await store(given.op, given.memberId, 'sk-long-lived-0123456')
    for (let i = 0; i < 4; i++) await givenTenant(test.db)
    await loadSigningKeys(test.db)
    const [second, third] = [randomBytes(32), randomBytes(32)]
    const open = async (masterKey: Uint8Array, ...oldMasterKeys: readonly Uint8Array[]): Promise<Database> =>
      await openDatabase({ url: test.url, poolSize: 2, masterKey, oldMasterKeys })
    const all = await countSealedUnderOldKey(await keep(open(second, test.masterKey)))
    expect(all).to.be.greaterThan(7)

    // Stopped after its first batches: some are under the second key, others still under the first.
    const killed = await keep(open(second, test.masterKey))
    const stop = new AbortController()
    expect(
      await rewrapSecrets(stopAfter(killed, 6, stop), { signal: stop.signal, now: () => new Date(), batch: 1 }),
    ).to.include({
      isComplete: false,
    })
    const left = await countSealedUnderOldKey(killed)
    expect(left).to.be.greaterThan(0).and.lessThan(all)

    // The third key comes before the second one has everything.
    const db = await keep(open(third, second, test.masterKey))
    expect(await countSealedUnderOldKey(db)).to.equal(all)
    expect(await rewrapSecrets(db, { signal: NEVER, now: () => new Date(), batch: 2 })).to.deep.equal({
      rewrapped: all,
      unreadable: 0,
      isComplete: true,
    })
    expect(await countSealedUnderOldKey(db)).to.equal(0)
    await expectAudited(setUpOperation(db, OPERATOR_TENANT_ID), 'master_key.rotated')

    const after = await keep(open(third))
    const who = { tenantId: given.tenant.id, memberId: given.memberId, teamId: null, provider: 'openai' } as const
    expect((await resolveProviderKey(after, { ...who, now: new Date() }))?.value).to.equal('sk-long-lived-0123456')
    expect((await loadSigningKeys(after)).all).to.have.length(1)
    const secrets = createReceiptSecrets({ db: after, notifications: test.notifications })
    expect((await secrets.current(given.tenant.id)).tenantId).to.equal(given.tenant.id)
    secrets.close()
  })

  const opened: Database[] = []
  const keep = async (opening: Promise<Database>): Promise<Database> => {
    const db = await opening
    opened.push(db)
    return db
  }
  after(async () => {
    for (const db of opened) await db.close()
  })
})

/** The database, which stops the work after some reads. */
function stopAfter(db: Database, reads: number, stop: AbortController): Database {
  let left = reads
  const connect = async () => {
    if (--left === 0) stop.abort()
    return await db.pool.connect()
  }
  const pool = new Proxy(db.pool, { get: (of, name) => (name === 'connect' ? connect : Reflect.get(of, name)) })
  return { ...db, pool }
}
