import { createHmac, createPublicKey, generateKeyPairSync, type JsonWebKey } from 'node:crypto'
import { expect } from 'chai'
import type { Answer } from '../../support/api.ts'
import { openBrowser } from '../../support/pages/browser.ts'
import { signJwt, unsignedJwt, type IdToken, type JwtPart } from '../../support/identity/forged-id-token.ts'
import { startOpenIdProvider, type OpenIdProvider } from '../../support/identity/openid-provider.ts'
import { cookieOf, givenBusiness, useSsoServer } from '../../support/identity/sso.ts'

const HOST = 'service.test'
const CLIENT = { clientId: 'svc', clientSecret: 'secret of the client at the provider' }
const LONG_AGO = Math.floor(Date.now() / 1000) - 7200
const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey

type Forge = (token: IdToken) => string

/** The same token, signed by the provider itself, with claims of which some are others; undefined takes one away. */
const saying =
  (others: JwtPart): Forge =>
  ({ header, claims, sign }) =>
    sign(header, { ...claims, ...others })

/** A token whose signature was made with a text that the service knows, as if the algorithm were a symmetric one. */
function signedWithSecret({ header, claims }: IdToken, secret: string | Buffer): string {
  const signed = unsignedJwt({ ...header, alg: 'HS256' }, claims)
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
}

/** Sign-ins that must open no session; each by the fault of its ID token. */
const forgeriesFor = (publishedKey: () => string): Readonly<Record<string, Forge>> => ({
  'is signed by another party': ({ header, claims }) => signJwt(stranger, header, claims),
  'is not signed': ({ header, claims }) => `${unsignedJwt({ ...header, alg: 'none' }, claims)}.`,
  'is signed with the secret of the client': (token) => signedWithSecret(token, CLIENT.clientSecret),
  'is signed with the public key as a secret': (token) => signedWithSecret(token, publishedKey()),
  'was changed after it was signed': ({ header, claims, sign }) => {
    const [, , signature = ''] = sign(header, claims).split('.')
    return `${unsignedJwt(header, { ...claims, sub: 'another person' })}.${signature}`
  },
  'is for another client': saying({ aud: 'another client' }),
  'is of another issuer': saying({ iss: 'https://other.example.test' }),
  'answers another sign-in': saying({ nonce: 'of another sign-in' }),
  'answers none': saying({ nonce: undefined }),
  'has expired': saying({ iat: LONG_AGO, exp: LONG_AGO + 300 }),
  'never expires': saying({ exp: undefined }),
  'names no person': saying({ sub: undefined }),
  'is none at all': () => 'the words of the provider',
})

describe('the ID token of a sign-in', () => {
  let provider: OpenIdProvider
  let publishedKey = ''
  before(async () => {
    const redirectUris = [`https://${HOST}/v1/oauth/google/callback`, `https://${HOST}/v1/sso/*/callback`]
    const person = { sub: 'person-1', email: 'ada@example.test', email_verified: true, name: 'Ada Lovelace' }
    provider = await startOpenIdProvider({ ...CLIENT, redirectUris }, person)
    const { keys } = (await (await fetch(`${provider.issuer}/jwks`)).json()) as { keys: [JsonWebKey] }
    publishedKey = createPublicKey({ key: keys[0], format: 'jwk' }).export({ format: 'pem', type: 'spki' }).toString()
  })
  afterEach(() => {
    provider.forge = undefined
  })
  after(async () => await provider.close())
  const server = useSsoServer({
    settings: {
      publicUrl: `https://${HOST}`,
      // Read when the server starts: only then the provider listens.
      get oauth() {
        return { google: { ...CLIENT, issuer: provider.issuer } }
      },
    },
  })

  /** Leaves for the provider and comes back; the ID token that the service fetches is a forged one. */
  const signIn = async (way: { start: string; cookie: string }, forge?: Forge): Promise<Answer> => {
    const start = await server.api.call('GET', way.start)
    expect(start.status, start.text).to.equal(302)
    const back = await openBrowser().follow(start.headers.get('location') ?? '', HOST)
    provider.forge = forge
    return await server.api.call('GET', back.pathname + back.search, {
      headers: { cookie: cookieOf(start, way.cookie), accept: 'application/json' },
    })
  }

  const organisation = { start: '', cookie: 'svc_sso' }
  before(async () => {
    const tenant = await givenBusiness(server)
    const configured = await server.api.call('POST', '/v1/account/sso/configure', {
      key: tenant.key,
      body: {
        provider: 'oidc-generic',
        oidc_issuer: provider.issuer,
        oidc_client_id: CLIENT.clientId,
        oidc_client_secret: CLIENT.clientSecret,
      },
    })
    expect(configured.status, configured.text).to.equal(200)
    organisation.start = `/v1/sso/${tenant.id}/start`
  })

  const ways = {
    'with Google': { start: '/v1/oauth/google/start', cookie: 'svc_login' },
    "with an organisation's provider": organisation,
  }
  for (const [name, way] of Object.entries(ways)) {
    describe(name, () => {
      it('is taken when it is genuine, so that the refusals below mean something', async () => {
        for (const forge of [undefined, saying({})]) {
          const answer = await signIn(way, forge)
          expect(answer.status, answer.text).to.equal(302)
          expect(cookieOf(answer, 'svc_session')).to.not.equal('')
        }
      })

      for (const [what, forge] of Object.entries(forgeriesFor(() => publishedKey))) {
        it(`is refused when it ${what}`, async () => {
          const answer = await signIn(way, forge)
          expect([answer.status, answer.body.code], answer.text).to.deep.equal([401, 'oidc_response_refused'])
          expect(cookieOf(answer, 'svc_session')).to.equal('')
          expect(answer.text + JSON.stringify([...answer.headers])).to.not.contain('the words of')
        })
      }
    })
  }
})
