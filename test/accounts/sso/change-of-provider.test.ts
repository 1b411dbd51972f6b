import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { lockSeats } from '../../../db/accounts/members/lock-seats.ts'
import { setRole } from '../../../db/accounts/members/set-role.ts'
import { endSsoSessions } from '../../../db/accounts/sso/end-sso-sessions.ts'
import type { Answer, ApiTenant } from '../../support/api.ts'
import { openBrowser } from '../../support/pages/browser.ts'
import { startOpenIdProvider, type OpenIdProvider } from '../../support/identity/openid-provider.ts'
import { SamlIdp } from '../../support/identity/saml-idp.ts'
import {
  configureSaml,
  cookieOf,
  departToSaml,
  givenBusiness,
  postResponse,
  signInBySaml,
  useSsoServer,
} from '../../support/identity/sso.ts'
import { givenMember, setUpOperation } from '../../support/people/given-members.ts'
import { callUnderLocks } from '../../support/stack/under-locks.ts'

const HOST = 'service.test'
const CLIENT = { clientId: 'svc', clientSecret: 'secret of the client at the provider' }

/** Asks until a session has ended: processes are notified a moment later. */
async function untilEnded(whoIs: () => Promise<number>): Promise<void> {
  while ((await whoIs()) !== 401) await sleep(20)
}

describe('an identity provider that changes', () => {
  const server = useSsoServer({ settings: { publicUrl: `https://${HOST}` } })
  const { api, database } = server
  let provider: OpenIdProvider
  before(async () => {
    const redirectUris = [`https://${HOST}/v1/sso/*/callback`]
    const person = { sub: 'p-1', email: 'grace@example.test', email_verified: true }
    provider = await startOpenIdProvider({ ...CLIENT, redirectUris }, person)
  })
  after(async () => await provider.close())

  const configure = async (tenant: ApiTenant, body: Readonly<Record<string, unknown>>) => {
    const answer = await api.call('POST', '/v1/account/sso/configure', { key: tenant.key, body })
    expect(answer.status, answer.text).to.equal(200)
  }
  const speakOidc = async (tenant: ApiTenant) =>
    await configure(tenant, {
      provider: 'oidc-generic',
      oidc_issuer: provider.issuer,
      oidc_client_id: CLIENT.clientId,
      oidc_client_secret: CLIENT.clientSecret,
    })
  const leaveByOidc = async (tenant: ApiTenant) => {
    const start = await api.call('GET', `/v1/sso/${tenant.id}/start`)
    const back = await openBrowser().follow(start.headers.get('location') ?? '', HOST)
    return async () =>
      await api.call('GET', back.pathname + back.search, {
        headers: { cookie: cookieOf(start, 'svc_sso'), 'sec-fetch-site': 'cross-site' },
      })
  }
  const leaveBySaml = async (tenant: ApiTenant, idp: SamlIdp) => {
    const { request, cookie } = await departToSaml(server, tenant, idp)
    return async () => await postResponse(server, idp.answer(request), { cookie })
  }
  const givenSaml = async () => {
    const tenant = await givenBusiness(server)
    const idp = new SamlIdp()
    await configureSaml(server, tenant, idp)
    return { tenant, idp, op: setUpOperation(database.db, tenant.id) }
  }
  const expectSignedIn = (answer: Answer) => {
    expect(answer.status, answer.text).to.equal(302)
    return async () => {
      const headers = { cookie: cookieOf(answer, 'svc_session'), 'sec-fetch-site': 'same-origin' }
      return (await api.call('GET', '/v1/whoami', { headers })).status
    }
  }
  const expectRefused = (answer: Answer, status: number, code: string) => {
    expect([answer.status, answer.body.code], answer.text).to.deep.equal([status, code])
    expect(cookieOf(answer, 'svc_session')).to.equal('')
  }

  it('leaves no session and takes no answer of the protocol that was spoken before', async () => {
    const { tenant, idp } = await givenSaml()
    const ofSaml = expectSignedIn(await signInBySaml(server, tenant, idp))
    expect(await ofSaml()).to.equal(200)
    const backBySaml = await leaveBySaml(tenant, idp)
    await speakOidc(tenant)
    await untilEnded(ofSaml)
    expectRefused(await backBySaml(), 503, 'saml_not_configured')

    const ofOidc = expectSignedIn(await (await leaveByOidc(tenant))())
    expect(await ofOidc()).to.equal(200)
    const backByOidc = await leaveByOidc(tenant)
    await configure(tenant, { provider: 'saml-generic' })
    await untilEnded(ofOidc)
    expectRefused(await backByOidc(), 501, 'sso_not_configured')
    expectSignedIn(await signInBySaml(server, tenant, idp))
  })

  const changes: readonly { readonly what: string; readonly sql: string; readonly refusal: [number, string] }[] = [
    { what: 'is switched off', sql: 'is_enabled = false', refusal: [404, 'sso_tenant_not_resolved'] },
    {
      what: 'is another one',
      sql: `idp_entity_id = 'https://other.test/' || tenant_id`,
      refusal: [401, 'saml_response_refused'],
    },
    { what: 'has another certificate', sql: `idp_certs = '["another"]'`, refusal: [401, 'saml_response_refused'] },
  ]
  for (const { what, sql, refusal } of changes) {
    it(`opens no session for a person who comes back just before it ${what}`, async () => {
      const { tenant, idp } = await givenSaml()
      const back = await leaveBySaml(tenant, idp)
      const answer = await callUnderLocks(
        { db: database.db, tenantId: tenant.id },
        {
          hold: async (tx) => await tx.query(`update sso_configs set ${sql} where tenant_id = $1`, [tenant.id]),
          call: back,
        },
      )
      expectRefused(answer, ...refusal)
    })
  }

  it('opens no session for a person who comes back by OpenID Connect just before the client is another one', async () => {
    const tenant = await givenBusiness(server)
    await speakOidc(tenant)
    const back = await leaveByOidc(tenant)
    const answer = await callUnderLocks(
      { db: database.db, tenantId: tenant.id },
      {
        hold: async (tx) =>
          await tx.query(`update sso_configs set oidc_client_id = 'other' where tenant_id = $1`, [tenant.id]),
        call: back,
      },
    )
    expectRefused(answer, 401, 'oidc_response_refused')
  })

  it('adds no member just before SCIM is switched off', async () => {
    const { tenant } = await givenSaml()
    const minted = await api.call('POST', '/v1/account/sso/scim-token', { key: tenant.key })
    const user = { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: 'eve@example.test' }
    const answer = await callUnderLocks(
      { db: database.db, tenantId: tenant.id },
      {
        hold: async (tx) =>
          await tx.query('update sso_configs set is_scim_enabled = false where tenant_id = $1', [tenant.id]),
        call: async () =>
          await api.call('POST', '/scim/v2/Users', {
            raw: JSON.stringify(user),
            headers: { authorization: `Bearer ${minted.body.scim_token}`, 'content-type': 'application/scim+json' },
          }),
      },
    )
    expect(answer.status, answer.text).to.equal(403)
  })

  for (const isPinned of [true, false]) {
    const whom = isPinned ? 'whom it knows' : 'whom it finds by address'
    it(`opens no session of an owner for one ${whom} and who becomes one meanwhile`, async () => {
      const { tenant, idp, op } = await givenSaml()
      const heir = await givenMember(op, { role: 'admin', email: 'ada@example.test' })
      if (isPinned) expectSignedIn(await signInBySaml(server, tenant, idp))
      const back = await leaveBySaml(tenant, idp)
      const answer = await callUnderLocks(
        { db: database.db, tenantId: tenant.id },
        {
          hold: async (tx) => {
            await lockSeats(tx, tenant.id)
            await setRole(tx, op, { memberId: heir.id, role: 'owner' })
            await endSsoSessions(tx, op, { protocols: ['saml', 'oidc'], memberId: heir.id })
          },
          call: back,
        },
      )
      expectRefused(answer, 403, 'account_link_required')
    })
  }
})
