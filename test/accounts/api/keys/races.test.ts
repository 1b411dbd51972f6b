import { expect } from 'chai'
import { mintKey } from '../../../../db/accounts/keys/key-text.ts'
import { deactivateMember } from '../../../../db/accounts/members/deactivate-member.ts'
import { setRole } from '../../../../db/accounts/members/set-role.ts'
import { recoverTenant } from '../../../../db/accounts/tenants/recover.ts'
import type { Transaction } from '../../../../db/kernel/transaction.ts'
import { givenApiTenant, NO_TEMPORAL, useApi, type Answer, type ApiTenant } from '../../../support/api.ts'
import {
  findOwner,
  givenMember,
  givenPlan,
  givenSession,
  setUpOperation,
} from '../../../support/people/given-members.ts'
import { useDatabase } from '../../../support/stack/postgres.ts'
import { callUnderLocks, untilWaiting } from '../../../support/stack/under-locks.ts'
import { sendSql } from '../../../support/db/send-sql.ts'
import { tenantOf } from '../../../../db/kernel/operation.ts'

const MINT = '/v1/account/scoped-keys'

describe('a key that is made while the rights to make it end', () => {
  const database = useDatabase()
  const api = useApi({ stores: () => ({ database, temporal: NO_TEMPORAL }) })
  let tenant: ApiTenant
  beforeEach(async () => {
    tenant = await givenApiTenant(api)
    await givenPlan(database.db, tenant.id, 'teams')
  })

  /** Does the work in a transaction, makes the call before the commit, and answers the call when both are through. */
  const callBeforeCommit = async (
    hold: (tx: Transaction) => Promise<unknown>,
    call: () => Promise<Answer>,
  ): Promise<Answer> => await callUnderLocks({ db: database.db, tenantId: tenant.id }, { hold, call })

  /** Ids of the keys that open the tenant. */
  const liveKeys = async (): Promise<readonly string[]> => {
    const rows = await sendSql<{ id: string }>(
      database.db,
      'select id from api_keys where tenant_id = $1 and revoked_at is null order by id',
      [tenant.id],
    )
    return rows.map(({ id }) => id)
  }

  it('does not outlive a recovery by mail', async () => {
    const op = setUpOperation(database.db, tenant.id)
    const { email } = await findOwner(op)
    const minted = await mintKey(database.db.hashSlots, 'ks')
    const token = { purpose: 'recover', email, tenantId: tenant.id, payload: {} } as const
    let recoveredKey = ''
    const answer = await callBeforeCommit(
      async (tx) => {
        recoveredKey = (await recoverTenant(tx, op, { token, minted })).keyId
      },
      async () => await api.call('POST', MINT, { key: tenant.key, body: { scopes: ['*'] } }),
    )
    expect([answer.status, answer.body.code]).to.deep.equal([401, 'invalid_credential'])
    expect(await liveKeys()).to.deep.equal([recoveredKey])
  })

  it('does not outlive the role of its creator', async () => {
    const op = setUpOperation(database.db, tenant.id)
    const admin = await givenMember(op, { role: 'admin' })
    const { headers } = await givenSession(database.db, admin)
    const before = await liveKeys()
    const answer = await callBeforeCommit(
      async (tx) => await setRole(tx, op, { memberId: admin.id, role: 'viewer' }),
      async () => await api.call('POST', MINT, { headers, body: { scopes: ['team:*'] } }),
    )
    expect([answer.status, answer.body.code]).to.deep.equal([403, 'insufficient_scope'])
    expect(await liveKeys()).to.deep.equal(before)
  })

  it('does not outlive the membership of its creator', async () => {
    const op = setUpOperation(database.db, tenant.id)
    const admin = await givenMember(op, { role: 'admin' })
    const { headers } = await givenSession(database.db, admin)
    const before = await liveKeys()
    const answer = await callBeforeCommit(
      async (tx) => await deactivateMember(tx, op, admin.id),
      async () => await api.call('POST', MINT, { headers, body: { scopes: ['team:*'] } }),
    )
    expect([answer.status, answer.body.code]).to.deep.equal([401, 'session_expired'])
    expect(await liveKeys()).to.deep.equal(before)
  })

  it('leaves an owner who hands the organisation over no primary key', async () => {
    const op = setUpOperation(database.db, tenant.id)
    const owner = await findOwner(op)
    const answer = await callBeforeCommit(
      async (tx) => await setRole(tx, op, { memberId: owner.id, role: 'admin' }),
      async () => await api.call('POST', '/v1/account/rotate-key', { key: tenant.key }),
    )
    expect([answer.status, answer.body.code]).to.deep.equal([401, 'invalid_credential'])
    expect(await liveKeys()).to.deep.equal([])
  })

  it('is no token of an identity provider either', async () => {
    await givenPlan(database.db, tenant.id, 'business')
    const op = setUpOperation(database.db, tenant.id)
    const admin = await givenMember(op, { role: 'admin' })
    const { headers } = await givenSession(database.db, admin)
    const before = await liveKeys()
    const answer = await callBeforeCommit(
      async (tx) => await setRole(tx, op, { memberId: admin.id, role: 'member' }),
      async () => await api.call('POST', '/v1/account/sso/scim-token', { headers }),
    )
    expect([answer.status, answer.body.code]).to.deep.equal([403, 'insufficient_scope'])
    expect(await liveKeys()).to.deep.equal(before)
  })

  it('is there before a revocation of the key that asked for it is answered, or never', async () => {
    const minter = await api.call('POST', MINT, { key: tenant.key, body: { scopes: ['account:keys:write', 'run'] } })
    const owner = await findOwner(setUpOperation(database.db, tenant.id))
    let minting: Promise<Answer> | undefined
    let revoking: Promise<readonly string[]> | undefined
    await tenantOf(database.db, tenant.id).write(async (tx) => {
      // A new key names its holder, so it waits here, after the look at whether its maker is still good.
      await tx.query('select 1 from members where id = $1 for update', [owner.id])
      minting = api.call('POST', MINT, { key: minter.body.api_key, body: { scopes: ['run'] } })
      await untilWaiting(database.db, minting)
      const revoked = api.call('DELETE', `${MINT}/${minter.body.id}`, { key: tenant.key })
      revoking = revoked.then(async ({ status, text }) => {
        expect(status, text).to.equal(200)
        return await liveKeys()
      })
      await untilWaiting(database.db, revoking, 2)
    })
    const afterRevocation = await revoking
    await minting
    expect(await liveKeys()).to.deep.equal(afterRevocation)
  })
})

describe('a key that is replaced twice at once', () => {
  const api = useApi()

  it('is replaced once: the second call does not end the key that the first one was given', async () => {
    const tenant = await givenApiTenant(api)
    const owner = await findOwner(setUpOperation(api.server.services.db, tenant.id))
    const path = `/v1/account/keys/${tenant.key.slice(0, 15)}`
    const browsers = [
      await givenSession(api.server.services.db, owner),
      await givenSession(api.server.services.db, owner),
    ]
    const answers = await Promise.all(browsers.map(async ({ headers }) => await api.call('DELETE', path, { headers })))
    const seen = answers.map(({ status, body }) => `${status} ${body.code ?? 'ok'}`)
    expect(seen.toSorted()).to.deep.equal(['200 ok', '404 not_found'])
    const [given] = answers.filter(({ status }) => status === 200)
    expect((await api.call('GET', '/v1/account', { key: given?.body.new_api_key })).status).to.equal(200)
  })
})
