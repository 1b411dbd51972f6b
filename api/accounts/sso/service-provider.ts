import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import {
  serviceProviderAt,
  type IdentityProvider,
  type ServiceProvider,
} from '../../../core/accounts/sign-in/saml/provider.ts'
import { protocolOf, type SsoSettings } from '../../../core/accounts/sign-in/sso-settings.ts'
import type { AccountsServices } from '../services.ts'

/**
 * Returns this service's names in SAML, from its configured address and never from a request's headers. Throws
 * `saml_not_configured` in production without such an address, since a name must not change with the port.
 */
export function serviceProviderOf({
  settings,
  publicUrl,
}: Pick<AccountsServices, 'settings' | 'publicUrl'>): ServiceProvider {
  if (settings.isProduction && settings.publicUrl === undefined) {
    throw ACCOUNTS_ERRORS.saml_not_configured('the public address of the service is not configured')
  }
  return serviceProviderAt(publicUrl())
}

/**
 * Returns the address to which a tenant's OpenID provider sends browsers back. Each tenant has its own: at one address
 * for all, the provider of one tenant could have a code of another's sent to itself (RFC 9700, 4.4).
 */
export function oidcRedirectUri({ publicUrl }: Pick<AccountsServices, 'publicUrl'>, tenantId: string): string {
  return `${publicUrl()}/v1/sso/${tenantId}/callback`
}

/** The tenant's identity provider. Throws `saml_not_configured` when the tenant does not use SAML. */
export function identityProviderOf(settings: SsoSettings, service: ServiceProvider): IdentityProvider {
  const { idpEntityId, ssoUrl, idpCerts, samlAudience } = settings
  if (protocolOf(settings) !== 'saml' || idpEntityId === null || ssoUrl === null || idpCerts.length === 0) {
    throw ACCOUNTS_ERRORS.saml_not_configured('the identity provider of this organisation does not use SAML')
  }
  return { entityId: idpEntityId, ssoUrl, certificates: idpCerts, audience: samlAudience ?? service.entityId }
}
