import { expect } from 'chai'
import { insertKey } from '../../../../db/accounts/keys/insert-key.ts'
import { mintKey } from '../../../../db/accounts/keys/key-text.ts'
import { MemberEntity } from '../../../../db/accounts/members/member.ts'
import type { Answer, ApiTenant } from '../../../support/api.ts'
import { expectAudited } from '../../../support/db/audit.ts'
import { SamlIdp } from '../../../support/identity/saml-idp.ts'
import { configureSaml, givenBusiness, signInBySaml, useSsoServer } from '../../../support/identity/sso.ts'
import { findOwner, givenMember, givenSession, setUpOperation } from '../../../support/people/given-members.ts'
import { sendSql } from '../../../support/db/send-sql.ts'
import { tenantOf } from '../../../../db/kernel/operation.ts'

/** Time in which processes are notified. */
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const USER = 'urn:ietf:params:scim:schemas:core:2.0:User'

/** A member who may do much, and what takes it away. */
interface Demotion {
  readonly memberId: string
  readonly lower: () => Promise<Answer>
}

/** Calls that only the higher role may make, with their scope. */
const OF_ADMINS = { scope: 'account:keys:read', path: '/v1/account/keys' } as const
const OF_OWNERS = { scope: 'account:export', path: '/v1/account/export' } as const

describe('a role that is lowered', () => {
  const server = useSsoServer()
  const { api, database } = server
  const op = (tenant: ApiTenant) => setUpOperation(database.db, tenant.id)
  const givenKeyOf = async (tenant: ApiTenant, memberId: string, scopes: readonly string[]): Promise<string> => {
    const minted = await mintKey(database.db.hashSlots, 'ks')
    await tenantOf(database.db, tenant.id).write(async (tx) => {
      insertKey(tx, { minted, kind: 'scoped', tenantId: tenant.id, memberId, scopes, now: new Date() })
    })
    return minted.apiKey
  }
  const memberOf = async (tenant: ApiTenant, email: string) => {
    const rows = await sendSql<{ id: string; role: string }>(
      database.db,
      'select id, role from members where tenant_id = $1 and email = $2',
      [tenant.id, email],
    )
    return rows[0] ?? expect.fail(`no member ${email}`)
  }
  /** A directory that makes a person an operator, which is an admin here. */
  const givenDirectory = async (tenant: ApiTenant) => {
    await configureSaml(server, tenant, new SamlIdp(), { group_roles: { Operators: 'admin' }, default_role: 'member' })
    const minted = await api.call('POST', '/v1/account/sso/scim-token', { key: tenant.key })
    const send = async (method: string, path: string, body?: object) => {
      const answer = await api.call(method, `/scim/v2${path}`, {
        ...(body !== undefined && { raw: JSON.stringify(body) }),
        headers: { authorization: `Bearer ${minted.body.scim_token}`, 'content-type': 'application/scim+json' },
      })
      expect(answer.status, answer.text).to.be.lessThan(300)
      return answer
    }
    const user = await send('POST', '/Users', { schemas: [USER], userName: 'ada@example.test' })
    const memberId = String(user.body.id)
    const group = await send('POST', '/Groups', {
      schemas: [GROUP],
      displayName: 'Operators',
      members: [{ value: memberId }],
    })
    return { memberId, path: `/Groups/${group.body.id}`, send }
  }

  /** A person who signed in as an operator, and signs in again with these groups, or without the attribute. */
  const givenSignedIn = async (tenant: ApiTenant, then: readonly string[] | null): Promise<Demotion> => {
    const idp = new SamlIdp()
    await configureSaml(server, tenant, idp, { group_roles: { Operators: 'admin' }, default_role: 'member' })
    const signIn = async (groups: readonly string[] | null) =>
      await signInBySaml(server, tenant, idp, { attributes: groups === null ? {} : { groups } })
    expect((await signIn(['Operators'])).status).to.equal(302)
    const { id: memberId } = await memberOf(tenant, 'ada@example.test')
    return { memberId, lower: async () => await signIn(then) }
  }

  const ways: Readonly<Record<string, (tenant: ApiTenant) => Promise<Demotion>>> = {
    'by an administrator': async (tenant) => {
      const { id: memberId } = await givenMember(op(tenant), { role: 'admin' })
      const path = `/v1/orgs/${tenant.id}/members/${memberId}`
      return {
        memberId,
        lower: async () => await api.call('PATCH', path, { key: tenant.key, body: { role: 'member' } }),
      }
    },
    'by a sign-in through the provider without the group': async (tenant) => await givenSignedIn(tenant, ['Staff']),
    'by a sign-in through the provider that names no group': async (tenant) => await givenSignedIn(tenant, null),
    'by a directory that takes the person out of the group': async (tenant) => {
      const { memberId, path, send } = await givenDirectory(tenant)
      const Operations = [{ op: 'remove', path: `members[value eq "${memberId}"]` }]
      return { memberId, lower: async () => await send('PATCH', path, { schemas: [PATCH], Operations }) }
    },
    'by a directory that calls the group something else': async (tenant) => {
      const { memberId, path, send } = await givenDirectory(tenant)
      const Operations = [{ op: 'replace', path: 'displayName', value: 'Staff' }]
      return { memberId, lower: async () => await send('PATCH', path, { schemas: [PATCH], Operations }) }
    },
    'by a directory that removes the group': async (tenant) => {
      const { memberId, path, send } = await givenDirectory(tenant)
      return { memberId, lower: async () => await send('DELETE', path) }
    },
    'by handing the organisation over': async (tenant) => {
      const { id: memberId } = await findOwner(op(tenant))
      const heir = await givenMember(op(tenant), { role: 'member' })
      const body = { member_id: heir.id }
      const path = `/v1/orgs/${tenant.id}/transfer-owner`
      return { memberId, lower: async () => await api.call('POST', path, { key: tenant.key, body }) }
    },
  }
  for (const [way, prepare] of Object.entries(ways)) {
    it(`${way} takes its rights from keys and sessions that are there`, async () => {
      const tenant = await givenBusiness(server)
      const { memberId, lower } = await prepare(tenant)
      const { scope, path } = way.startsWith('by handing') ? OF_OWNERS : OF_ADMINS
      const ask = async (credential: object) => await api.call('GET', path, credential)
      const [wide, narrow] = [
        await givenKeyOf(tenant, memberId, [scope, 'run']),
        await givenKeyOf(tenant, memberId, ['run', 'account:read']),
      ]
      const signedIn = await api.call('POST', '/v1/signin', { body: { api_key: wide } })
      const ofKey = { headers: { cookie: signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '' } }
      const member = await tenantOf(database.db, tenant.id).write(
        async (tx) => await tx.em.findOneOrFail(MemberEntity, { id: memberId }),
      )
      const session = await givenSession(database.db, member)
      const own = { headers: session.headers }
      for (const credential of [{ key: wide }, ofKey, own]) expect((await ask(credential)).status).to.equal(200)

      const lowered = await lower()
      expect(lowered.status, lowered.text).to.be.lessThan(400)
      await expectAudited(op(tenant), 'member.role_changed', memberId)
      const statuses = async () =>
        await Promise.all([{ key: wide }, ofKey, own].map(async (each) => (await ask(each)).status))
      while ((await statuses()).includes(200)) await new Promise((resolve) => setTimeout(resolve, 20))
      expect(await statuses()).to.deep.equal([401, 401, 403])
      expect((await api.call('GET', '/v1/whoami', { key: narrow })).status).to.equal(200)
      expect((await api.call('GET', '/v1/whoami', own)).status).to.equal(200)
    })
  }
})
