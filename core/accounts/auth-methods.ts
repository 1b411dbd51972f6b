/** Proofs of identity that open a session. */
export const AUTH_METHODS = ['key', 'mail', 'oauth', 'saml', 'oidc', 'invitation'] as const
/** A proof of identity that opens a session. */
export type AuthMethod = (typeof AUTH_METHODS)[number]
