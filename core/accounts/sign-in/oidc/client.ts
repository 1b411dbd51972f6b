import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  None,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  type Configuration,
} from 'openid-client'
import { z } from 'zod'
import { EgressError } from '../../../kernel/egress/egress-error.ts'
import { invalidField } from '../../../kernel/errors.ts'
import { ACCOUNTS_ERRORS } from '../../errors.ts'
import { readAddress } from '../../address.ts'
import { ANSWER_S, askProvider } from '../oauth/requests.ts'
import { createGuardedFetch } from './guarded.ts'

/** An OpenID provider, and how the service is known there. */
export interface OidcProvider {
  readonly issuer: string
  readonly clientId: string
  /** Null for a public client, which has PKCE alone. */
  readonly clientSecret: string | null
}

/** Values that bind a provider's answer to the request; kept here until the browser returns. */
export const OidcChecks = z.object({ state: z.string(), codeVerifier: z.string(), nonce: z.string() })
export type OidcChecks = z.infer<typeof OidcChecks>

/** Identity in a verified ID token. */
export interface OidcClaims {
  readonly subject: string
  /** Lower-case; null unless the provider states that it verified the address. */
  readonly email: string | null
  readonly displayName: string | null
  /** Null when the token holds no claim of that name. */
  readonly groups: readonly string[] | null
}

/**
 * Sign-in with OpenID providers: code flow with PKCE and nonce. A provider's metadata is cached across sign-ins; its
 * keys are fetched again at least every five minutes, and when a token names an unknown key.
 */
export interface OidcClient {
  /**
   * Checks that the address is an OpenID provider, at configuration time rather than at the first sign-in. Throws
   * `invalid_identity_config` naming `oidc_issuer`, and `identity_provider_failed`.
   */
  check(provider: OidcProvider): Promise<void>
  /** Returns the address to send the browser to. Throws `identity_provider_failed`. */
  begin(provider: OidcProvider, redirectUri: string): Promise<{ readonly url: string; readonly checks: OidcChecks }>
  /**
   * Exchanges the code that a browser brought back and verifies the ID token: signature, issuer, audience, nonce, times.
   * `callbackUrl` is the address that was called, with its query. Throws `oidc_response_refused` and
   * `identity_provider_failed`.
   */
  finish(provider: OidcProvider, callbackUrl: URL, checks: OidcChecks): Promise<OidcClaims>
}

/** `name` is the provider's name in messages; `allowsPrivate` permits private networks and plain http. */
export interface OidcClientOptions {
  readonly name: string
  readonly allowsPrivate: boolean
}

/** The claims that are looked at (OpenID Connect Core 1.0, 5.1). */
const Claims = z.object({
  sub: z.string().min(1).max(255),
  email: z.string().max(254).optional(),
  // Some providers write it as a text.
  email_verified: z.union([z.boolean(), z.string()]).optional(),
  name: z.string().optional(),
  groups: z.array(z.string()).max(1000).optional().catch(undefined),
})

const MAX_NAME_CHARS = 200
const DOCUMENT_MS = 15 * 60_000
const MOST_PROVIDERS = 500

/** Creates the client. Sends no request yet. */
export function createOidcClient({ name, allowsPrivate }: OidcClientOptions): OidcClient {
  const known = new LRUCache<string, Promise<Configuration>>({ max: MOST_PROVIDERS, ttl: DOCUMENT_MS })

  const ask = (provider: OidcProvider): Promise<Configuration> => {
    const key = keyOf(provider)
    const asked = askProvider(name, async () => await discover(provider, allowsPrivate))
    known.set(key, asked)
    // A failure is not cached, so that the next call tries again.
    asked.catch(() => {
      if (known.peek(key) === asked) known.delete(key)
    })
    return asked
  }
  const configure = async (provider: OidcProvider) => await (known.get(keyOf(provider)) ?? ask(provider))

  return {
    async check(provider) {
      try {
        await ask(provider)
      } catch (error) {
        const egress = egressErrorIn(error)
        if (egress?.fault === 'unsupported_url' || egress?.fault === 'refused_address') {
          throw invalidField('oidc_issuer', egress.message, ACCOUNTS_ERRORS.invalid_identity_config, error)
        }
        throw error
      }
    },
    async begin(provider, redirectUri) {
      const config = await configure(provider)
      const checks = { state: randomState(), codeVerifier: randomPKCECodeVerifier(), nonce: randomNonce() }
      const url = buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        code_challenge: await calculatePKCECodeChallenge(checks.codeVerifier),
        code_challenge_method: 'S256',
        state: checks.state,
        nonce: checks.nonce,
      })
      return { url: url.href, checks }
    },
    async finish(provider, callbackUrl, { state, codeVerifier, nonce }) {
      const config = await configure(provider)
      const tokens = await askProvider(
        name,
        async () =>
          await authorizationCodeGrant(config, callbackUrl, {
            expectedState: state,
            pkceCodeVerifier: codeVerifier,
            expectedNonce: nonce,
            idTokenExpected: true,
          }),
      )
      return readClaims(tokens.claims())
    },
  }
}

function readClaims(given: unknown): OidcClaims {
  const claims = Claims.safeParse(given)
  if (!claims.success) {
    throw ACCOUNTS_ERRORS.oidc_response_refused('the ID token lacks required claims', { cause: claims.error })
  }
  const { sub, email, email_verified: isVerified, name, groups } = claims.data
  return {
    subject: sub,
    email: isVerified === true || isVerified === 'true' ? readAddress(email) : null,
    displayName: name?.slice(0, MAX_NAME_CHARS) ?? null,
    groups: groups ?? null,
  }
}

/** Metadata is cached per client and secret. The secret itself must not be a map key. */
function keyOf({ issuer, clientId, clientSecret }: OidcProvider): string {
  return createHash('sha256')
    .update(JSON.stringify([issuer, clientId, clientSecret]))
    .digest('base64')
}

async function discover(
  { issuer, clientId, clientSecret }: OidcProvider,
  allowsPrivate: boolean,
): Promise<Configuration> {
  const config = await discovery(
    new URL(issuer),
    clientId,
    clientSecret ?? undefined,
    clientSecret === null ? None() : undefined,
    {
      [customFetch]: createGuardedFetch({ allowsPrivate }),
      timeout: ANSWER_S,
      ...(allowsPrivate && issuer.startsWith('http:') && { execute: [allowInsecureRequests] }),
    },
  )
  // Verify the ID token's signature too, not only the connection that delivered it.
  enableNonRepudiationChecks(config)
  return config
}

function egressErrorIn(error: unknown): EgressError | undefined {
  if (error instanceof EgressError) return error
  return error instanceof Error && error.cause !== undefined ? egressErrorIn(error.cause) : undefined
}
