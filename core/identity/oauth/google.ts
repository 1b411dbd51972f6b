import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  discovery,
  enableNonRepudiationChecks,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  type Configuration,
} from 'openid-client'
import { z } from 'zod'
import { DomainError } from '../../errors.ts'
import type { OAuthProvider } from './provider.ts'
import { ANSWER_S, askProvider } from './requests.ts'

/** How the service is known at Google. */
export interface GoogleSettings {
  readonly clientId: string
  readonly clientSecret: string
  /** Google's own, or another OpenID provider's in a test. */
  readonly issuer: string
}

/** The claims that are looked at (OpenID Connect Core 1.0, 5.1). */
const Claims = z.object({
  sub: z.string().min(1).max(255),
  email: z.string().max(254).optional(),
  email_verified: z.union([z.boolean(), z.string()]).optional(),
  name: z.string().optional(),
})

/** Sign-in with Google: OpenID Connect with code flow, PKCE and nonce. */
export function createGoogle(settings: GoogleSettings): OAuthProvider {
  const configure = onceItWorks(async () => await discover(settings))
  return {
    id: 'google',
    async begin(redirectUri) {
      const config = await configure()
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
      return { url: url.href, checks: { state, codeVerifier, nonce } }
    },
    async finish(callbackUrl, { state, codeVerifier, nonce }) {
      if (nonce === null) throw new Error('a sign-in with Google was begun without a nonce')
      const config = await configure()
      const tokens = await askProvider('Google', async () =>
        authorizationCodeGrant(config, callbackUrl, {
          expectedState: state,
          pkceCodeVerifier: codeVerifier,
          expectedNonce: nonce,
          idTokenExpected: true,
        }),
      )
      const claims = Claims.safeParse(tokens.claims())
      if (!claims.success) {
        throw new DomainError('oidc_response_refused', 'the ID token lacks what it should say', { cause: claims.error })
      }
      const { sub, email, email_verified: isVerified, name } = claims.data
      // Some providers write the claim as a text.
      const isTrusted = isVerified === true || isVerified === 'true'
      return {
        subject: sub,
        verifiedEmail: isTrusted && email !== undefined ? email : null,
        displayName: name ?? null,
      }
    },
  }
}

async function discover({ issuer, clientId, clientSecret }: GoogleSettings): Promise<Configuration> {
  return await askProvider('Google', async () => {
    const config = await discovery(new URL(issuer), clientId, clientSecret, undefined, {
      timeout: ANSWER_S,
      ...(issuer.startsWith('http:') && { execute: [allowInsecureRequests] }),
    })
    // The signature of the ID token counts too, and not only the connection that it came over.
    enableNonRepudiationChecks(config)
    return config
  })
}

/** Remembers what was found out; a failure is forgotten, so that the next call tries again. */
function onceItWorks<T>(find: () => Promise<T>): () => Promise<T> {
  let found: Promise<T> | undefined
  return () => {
    found ??= find().catch((error: unknown) => {
      found = undefined
      throw error
    })
    return found
  }
}
