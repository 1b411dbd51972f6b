import { expect } from 'chai'
import { mintKey } from '../../../db/accounts/keys/key-text.ts'
import { lockKeys } from '../../../db/accounts/keys/live-actor.ts'
import { lockSeats } from '../../../db/accounts/members/lock-seats.ts'
import { recoverTenant } from '../../../db/accounts/tenants/recover.ts'
import type { Transaction } from '../../../db/kernel/transaction.ts'
import { givenBusiness, useSsoServer } from '../../support/identity/sso.ts'
import { findOwner, givenMember, setUpOperation } from '../../support/people/given-members.ts'
import { callUnderLocks } from '../../support/stack/under-locks.ts'
import { sendSql } from '../../support/db/send-sql.ts'
import { tenantOf } from '../../../db/kernel/operation.ts'

type Lock = 'tenant' | 'sso' | 'seats' | 'keys'

describe('locks of an organisation', () => {
  const server = useSsoServer()
  const { api, database } = server
  const ORDER: readonly Lock[] = ['tenant', 'sso', 'seats', 'keys']

  const givenOrg = async () => {
    const tenant = await givenBusiness(server)
    const op = setUpOperation(database.db, tenant.id)
    const { key } = tenant
    const configured = await api.call('POST', '/v1/account/sso/configure', {
      key,
      body: { provider: 'oidc-generic', oidc_issuer: `http://127.0.0.1:9`, oidc_client_id: 'svc' },
    })
    expect(configured.body.code).to.equal('identity_provider_failed')
    await sendSql(
      database.db,
      `insert into sso_configs (tenant_id, provider, is_enabled, domains, idp_certs, default_role, is_jit, group_roles,
         is_scim_enabled, created_at, updated_at)
       values ($1, 'oidc-generic', true, '[]', '[]', 'member', true, '{"Staff":"admin"}', true, now(), now())`,
      [tenant.id],
    )
    const { scim_token: token } = (await api.call('POST', '/v1/account/sso/scim-token', { key })).body
    const member = await givenMember(op, { role: 'member' })
    const scim = async (method: string, path: string, body?: unknown) =>
      await api.call(method, `/scim/v2${path}`, {
        ...(body !== undefined && { raw: JSON.stringify(body) }),
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
      })
    const group = await scim('POST', '/Groups', {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
      displayName: 'Staff',
      members: [{ value: member.id }],
    })
    expect(group.status, group.text).to.equal(201)
    const made = await api.call('POST', '/v1/teams', { key, body: { name: 'Research' } })
    const teamId: string = made.body.team.id
    await sendSql(
      database.db,
      `insert into team_members (team_id, member_id, tenant_id, role, created_at) values ($1, $2, $3, 'member', now())`,
      [teamId, member.id, tenant.id],
    )
    return { tenant, op, member, scim, groupId: String(group.body.id), teamId }
  }
  type Org = Awaited<ReturnType<typeof givenOrg>>

  const take = async (tx: Transaction, { tenant }: Org, lock: Lock): Promise<void> => {
    if (lock === 'seats') return await lockSeats(tx, tenant.id)
    if (lock === 'keys') return await lockKeys(tx, tenant.id)
    const row = lock === 'tenant' ? 'tenants where id = $1' : 'sso_configs where tenant_id = $1'
    await tx.query(`select 1 from ${row} for no key update`, [tenant.id])
  }
  const isFree = async (tx: Transaction, { tenant }: Org, lock: Lock): Promise<boolean> => {
    if (lock === 'seats' || lock === 'keys') {
      const [row] = await sendSql<{ is_free: boolean }>(
        tx,
        'select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as is_free',
        [`${lock} ${tenant.id}`],
      )
      return row?.is_free === true
    }
    const row = lock === 'tenant' ? 'tenants where id = $1' : 'sso_configs where tenant_id = $1'
    return (await tx.query(`select 1 from ${row} for no key update skip locked`, [tenant.id])).length === 1
  }
  /** Runs the work while another transaction holds a lock: meanwhile it holds none that is taken after that one. */
  const expectInOrder = async (
    org: Org,
    held: Lock,
    work: () => Promise<{ readonly status: number; readonly text?: string }>,
  ): Promise<void> => {
    const later = ORDER.slice(ORDER.indexOf(held) + 1)
    const free: Lock[] = []
    const { status, text } = await callUnderLocks(
      { db: database.db, tenantId: org.tenant.id },
      {
        hold: async (tx) => await take(tx, org, held),
        call: work,
        look: async (tx) => {
          for (const lock of later) if (await isFree(tx, org, lock)) free.push(lock)
        },
      },
    )
    expect(free, `while ${held} is held`).to.deep.equal(later)
    expect(status, text).to.be.within(200, 204)
  }

  const works: Readonly<Record<string, (org: Org) => Promise<{ readonly status: number; readonly text?: string }>>> = {
    'to remove a user by SCIM': async ({ scim, member }) => await scim('DELETE', `/Users/${member.id}`),
    'to take a user out of a group': async ({ scim, member, groupId }) =>
      await scim('PATCH', `/Groups/${groupId}`, {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
        Operations: [{ op: 'remove', path: `members[value eq "${member.id}"]` }],
      }),
    'to remove a group': async ({ scim, groupId }) => await scim('DELETE', `/Groups/${groupId}`),
    'to hand an organisation over': async ({ tenant, member }) =>
      await api.call('POST', `/v1/orgs/${tenant.id}/transfer-owner`, {
        key: tenant.key,
        body: { member_id: member.id },
      }),
    'to delete an account': async ({ tenant }) => {
      const [row] = await sendSql<{ name: string }>(database.db, 'select name from tenants where id = $1', [tenant.id])
      const body = { confirm: `DELETE ${row?.name}` }
      return await api.call('POST', '/v1/account/delete', { key: tenant.key, body })
    },
    'to recover an account': async ({ op }) => {
      const { email } = await findOwner(op)
      const minted = await mintKey(database.db.hashSlots, 'ks')
      const token = { purpose: 'recover', email, tenantId: op.tenantId, payload: {} } as const
      await tenantOf(database.db, op.tenantId).write(async (tx) => await recoverTenant(tx, op, { token, minted }))
      return { status: 200 }
    },
  }
  for (const [what, work] of Object.entries(works)) {
    it(`are taken in their order ${what}`, async () => {
      for (const held of ORDER) {
        const org = await givenOrg()
        await expectInOrder(org, held, async () => await work(org))
      }
    })
  }

  it('are taken before the row of a team, to remove a member from it', async () => {
    const org = await givenOrg()
    const { tenant, teamId, member } = org
    let free: readonly unknown[] = []
    const answer = await callUnderLocks(
      { db: database.db, tenantId: tenant.id },
      {
        hold: async (tx) => await take(tx, org, 'keys'),
        call: async () => await api.call('DELETE', `/v1/teams/${teamId}/members/${member.id}`, { key: tenant.key }),
        look: async (tx) => {
          free = await tx.query('select 1 from teams where id = $1 for no key update skip locked', [teamId])
        },
      },
    )
    expect(free).to.have.length(1)
    expect(answer.status, answer.text).to.equal(200)
  })
})
