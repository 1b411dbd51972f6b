import { givenApiTenant, type ApiTenant } from '../../../test/support/api.ts'
import { startOpenIdProvider, type OpenIdProvider } from '../../../test/support/identity/openid-provider.ts'
import { SamlIdp } from '../../../test/support/identity/saml-idp.ts'
import {
  configureSaml,
  cookieOf,
  departToSaml,
  postResponse,
  signInBySaml,
} from '../../../test/support/identity/sso.ts'
import { givenPlan } from '../../../test/support/people/given-members.ts'
import { behind, type Behind } from '../../harness/behind.ts'
import { ROOM } from '../../harness/service.ts'
import { atLeast, atMost, type Attack } from '../attack.ts'

/** Organisations of each kind: named before or after its owner, switched on or off. */
const ROUNDS = 4
const CLIENT = { clientId: 'svc', clientSecret: 'a-secret-of-the-client', redirectUris: ['http://127.0.0.1/*'] }

/** Sums over all organisations. */
interface Tally {
  attempts: number
  refusedOwners: number
  failedSignIns: number
  forgedSignIns: number
  redirectedElsewhere: number
}

/**
 * Takes the ids of other organisations' identity providers, before and after their owners, switched on and off, and
 * signs answers in their names. The owners are configured and sign in, and the forged answers open nothing.
 */
export const identityProviders: Attack = {
  name: 'identity-providers',
  limits: ROOM,
  run: async (service) =>
    await behind(service, async (api) => {
      const person = { sub: 'p-1', email: 'grace@example.test', email_verified: true }
      const provider = await startOpenIdProvider(CLIENT, person)
      const tally = { attempts: 0, refusedOwners: 0, failedSignIns: 0, forgedSignIns: 0, redirectedElsewhere: 0 }
      try {
        for (let round = 0; round < ROUNDS; round++) {
          for (const enabled of [false, true]) {
            for (const isFirst of [true, false]) {
              await takeSaml(api, { enabled, isFirst, tally })
              await takeOpenId(api, { enabled, isFirst, tally, provider })
            }
          }
        }
      } finally {
        await provider.close()
      }
      return [
        atLeast('ids of identity providers taken', tally.attempts, 30),
        atMost('owners refused for it', tally.refusedOwners),
        atMost('owners who could not sign in', tally.failedSignIns),
        atMost('answers of the other organisation that opened a session', tally.forgedSignIns),
        atMost('owners’ sign-ins that lead to the other organisation', tally.redirectedElsewhere),
      ]
    }),
}

async function givenBusiness(api: Behind): Promise<ApiTenant> {
  const tenant = await givenApiTenant(api)
  await givenPlan(api.server.services.db, tenant.id, 'business')
  return tenant
}

async function configure(api: Behind, { key }: ApiTenant, body: Readonly<Record<string, unknown>>): Promise<number> {
  return (await api.call('POST', '/v1/account/sso/configure', { key, body })).status
}

async function takeSaml(
  api: Behind,
  { enabled, isFirst, tally }: { readonly enabled: boolean; readonly isFirst: boolean; readonly tally: Tally },
): Promise<void> {
  const [rightful, squatter] = [await givenBusiness(api), await givenBusiness(api)]
  const [idp, own] = [new SamlIdp(), new SamlIdp()]
  const squat = async () =>
    await configure(api, squatter, {
      idp_entity_id: idp.entityId,
      idp_cert_pem: own.keys.certificatePem,
      sso_url: own.ssoUrl,
      enabled,
    })
  tally.attempts++
  if (isFirst) await squat()
  const isConfigured = await configureSaml({ api }, rightful, idp).then(
    () => true,
    () => false,
  )
  if (!isConfigured) tally.refusedOwners++
  if (!isFirst) await squat()
  const signedIn = await signInBySaml({ api }, rightful, idp)
  const cookie = cookieOf(signedIn, 'svc_session')
  const { body } = await api.call('GET', '/v1/whoami', { headers: { cookie, 'sec-fetch-site': 'same-origin' } })
  if (body.tenant_id !== rightful.id) tally.failedSignIns++
  const { request, cookie: browser } = await departToSaml({ api }, rightful, idp)
  const forged = own.answer(request, { issuer: idp.entityId, responseIssuer: idp.entityId })
  const answer = await postResponse({ api }, forged, { cookie: browser })
  if (cookieOf(answer, 'svc_session') !== '') tally.forgedSignIns++
}

async function takeOpenId(
  api: Behind,
  {
    enabled,
    isFirst,
    tally,
    provider,
  }: { readonly enabled: boolean; readonly isFirst: boolean; readonly tally: Tally; readonly provider: OpenIdProvider },
): Promise<void> {
  const [rightful, squatter] = [await givenBusiness(api), await givenBusiness(api)]
  const settings = {
    provider: 'oidc-generic',
    oidc_issuer: provider.issuer,
    oidc_client_id: CLIENT.clientId,
    oidc_client_secret: CLIENT.clientSecret,
  }
  tally.attempts++
  if (isFirst) await configure(api, squatter, { ...settings, enabled })
  if ((await configure(api, rightful, settings)) !== 200) tally.refusedOwners++
  if (!isFirst) await configure(api, squatter, { ...settings, enabled })
  const started = await api.call('GET', `/v1/sso/${rightful.id}/start`)
  const redirect = new URL(started.headers.get('location') ?? '', 'http://none').searchParams.get('redirect_uri') ?? ''
  if (!redirect.includes(rightful.id) || redirect.includes(squatter.id)) tally.redirectedElsewhere++
}
