/** The providers that people may sign in with. */
export const OAUTH_PROVIDER_IDS = ['google', 'github'] as const
/** One of them. */
export type OAuthProviderId = (typeof OAUTH_PROVIDER_IDS)[number]

/** What ties an answer of a provider to the question: kept here while the browser is away, never sent along. */
export interface OAuthChecks {
  readonly state: string
  /** Verifier of PKCE (RFC 7636). */
  readonly codeVerifier: string
  /** Stands in the ID token; null for a provider that issues none. */
  readonly nonce: string | null
}

/** Somebody, as a provider knows them. */
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
  /** Where the browser is sent, and what to keep until it is back. Throws `identity_provider_failed`. */
  begin(redirectUri: string): Promise<{ readonly url: string; readonly checks: OAuthChecks }>
  /**
   * Who came back. `callbackUrl` is the address that the browser called, with its query. Throws
   * `oidc_response_refused` for an answer that is not to the question or not from the provider, and
   * `identity_provider_failed` when the provider does not do its part.
   */
  finish(callbackUrl: URL, checks: OAuthChecks): Promise<ExternalProfile>
}

/** The providers that the operator registered the service with. */
export interface OAuthProviders {
  readonly configured: readonly OAuthProviderId[]
  /** Null when the operator did not register the service there. */
  find(id: OAuthProviderId): OAuthProvider | null
}
