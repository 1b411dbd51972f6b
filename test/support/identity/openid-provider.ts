import { generateKeyPairSync } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider, { type KoaContextWithOIDC } from 'oidc-provider'

/** Whoever sits at the browser, as the provider knows them. */
export interface OpenIdPerson {
  readonly sub: string
  readonly email?: string
  readonly email_verified?: boolean
  readonly name?: string
  readonly [claim: string]: unknown
}

/** An OpenID provider of this machine that asks nobody anything: it lets the current person in. */
export interface OpenIdProvider {
  readonly issuer: string
  person: OpenIdPerson
  close(): Promise<void>
}

/** The service as the provider knows it. */
export interface OpenIdClient {
  readonly clientId: string
  readonly clientSecret: string
  readonly redirectUris: readonly string[]
}

/** Starts an OpenID provider on a free port. */
export async function startOpenIdProvider(client: OpenIdClient, person: OpenIdPerson): Promise<OpenIdProvider> {
  let handle: (request: IncomingMessage, response: ServerResponse) => void = (_request, response) => response.end()
  const server = createServer((request, response) => handle(request, response))
  const issuer = await listen(server)
  const state = { issuer, person }
  const known = new Map<string, OpenIdPerson>()
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: client.clientId,
        client_secret: client.clientSecret,
        redirect_uris: [...client.redirectUris],
        response_types: ['code'],
        grant_types: ['authorization_code'],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    // Claims of the scopes stand in the ID token itself, as at the large providers.
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    cookies: { keys: ['key of the test provider'] },
    features: { devInteractions: { enabled: false } },
    jwks: { keys: [generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })] },
    ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    interactions: { url: (_ctx: KoaContextWithOIDC, { uid }) => `/interaction/${uid}` },
    findAccount: (_ctx: KoaContextWithOIDC, id: string) => ({
      accountId: id,
      claims: async () => ({ ...known.get(id), sub: id }),
    }),
  })
  const answer = provider.callback()
  handle = (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return void answer(request, response)
    known.set(state.person.sub, state.person)
    letIn(provider, client, state.person, request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error))
    })
  }
  return Object.assign(state, {
    close: async () => {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  })
}

/** Answers the provider's questions: yes, it is this person, and yes, the service may know what it asks for. */
async function letIn(
  provider: Provider,
  client: OpenIdClient,
  person: OpenIdPerson,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { params } = await provider.interactionDetails(request, response)
  const grant = new provider.Grant({ accountId: person.sub, clientId: client.clientId })
  grant.addOIDCScope(typeof params['scope'] === 'string' ? params['scope'] : 'openid')
  const grantId = await grant.save()
  await provider.interactionFinished(request, response, { login: { accountId: person.sub }, consent: { grantId } })
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  const address: AddressInfo | string | null = server.address()
  if (address === null || typeof address === 'string') throw new Error('the provider listens on no port')
  return `http://127.0.0.1:${address.port}`
}
