import { LockMode } from '@mikro-orm/core'
import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import { refuseSaml } from '../../../core/accounts/sign-in/saml/refusal.ts'
import { NO_SSO, protocolOf, type SsoSettings } from '../../../core/accounts/sign-in/sso-settings.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { settingsOf } from './find-sso.ts'
import type { SsoProtocol } from './login-attempts.ts'
import { SsoConfigEntity } from './sso-config.ts'

/**
 * The settings as they are, held until the transaction ends: whoever changes them comes before this, and is seen, or
 * after the commit, and sees what was done here. Taken before the members and the keys. A
 * tenant that has none yet has `NO_SSO`.
 */
export async function holdSettings(tx: Transaction, op: Operation): Promise<SsoSettings> {
  const config = await tx.em.findOne(
    SsoConfigEntity,
    { tenantId: op.tenantId },
    { lockMode: LockMode.PESSIMISTIC_READ, refresh: true },
  )
  return config === null ? NO_SSO : settingsOf(config)
}

/**
 * The same for a sign-in that was verified under settings that may be older. Throws `sso_tenant_not_resolved` when single
 * sign-on has been switched off, and `saml_response_refused` or `oidc_response_refused` when the provider is another one
 * by now, or has no longer what the sign-in may have been verified with.
 */
export async function requireInForce(
  tx: Transaction,
  op: Operation,
  { protocol, verified }: { readonly protocol: SsoProtocol; readonly verified: SsoSettings },
): Promise<SsoSettings> {
  const settings = await holdSettings(tx, op)
  if (!settings.isEnabled) {
    throw ACCOUNTS_ERRORS.sso_tenant_not_resolved('single sign-on of this organisation was switched off')
  }
  const isSame = protocol === 'saml' ? isSameSaml(verified, settings) : isSameOidc(verified, settings)
  if (isSame && protocolOf(settings) === protocol) return settings
  const message = 'the organisation has changed its identity provider meanwhile'
  throw protocol === 'saml' ? refuseSaml('issuer_mismatch', message) : ACCOUNTS_ERRORS.oidc_response_refused(message)
}

/** A certificate that was taken away may be the one that the response was signed with. */
function isSameSaml(verified: SsoSettings, settings: SsoSettings): boolean {
  return (
    verified.idpEntityId === settings.idpEntityId &&
    verified.idpCerts.every((certificate) => settings.idpCerts.includes(certificate))
  )
}

function isSameOidc(verified: SsoSettings, settings: SsoSettings): boolean {
  return verified.oidcIssuer === settings.oidcIssuer && verified.oidcClientId === settings.oidcClientId
}
