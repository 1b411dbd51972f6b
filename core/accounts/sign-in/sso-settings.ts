import { createHash } from 'node:crypto'
import { invalidField } from '../../kernel/errors.ts'
import { ACCOUNTS_ERRORS } from '../errors.ts'
import type { Role } from '../roles.ts'
import { readCertificates } from './saml/certificates.ts'
import { readIdpMetadata } from './saml/metadata.ts'

/** Identity providers by their product names. The protocol follows from the configured fields. */
export const SSO_PROVIDERS = [
  'google-workspace',
  'okta',
  'azure-ad',
  'onelogin',
  'jumpcloud',
  'saml-generic',
  'oidc-generic',
] as const
/** One of them. */
export type SsoProvider = (typeof SSO_PROVIDERS)[number]

/** Roles that sign-in may grant; only an owner can make an owner. */
export const GRANTED_ROLES = ['viewer', 'member', 'admin'] as const satisfies readonly Role[]
/** One of them. */
export type GrantedRole = (typeof GRANTED_ROLES)[number]

/** Single sign-on settings of a tenant. */
export interface SsoSettings {
  readonly provider: SsoProvider
  readonly isEnabled: boolean
  /** Domains whose addresses may sign in; all when empty. */
  readonly domains: readonly string[]
  readonly metadataUrl: string | null
  readonly metadataSha256: string | null
  readonly idpEntityId: string | null
  readonly ssoUrl: string | null
  readonly idpCerts: readonly string[]
  readonly samlAudience: string | null
  readonly oidcIssuer: string | null
  readonly oidcClientId: string | null
  readonly defaultRole: GrantedRole
  /** Creates a member at the first sign-in (just-in-time provisioning). */
  readonly isJit: boolean
  readonly groupRoles: Readonly<Record<string, GrantedRole>>
  readonly isScimEnabled: boolean
}

/** A change of the settings: absent fields stay, null removes. */
export interface SsoChange {
  readonly provider?: SsoProvider | undefined
  readonly isEnabled?: boolean | undefined
  readonly domains?: readonly string[] | undefined
  /** Metadata, and the address it was fetched from. */
  readonly metadata?: { readonly xml: string; readonly url: string | null } | undefined
  readonly idpCertPem?: string | null | undefined
  readonly idpEntityId?: string | null | undefined
  readonly ssoUrl?: string | null | undefined
  readonly samlAudience?: string | null | undefined
  readonly oidcIssuer?: string | null | undefined
  readonly oidcClientId?: string | null | undefined
  readonly defaultRole?: GrantedRole | undefined
  readonly isJit?: boolean | undefined
  readonly groupRoles?: Readonly<Record<string, GrantedRole>> | undefined
  readonly isScimEnabled?: boolean | undefined
}

/** Settings of a tenant that has none yet. */
export const NO_SSO: SsoSettings = {
  provider: 'saml-generic',
  isEnabled: true,
  domains: [],
  metadataUrl: null,
  metadataSha256: null,
  idpEntityId: null,
  ssoUrl: null,
  idpCerts: [],
  samlAudience: null,
  oidcIssuer: null,
  oidcClientId: null,
  defaultRole: 'member',
  isJit: true,
  groupRoles: {},
  isScimEnabled: true,
}

/** Returns the configured protocol; null when neither configuration is complete. */
export function protocolOf(settings: SsoSettings): 'saml' | 'oidc' | null {
  const hasSaml = settings.idpEntityId !== null && settings.ssoUrl !== null && settings.idpCerts.length > 0
  const hasOidc = settings.oidcIssuer !== null && settings.oidcClientId !== null
  if (hasOidc && (settings.provider === 'oidc-generic' || !hasSaml)) return 'oidc'
  return hasSaml && settings.provider !== 'oidc-generic' ? 'saml' : null
}

/**
 * Returns the settings after a change. Metadata is parsed, and only the pinned fields are kept. Throws
 * `identity_metadata_required` when the result would let no member sign in, and `invalid_identity_config` naming the
 * wrong field, also for an issuer that would admit any account of a public provider.
 */
export function changeSsoSettings(current: SsoSettings, change: SsoChange): SsoSettings {
  const pinned = pinnedBy(current, change)
  const next: SsoSettings = {
    provider: change.provider ?? current.provider,
    isEnabled: change.isEnabled ?? current.isEnabled,
    domains: change.domains === undefined ? current.domains : domainsOf(change.domains),
    ...pinned,
    samlAudience: change.samlAudience === undefined ? current.samlAudience : change.samlAudience,
    oidcIssuer: change.oidcIssuer === undefined ? current.oidcIssuer : change.oidcIssuer,
    oidcClientId: change.oidcClientId === undefined ? current.oidcClientId : change.oidcClientId,
    defaultRole: change.defaultRole ?? current.defaultRole,
    isJit: change.isJit ?? current.isJit,
    groupRoles: change.groupRoles ?? current.groupRoles,
    isScimEnabled: change.isScimEnabled ?? current.isScimEnabled,
  }
  requireComplete(next)
  requireNarrow(next)
  requireWebAddress(next.ssoUrl, 'sso_url')
  requireWebAddress(next.oidcIssuer, 'oidc_issuer')
  return next
}

/** Browsers are redirected there, so only a web address is accepted, also from metadata. */
function requireWebAddress(address: string | null, field: string): void {
  if (address === null) return
  const protocol = URL.parse(address)?.protocol
  if (protocol === 'https:' || protocol === 'http:') return
  throw invalidField(field, 'is not a web address', ACCOUNTS_ERRORS.invalid_identity_config)
}

type Pinned = Pick<SsoSettings, 'metadataUrl' | 'metadataSha256' | 'idpEntityId' | 'ssoUrl' | 'idpCerts'>

function pinnedBy(current: SsoSettings, change: SsoChange): Pinned {
  if (change.metadata !== undefined) {
    const { xml, url } = change.metadata
    const { entityId, ssoUrl, certificates } = readIdpMetadata(xml, url === null ? 'metadata_xml' : 'metadata_url')
    if (typeof change.idpEntityId === 'string' && change.idpEntityId !== entityId) {
      throw invalidField('idp_entity_id', 'differs from the metadata', ACCOUNTS_ERRORS.invalid_identity_config)
    }
    return {
      metadataUrl: url,
      metadataSha256: createHash('sha256').update(xml).digest('hex'),
      idpEntityId: entityId,
      ssoUrl: change.ssoUrl ?? ssoUrl,
      idpCerts:
        typeof change.idpCertPem === 'string' ? readCertificates(change.idpCertPem, 'idp_cert_pem') : certificates,
    }
  }
  const isByHand = [change.idpCertPem, change.idpEntityId, change.ssoUrl].some((value) => value !== undefined)
  return {
    metadataUrl: isByHand ? null : current.metadataUrl,
    metadataSha256: isByHand ? null : current.metadataSha256,
    idpEntityId: change.idpEntityId === undefined ? current.idpEntityId : change.idpEntityId,
    ssoUrl: change.ssoUrl === undefined ? current.ssoUrl : change.ssoUrl,
    idpCerts: certificatesOf(current, change),
  }
}

function certificatesOf(current: SsoSettings, { idpCertPem }: SsoChange): readonly string[] {
  if (idpCertPem === undefined) return current.idpCerts
  return idpCertPem === null ? [] : readCertificates(idpCertPem, 'idp_cert_pem')
}

function domainsOf(given: readonly string[]): readonly string[] {
  const domains = given.map((domain) => domain.trim().toLowerCase())
  const bad = domains.findIndex(
    (domain) => !/^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/.test(domain),
  )
  if (bad !== -1) throw invalidField(`domains[${bad}]`, 'is not a domain', ACCOUNTS_ERRORS.invalid_identity_config)
  return [...new Set(domains)]
}

/** Issuers that give an account to any person. */
const PUBLIC_ISSUER =
  /^https:\/\/(?:accounts\.google\.com|appleid\.apple\.com|login\.microsoftonline\.com\/(?:common|organizations|consumers|9188040d-6c67-4c5b-b112-36a304b66dad))(?:\/|$)/i

/** With such an issuer only the e-mail domain proves membership of the organisation. */
function requireNarrow({ oidcIssuer, domains, isJit }: SsoSettings): void {
  if (oidcIssuer === null || domains.length > 0 || !isJit || !PUBLIC_ISSUER.test(oidcIssuer)) return
  throw invalidField(
    'domains',
    'are required: anyone can get an account from this issuer',
    ACCOUNTS_ERRORS.invalid_identity_config,
  )
}

function requireComplete(settings: SsoSettings): void {
  if (protocolOf(settings) !== null) return
  if (settings.oidcIssuer !== null && settings.oidcClientId === null) {
    throw invalidField('oidc_client_id', 'is required with oidc_issuer', ACCOUNTS_ERRORS.invalid_identity_config)
  }
  if (settings.idpEntityId !== null && settings.idpCerts.length > 0 && settings.ssoUrl === null) {
    throw invalidField('sso_url', 'is required: members sign in there', ACCOUNTS_ERRORS.invalid_identity_config)
  }
  throw ACCOUNTS_ERRORS.identity_metadata_required(
    'give metadata_url, metadata_xml, oidc_issuer with oidc_client_id, or idp_cert_pem with idp_entity_id and sso_url',
  )
}

/** Returns true when an address's domain may sign in. */
export function isAllowedDomain(settings: Pick<SsoSettings, 'domains'>, email: string): boolean {
  const domain = email.slice(email.lastIndexOf('@') + 1)
  return settings.domains.length === 0 || settings.domains.includes(domain)
}

/** Returns the role for these groups: the highest that any of them grants, else the default. */
export function roleOfGroups(
  settings: Pick<SsoSettings, 'groupRoles' | 'defaultRole'>,
  groups: readonly string[],
): GrantedRole {
  const given = groups.flatMap((group) =>
    Object.hasOwn(settings.groupRoles, group) ? [settings.groupRoles[group] ?? settings.defaultRole] : [],
  )
  return GRANTED_ROLES.findLast((role) => given.includes(role)) ?? settings.defaultRole
}
