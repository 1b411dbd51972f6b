import type { KeyObject } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider, { type KoaContextWithOIDC } from 'oidc-provider'
import { replaceIdToken, type IdToken } from './forged-id-token.ts'
import { rsaKeys } from './rsa-keys.ts'

/** The person at the browser, as the provider knows them. */
export interface OpenIdPerson {
  readonly sub: string
  readonly email?: string
  readonly email_verified?: boolean
  readonly name?: string
  readonly [claim: string]: unknown
}

/** An OpenID provider on this machine that signs the current person in without a question. */
export interface OpenIdProvider {
  readonly issuer: string
  person: OpenIdPerson
  /** Makes what leaves in place of its ID tokens; they leave as they are when absent. */
  forge: ((token: IdToken) => string) | undefined
  /** Paths that were asked for since it started, in their order. */
  readonly asked: readonly string[]
  /** Signs with another key from now on, and publishes that one only. */
  changeKeys(): void
  close(): Promise<void>
}

/** The service as the provider knows it. */
export interface OpenIdClient {
  readonly clientId: string
  readonly clientSecret: string
  /** A `*` stands for any one part of a path. */
  readonly redirectUris: readonly string[]
}

/** Starts an OpenID provider on a free port. */
export async function startOpenIdProvider(client: OpenIdClient, person: OpenIdPerson): Promise<OpenIdProvider> {
  let handle: (request: IncomingMessage, response: ServerResponse) => void = (_request, response) => response.end()
  const server = createServer((request, response) => handle(request, response))
  const issuer = await listen(server)
  const asked: string[] = []
  const state: Omit<OpenIdProvider, 'changeKeys' | 'close'> = { issuer, person, forge: undefined, asked }
  const known = new Map<string, OpenIdPerson>()
  const open = () => {
    const { privateKey } = rsaKeys()
    const provider = createProvider(issuer, client, { known, privateKey })
    const answer = provider.callback()
    handle = (request, response) => {
      asked.push(new URL(request.url ?? '/', issuer).pathname)
      if (request.url === '/token' && state.forge !== undefined) replaceIdToken(response, state.forge, privateKey)
      if (!request.url?.startsWith('/interaction/')) return void answer(request, response)
      known.set(state.person.sub, state.person)
      letIn(provider, client, state.person, request, response).catch((error: unknown) => {
        response.writeHead(500).end(String(error))
      })
    }
  }
  open()
  return Object.assign(state, {
    changeKeys: open,
    close: async () => {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  })
}

function createProvider(
  issuer: string,
  client: OpenIdClient,
  { known, privateKey }: { readonly known: ReadonlyMap<string, OpenIdPerson>; readonly privateKey: KeyObject },
): Provider {
  const patterns = client.redirectUris.map((uri) => new RegExp(`^${uri.split('*').map(literal).join('[^/]+')}$`))
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: client.clientId,
        client_secret: client.clientSecret,
        redirect_uris: client.redirectUris.map((uri) => uri.replaceAll('*', 'any')),
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
    jwks: { keys: [privateKey.export({ format: 'jwk' })] },
    ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    interactions: { url: (_ctx: KoaContextWithOIDC, { uid }) => `/interaction/${uid}` },
    findAccount: (_ctx: KoaContextWithOIDC, id: string) => ({
      accountId: id,
      claims: async () => ({ ...known.get(id), sub: id }),
    }),
  })
  provider.Client.prototype.redirectUriAllowed = (uri: string) => patterns.some((pattern) => pattern.test(uri))
  return provider
}

function literal(text: string): string {
  return text.replaceAll(/[.?+()[\]{}|^$\\]/g, String.raw`\$&`)
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
