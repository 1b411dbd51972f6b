import { expect } from 'chai'
import { startOpenIdProvider, type OpenIdProvider } from '../../support/identity/openid-provider.ts'
import { SamlIdp } from '../../support/identity/saml-idp.ts'
import {
  configureSaml,
  departToSaml,
  givenBusiness,
  postResponse,
  signInBySaml,
  useSsoServer,
} from '../../support/identity/sso.ts'
import type { ApiTenant } from '../../support/api.ts'

const CLIENT = { clientId: 'svc', clientSecret: 'a-secret-of-the-client', redirectUris: ['http://127.0.0.1/*'] }

describe("another organisation's identity provider", () => {
  const server = useSsoServer()
  const { api } = server
  let provider: OpenIdProvider
  before(async () => {
    provider = await startOpenIdProvider(CLIENT, { sub: 'p-1', email: 'grace@example.test', email_verified: true })
  })
  after(async () => await provider.close())

  const configure = async (tenant: ApiTenant, body: Readonly<Record<string, unknown>>) =>
    await api.call('POST', '/v1/account/sso/configure', { key: tenant.key, body })

  for (const enabled of [false, true]) {
    for (const isFirst of [true, false]) {
      const when = `${isFirst ? 'before' : 'after'} its owner${enabled ? '' : ', switched off'}`

      it(`is neither taken nor kept from it by its SAML id, named ${when}`, async () => {
        const [rightful, squatter] = [await givenBusiness(server), await givenBusiness(server)]
        const idp = new SamlIdp()
        const own = new SamlIdp()
        const squat = async () => {
          const { certificatePem } = own.keys
          const answer = await configure(squatter, {
            idp_entity_id: idp.entityId,
            idp_cert_pem: certificatePem,
            sso_url: own.ssoUrl,
            enabled,
          })
          expect(answer.status, answer.text).to.equal(200)
        }
        if (isFirst) await squat()
        await configureSaml(server, rightful, idp)
        if (!isFirst) await squat()

        const signedIn = await signInBySaml(server, rightful, idp)
        expect(signedIn.status, signedIn.text).to.equal(302)
        const cookie = (signedIn.headers.getSetCookie().find((line) => line.startsWith('svc_session=')) ?? '').split(
          ';',
        )[0]
        const who = await api.call('GET', '/v1/whoami', {
          headers: { cookie: cookie ?? '', 'sec-fetch-site': 'same-origin' },
        })
        expect(who.body.tenant_id).to.equal(rightful.id)

        // What the other's key signs in the name of the same id opens nothing here.
        const { request, cookie: browser } = await departToSaml(server, rightful, idp)
        const forged = own.answer(request, { issuer: idp.entityId, responseIssuer: idp.entityId })
        const refused = await postResponse(server, forged, { cookie: browser, headers: { accept: 'application/json' } })
        expect(refused.headers.get('location') ?? refused.text).to.contain('saml_response_refused')
        expect(refused.headers.getSetCookie().join()).not.to.contain('svc_session=')
      })

      it(`is neither taken nor kept from it by its OpenID issuer and client, named ${when}`, async () => {
        const [rightful, squatter] = [await givenBusiness(server), await givenBusiness(server)]
        const settings = {
          provider: 'oidc-generic',
          oidc_issuer: provider.issuer,
          oidc_client_id: CLIENT.clientId,
          oidc_client_secret: CLIENT.clientSecret,
        }
        const owner = async () => expect((await configure(rightful, settings)).status).to.equal(200)
        if (!isFirst) await owner()
        expect((await configure(squatter, { ...settings, enabled })).status).to.equal(200)
        if (isFirst) await owner()
        // Answers come back to an address of the organisation's own, so the provider sends none to the other.
        const started = await api.call('GET', `/v1/sso/${rightful.id}/start`)
        const redirect = new URL(started.headers.get('location') ?? '').searchParams.get('redirect_uri')
        expect(redirect).to.contain(rightful.id).and.not.contain(squatter.id)
      })
    }
  }
})
