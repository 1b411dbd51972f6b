import { createOidcClient } from '../oidc/client.ts'
import type { OAuthProvider } from './provider.ts'

/** Client registration at Google. */
export interface GoogleSettings {
  readonly clientId: string
  readonly clientSecret: string
  /** Google's own, or another OpenID provider's in a test. */
  readonly issuer: string
}

/** Sign-in with Google: an OpenID provider whose address the operator trusts, private networks included. */
export function createGoogle(settings: GoogleSettings): OAuthProvider {
  const client = createOidcClient({ name: 'Google', allowsPrivate: true })
  return {
    id: 'google',
    begin: async (redirectUri) => await client.begin(settings, redirectUri),
    async finish(callbackUrl, { nonce, ...checks }) {
      if (nonce === null) throw new Error('the sign-in with Google has no nonce')
      const { subject, email, displayName } = await client.finish(settings, callbackUrl, { ...checks, nonce })
      return { subject, verifiedEmail: email, displayName }
    },
  }
}
