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
 * Returns the current settings, locked until the transaction ends: a concurrent change either commits before and is
 * seen here, or waits and sees the result of this transaction. Locked before the members and the keys. A tenant without
 * settings has `NO_SSO`.
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
 * The same for a sign-in verified under possibly older settings. Throws `sso_tenant_not_resolved` when single sign-on
 * has been switched off, and `saml_response_refused` or `oidc_response_refused` when the provider has changed, or a
 * credential that may have verified the sign-in was removed.
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

/** Compares the certificates too: a removed one may be the one that signed the response. */
function isSameSaml(verified: SsoSettings, settings: SsoSettings): boolean {
  return (
    verified.idpEntityId === settings.idpEntityId &&
    verified.idpCerts.every((certificate) => settings.idpCerts.includes(certificate))
  )
}

function isSameOidc(verified: SsoSettings, settings: SsoSettings): boolean {
  return verified.oidcIssuer === settings.oidcIssuer && verified.oidcClientId === settings.oidcClientId
}
