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
import { EgressError } from '../../egress/egress-error.ts'
import { DomainError, invalidField } from '../../errors.ts'
import { ANSWER_S, askProvider } from '../oauth/requests.ts'
import { createGuardedFetch } from './guarded.ts'

/** A tenant's OpenID provider, and how the service is known there. */
export interface OidcProvider {
  readonly issuer: string
  readonly clientId: string
  /** Null for a public client, which has PKCE alone. */
  readonly clientSecret: string | null
}

/** What ties an answer to the question; kept here while the browser is away. */
export const OidcChecks = z.object({ codeVerifier: z.string(), nonce: z.string() })
export type OidcChecks = z.infer<typeof OidcChecks>

/** Whom a verified ID token names. */
export interface OidcClaims {
  readonly subject: string
  /** Lower-case; null unless the provider says that it verified the address. */
  readonly email: string | null
  readonly displayName: string | null
  /** Null when the token holds no claim of that name. */
  readonly groups: readonly string[] | null
}

/** Whether the provider may lie in a private network. */
interface EgressChoice {
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
const ADDRESS = /^[^\s@<>"]+@[^\s@<>"]+\.[^\s@<>"]+$/

/**
 * Asks a provider once whether it is one, when it is configured rather than when the first member stands before it.
 * Throws `invalid_identity_config` naming `oidc_issuer`, and `identity_provider_failed`.
 */
export async function checkOidcProvider(provider: OidcProvider, choice: EgressChoice): Promise<void> {
  try {
    await discover(provider, choice)
  } catch (error) {
    const egress = egressErrorIn(error)
    if (egress?.fault === 'unsupported_url' || egress?.fault === 'refused_address') {
      throw invalidField('oidc_issuer', egress.message, 'invalid_identity_config', error)
    }
    throw error
  }
}

/** Where a browser is sent to sign in; code flow with PKCE and nonce. Throws `identity_provider_failed`. */
export async function startOidcLogin(
  provider: OidcProvider,
  redirectUri: string,
  choice: EgressChoice,
): Promise<{ readonly url: string; readonly state: string; readonly checks: OidcChecks }> {
  const config = await discover(provider, choice)
  const codeVerifier = randomPKCECodeVerifier()
  const state = randomState()
  const nonce = randomNonce()
  const url = buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: 'openid email profile',
    code_challenge: await calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
    state,
    nonce,
  })
  return { url: url.href, state, checks: { codeVerifier, nonce } }
}

/**
 * Exchanges the code that a browser brought back and verifies the ID token: signature, issuer, audience, nonce, times.
 * `callbackUrl` is the address that was called, with its query. Throws `oidc_response_refused` and
 * `identity_provider_failed`.
 */
export async function finishOidcLogin(
  provider: OidcProvider,
  input: { readonly callbackUrl: URL; readonly state: string; readonly checks: OidcChecks },
  choice: EgressChoice,
): Promise<OidcClaims> {
  const config = await discover(provider, choice)
  const tokens = await askProvider(
    'the identity provider',
    async () =>
      await authorizationCodeGrant(config, input.callbackUrl, {
        expectedState: input.state,
        pkceCodeVerifier: input.checks.codeVerifier,
        expectedNonce: input.checks.nonce,
        idTokenExpected: true,
      }),
  )
  const claims = Claims.safeParse(tokens.claims())
  if (!claims.success) {
    throw new DomainError('oidc_response_refused', 'the ID token lacks what it should say', { cause: claims.error })
  }
  const { sub, email, email_verified: isVerified, name, groups } = claims.data
  const isTrusted = (isVerified === true || isVerified === 'true') && email !== undefined && ADDRESS.test(email)
  return {
    subject: sub,
    email: isTrusted ? email.toLowerCase() : null,
    displayName: name?.slice(0, MAX_NAME_CHARS) ?? null,
    groups: groups ?? null,
  }
}

async function discover(
  { issuer, clientId, clientSecret }: OidcProvider,
  choice: EgressChoice,
): Promise<Configuration> {
  return await askProvider('the identity provider', async () => {
    const config = await discovery(
      new URL(issuer),
      clientId,
      clientSecret ?? undefined,
      clientSecret === null ? None() : undefined,
      {
        [customFetch]: createGuardedFetch(choice),
        timeout: ANSWER_S,
        ...(choice.allowsPrivate && issuer.startsWith('http:') && { execute: [allowInsecureRequests] }),
      },
    )
    // The signature of the ID token counts too, and not only the connection that it came over.
    enableNonRepudiationChecks(config)
    return config
  })
}

function egressErrorIn(error: unknown): EgressError | undefined {
  if (error instanceof EgressError) return error
  return error instanceof Error && error.cause !== undefined ? egressErrorIn(error.cause) : undefined
}
