/** The ways in which a member joined the tenant. */
export const MEMBER_SOURCES = ['signup', 'invitation', 'oauth', 'saml', 'oidc', 'scim'] as const
/** A way into a tenant. */
export type MemberSource = (typeof MEMBER_SOURCES)[number]
