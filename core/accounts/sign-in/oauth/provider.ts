/** The providers that people may sign in with. */
export const OAUTH_PROVIDER_IDS = ['google', 'github'] as const
/** One of them. */
export type OAuthProviderId = (typeof OAUTH_PROVIDER_IDS)[number]

/** Values that bind a provider's answer to the request; kept here until the browser returns, never sent to it. */
export interface OAuthChecks {
  readonly state: string
  /** Verifier of PKCE (RFC 7636). */
  readonly codeVerifier: string
  /** Expected in the ID token; null for a provider that issues none. */
  readonly nonce: string | null
}

/** A user's identity at a provider. */
export interface ExternalProfile {
  /** The provider's own name for them, which never changes. */
  readonly subject: string
  /** Their address, if the provider has verified it. */
  readonly verifiedEmail: string | null
  readonly displayName: string | null
}

/** A provider of sign-in that the service is registered with. */
export interface OAuthProvider {
  readonly id: OAuthProviderId
  /**
   * Returns the address to send the browser to and the values to keep until it returns. Throws
   * `identity_provider_failed`.
   */
  begin(redirectUri: string): Promise<{ readonly url: string; readonly checks: OAuthChecks }>
  /**
   * Identifies the returning user. `callbackUrl` is the address that the browser requested, with its query. Throws
   * `oidc_response_refused` for an answer that does not match the request or the provider, and
   * `identity_provider_failed` when the provider fails.
   */
  finish(callbackUrl: URL, checks: OAuthChecks): Promise<ExternalProfile>
}

/** The providers that the operator registered the service with. */
export interface OAuthProviders {
  readonly configured: readonly OAuthProviderId[]
  /** Null when the operator did not register the service there. */
  find(id: OAuthProviderId): OAuthProvider | null
}
