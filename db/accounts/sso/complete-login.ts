import { refuseSaml } from '../../../core/accounts/sign-in/saml/refusal.ts'
import type { SamlClaims } from '../../../core/accounts/sign-in/saml/assertion.ts'
import type { SsoSettings } from '../../../core/accounts/sign-in/sso-settings.ts'
import type { Limits } from '../../../core/accounts/limits.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import type { Member } from '../members/member.ts'
import type { Operation } from '../../kernel/operation.ts'
import { openSessionIn, type OpenedSession } from '../sessions/open-session.ts'
import { useSsoLogin } from './login-attempts.ts'
import { requireInForce } from './settings-in-force.ts'
import { signInMember, type Vouched } from './sign-in-member.ts'

/** Origin of a returning person. */
export interface SignInDevice {
  readonly ip?: string | undefined
  readonly userAgent?: string | undefined
}

/** A person who is signed in. */
export interface SignedIn {
  readonly member: Member
  readonly session: OpenedSession
}

/** A verified SAML response, and the browser that brought it. */
export interface CompleteSamlLogin {
  readonly claims: SamlClaims & { readonly inResponseTo: string }
  /** Settings under which the response was verified. */
  readonly settings: SsoSettings
  readonly browser: string
  readonly device: SignInDevice
  readonly limits: Limits
}

/**
 * Turns a verified assertion into a session, once: the request it answers and the assertion itself are used up in the
 * transaction that opens the session. Throws `saml_response_refused` and the errors of `requireInForce` and
 * `signInMember`.
 */
export async function completeSamlLogin(
  op: Operation,
  input: CompleteSamlLogin,
): Promise<SignedIn & { readonly returnTo: string }> {
  const { claims, browser, device, limits } = input
  return await op.write(async (tx) => {
    const settings = await requireInForce(tx, op, { protocol: 'saml', verified: input.settings })
    if (claims.email === null && settings.domains.length > 0) {
      throw refuseSaml('no_email', 'the assertion names no address')
    }
    const consumed = await tx.q
      .insertInto('consumed_assertions')
      .values({ tenant_id: op.tenantId, assertion_id: claims.assertionId, expires_at: claims.replayableUntil })
      .onConflict((on) => on.doNothing())
      .returning('assertion_id')
      .execute()
    if (consumed.length === 0) throw refuseSaml('assertion_replayed', 'the assertion was used before')
    const attempt = await useSsoLogin(tx, op.db, {
      protocol: 'saml',
      tenantId: op.tenantId,
      state: claims.inResponseTo,
      browser,
      now: op.now(),
    })
    if (attempt === null) {
      throw refuseSaml('request_unknown', 'the sign-in was not begun in this browser, or took too long')
    }
    const member = await signInMember(tx, op, {
      protocol: 'saml',
      subject: claims.nameId,
      email: claims.email,
      displayName: claims.displayName,
      groups: claims.groups.length === 0 ? null : claims.groups,
      settings,
    })
    await recordAudit(tx, op, {
      action: 'saml.assertion_consumed',
      target: member.id,
      payload: { assertion_id: claims.assertionId },
    })
    const session = await openSessionIn(tx, op, {
      keyId: null,
      memberId: member.id,
      authMethod: 'saml',
      ...device,
      limits,
    })
    return { member, session, returnTo: attempt.returnTo }
  })
}

/** A person authenticated by an OpenID provider. */
export interface CompleteOidcLogin {
  readonly vouched: Omit<Vouched, 'protocol' | 'settings'>
  /** Settings under which the ID token was verified. */
  readonly settings: SsoSettings
  readonly device: SignInDevice
  readonly limits: Limits
}

/** Opens the session of the person in a verified ID token. Throws as `requireInForce` and `signInMember`. */
export async function completeOidcLogin(op: Operation, input: CompleteOidcLogin): Promise<SignedIn> {
  const { vouched, device, limits } = input
  return await op.write(async (tx) => {
    const settings = await requireInForce(tx, op, { protocol: 'oidc', verified: input.settings })
    const member = await signInMember(tx, op, { ...vouched, settings, protocol: 'oidc' })
    await recordAudit(tx, op, { action: 'oidc.login', target: member.id, payload: { auth_method: 'oidc' } })
    const session = await openSessionIn(tx, op, {
      keyId: null,
      memberId: member.id,
      authMethod: 'oidc',
      ...device,
      limits,
    })
    return { member, session }
  })
}
