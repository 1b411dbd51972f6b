import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { createKeyAuthenticator } from '../../../db/accounts/keys/authentication/authenticator.ts'
import { findPrimaryKey } from '../../../db/accounts/keys/find-key.ts'
import { revokeKey } from '../../../db/accounts/keys/revoke-key.ts'
import { listReceiptSecrets } from '../../../db/ledger/receipt-secrets/list-secrets.ts'
import { pruneReceiptSecret } from '../../../db/ledger/receipt-secrets/prune-secret.ts'
import { createReceiptSecrets } from '../../../db/ledger/across/receipt-secrets.ts'
import { rotateReceiptSecret } from '../../../db/ledger/receipt-secrets/rotate-secret.ts'
import { createSecretBox } from '../../../db/kernel/secrets/secret-box.ts'
import { createSessionAuthenticator } from '../../../db/accounts/sessions/authenticator.ts'
import { closeSession } from '../../../db/accounts/sessions/close-session.ts'
import { openSession } from '../../../db/accounts/sessions/open-session.ts'
import { loadSigningKeys } from '../../../db/ledger/across/signing-keys.ts'
import { signUp } from '../../../db/accounts/across/sign-up/sign-up.ts'
import { expectCode } from '../../support/wire/expect-code.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { givenTenant, limits, operationOf } from '../../support/db/given.ts'
import { sendSql } from '../../support/db/send-sql.ts'

describe('accounts', () => {
  const test = useDatabase()
  const at = { requestId: 'req_test', limits: limits() }

  it('makes a separate tenant for each sign-up with an address, in any case', async () => {
    const email = `${randomBytes(6).toString('hex')}@Example.test`
    const now = new Date()
    const made = await Promise.all(
      [email, email.toUpperCase(), ` ${email.toLowerCase()} `].map(
        async (each) => (await signUp(test.db, { ...at, email: each, now })).tenant,
      ),
    )
    expect(new Set(made.map(({ id }) => id)).size).to.equal(3)
    for (const tenant of made) expect(tenant).to.include({ email: email.toLowerCase(), isEmailVerified: false })
    await expectCode('validation_failed', async () => await signUp(test.db, { ...at, email: 'no-address', now }))
  })

  it('starts a paid plan on the free one', async () => {
    const now = new Date()
    const email = `${randomBytes(6).toString('hex')}@example.test`
    const { tenant, isBillingRequired } = await signUp(test.db, {
      ...at,
      email,
      name: 'Acme, Inc.',
      plan: 'pro',
      now,
    })
    expect(tenant).to.include({ plan: 'free', pendingPlan: 'pro', email })
    expect(tenant.name).to.match(/^acme-inc-[0-9a-z]{4}$/)
    expect(tenant.trialEndsAt?.getTime()).to.equal(now.getTime() + 30 * 86_400_000)
    expect([tenant.quotaOverride ?? null, isBillingRequired]).to.deep.equal([null, true])
  })

  it('knows a right key, and drops it everywhere when it is revoked', async () => {
    const { op, tenant, apiKey, keyId, memberId } = await givenTenant(test.db)
    const open = () =>
      createKeyAuthenticator({
        db: test.db,
        notifications: test.notifications,
        limits: limits(),
        now: () => new Date(),
      })
    const processes = [open(), open()]
    for (const keys of processes) {
      expect(await keys.authenticate(apiKey)).to.deep.equal({
        tenantId: tenant.id,
        plan: 'free',
        quota: null,
        keyId,
        kind: 'primary',
        memberId,
        teamId: null,
        scopes: ['*'],
      })
      const wrong = [`${apiKey.slice(0, -1)}${apiKey.endsWith('0') ? '1' : '0'}`, 'ks_nobody', '', apiKey.toUpperCase()]
      for (const text of wrong) expect(await keys.authenticate(text)).to.equal(null)
    }
    expect((await findPrimaryKey(op))?.id).to.equal(keyId)
    await revokeKey(op, { keyId })
    for (const keys of processes) {
      while ((await keys.authenticate(apiKey)) !== null) await new Promise((resolve) => setTimeout(resolve, 5))
      keys.close()
    }
    expect(await findPrimaryKey(op)).to.equal(null)
  })

  it('keeps only a salted hash of a key', async () => {
    const { tenant, apiKey } = await givenTenant(test.db)
    const [row] = await sendSql<{ text: string }>(
      test.db,
      `select (k.*)::text || encode(k.hash, 'escape') as text from api_keys k where tenant_id = $1`,
      [tenant.id],
    )
    expect(row?.text).not.to.contain(apiKey.split('_')[2])
  })

  it('rolls a session forward at most hourly, to an absolute end, and ends it with its key', async () => {
    const given = await givenTenant(test.db)
    let now = new Date()
    const op = operationOf(test.db, given, () => now)
    const few = limits({ session_days: 2, session_absolute_days: 3, key_cache_s: 0 })
    const sessions = createSessionAuthenticator({
      db: test.db,
      notifications: test.notifications,
      limits: few,
      now: () => now,
    })
    const { token, sessionId, expiresAt } = await openSession(op, {
      keyId: given.keyId,
      memberId: given.memberId,
      authMethod: 'key',
      limits: few,
    })
    const start = now.getTime()
    const check = async (hours: number) => {
      now = new Date(start + hours * 3_600_000)
      return await sessions.authenticate(token)
    }
    expect(await check(0.5)).to.deep.include({ expiresAt, isExtended: false })
    expect((await check(0.5))?.principal).to.include({ tenantId: given.tenant.id, keyId: given.keyId, sessionId })
    const extended = await check(30)
    expect(extended?.isExtended).to.equal(true)
    expect(extended?.expiresAt.getTime()).to.equal(start + 72 * 3_600_000)
    expect(await check(71)).not.to.equal(null)
    expect(await check(72.5)).to.equal(null)
    expect(await sessions.authenticate('nonsense')).to.equal(null)

    now = new Date()
    const second = await openSession(op, {
      keyId: given.keyId,
      memberId: given.memberId,
      authMethod: 'key',
      limits: few,
    })
    await closeSession(op, { sessionId: second.sessionId })
    expect(await sessions.authenticate(second.token)).to.equal(null)
    const third = await openSession(op, {
      keyId: given.keyId,
      memberId: given.memberId,
      authMethod: 'key',
      limits: few,
    })
    await revokeKey(op, { keyId: given.keyId })
    expect(await sessions.authenticate(third.token)).to.equal(null)
    sessions.close()
  })

  it('keeps old receipt secrets until they are pruned, and tombstones then', async () => {
    const { op, tenant } = await givenTenant(test.db)
    const secrets = createReceiptSecrets(test)
    const first = await secrets.current(tenant.id)
    const rotated = await rotateReceiptSecret(op, { limits: limits() })
    expect(rotated.previousCount).to.equal(1)
    while ((await secrets.current(tenant.id)).keyId !== rotated.keyId)
      await new Promise((resolve) => setTimeout(resolve, 5))
    const old = await secrets.find(first.keyId)
    expect(old.state === 'live' && old.secret.equals(first.secret)).to.equal(true)
    await expectCode('cannot_prune_current_key', async () => await pruneReceiptSecret(op, { keyId: rotated.keyId }))
    await expectCode('unknown_receipt_key', async () => await pruneReceiptSecret(op, { keyId: 'rsk_nobody' }))
    expect(await pruneReceiptSecret(op, { keyId: first.keyId })).to.deep.equal({ remainingCount: 1 })
    while ((await secrets.find(first.keyId)).state !== 'pruned') await new Promise((resolve) => setTimeout(resolve, 5))
    expect(await secrets.find('rsk_nobody')).to.deep.equal({ state: 'unknown' })
    const ring = await listReceiptSecrets(op)
    expect([...ring.live, ...ring.pruned].map((secret) => secret.state)).to.deep.equal(['current', 'pruned'])
    const rotations = await Promise.all([1, 2, 3].map(async () => await rotateReceiptSecret(op, { limits: limits() })))
    expect(new Set(rotations.map((each) => each.keyId)).size).to.equal(3)
    secrets.close()
  })

  it('makes one signing key, however many processes start at once', async () => {
    const loaded = await Promise.all(Array.from({ length: 5 }, async () => await loadSigningKeys(test.db)))
    expect(new Set(loaded.map((keys) => keys.current.kid)).size).to.equal(1)
    expect(loaded[0]?.all).to.have.length(1)
    expect(loaded[0]?.current.kid).to.match(/^[0-9a-f]{32}$/)
  })

  it('opens a sealed secret only for the row that it was sealed for', () => {
    const box = createSecretBox(randomBytes(32))
    const scope = { owner: 'ten_1', id: 'rsk_1', purpose: 'receipt' } as const
    const sealed = box.seal(Buffer.from('secret'), scope)
    expect(Buffer.from(box.open(sealed, scope)).toString()).to.equal('secret')
    expect(() => box.open(sealed, { ...scope, owner: 'ten_2' })).to.throw()
    expect(() => createSecretBox(randomBytes(32)).open(sealed, scope)).to.throw()
    const broken = Buffer.from(sealed)
    broken[40] = (broken[40] ?? 0) ^ 1
    expect(() => box.open(broken, scope)).to.throw()
    expect(() => box.open(Buffer.of(1, 2), scope)).to.throw('not a sealed secret')
  })
})
