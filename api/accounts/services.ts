import type { ErrorCode } from '../../core/accounts/errors.ts'
import type { Limits } from '../../core/accounts/limits.ts'
import type { Scope } from '../../core/accounts/scopes.ts'
import type { OAuthProviders } from '../../core/accounts/sign-in/oauth/provider.ts'
import type { OAuthSettings } from '../../core/accounts/sign-in/oauth/providers.ts'
import type { OidcClient } from '../../core/accounts/sign-in/oidc/client.ts'
import type { PlanId } from '../../core/kernel/tenant/plans.ts'
import type { KeyUses } from '../../db/accounts/across/authentication/last-used.ts'
import type { KeyAuthenticator } from '../../db/accounts/keys/authentication/authenticator.ts'
import type { SessionAuthenticator } from '../../db/accounts/sessions/authenticator.ts'
import type { Operation } from '../../db/kernel/operation.ts'
import type { MergeTenant } from '../../db/accounts/across/sign-up/merge-workspace.ts'
import type { AuthKind, CallFactsOf, CallOf } from '../kernel/request/call.ts'
import { routesOf, type RouteOf } from '../kernel/route.ts'
import type { KernelSettings } from '../kernel/services.ts'
import type { LedgerPorts, LedgerServices } from '../ledger/services.ts'

/** What an operator chose, as far as accounts look at it. */
export interface AccountsSettings extends KernelSettings {
  readonly isInviteOnly: boolean
  /** Whether workers have a server that mails leave through. */
  readonly isMailConfigured: boolean
  /** Whether addresses that callers give may lie in private networks. */
  readonly allowsPrivateEgress: boolean
  readonly oauth: OAuthSettings
}

/** What this area needs of higher ones. */
export interface AccountsPorts extends LedgerPorts {
  /** Moves the rows of a locked workspace to the operation's tenant. Throws `jobs_running`. */
  readonly mergeTenant: MergeTenant
  /** Opens a checkout for a plan and returns its address; null when it cannot be bought here. Throws `processor_failed`. */
  readonly openCheckout: (op: Operation, order: PlanOrder) => Promise<string | null>
}

/** A plan to be paid, and the address that the invoice goes to. */
export interface PlanOrder {
  readonly plan: PlanId
  readonly email: string | null
}

/** The services that handlers of accounts see. */
export interface AccountsServices extends LedgerServices {
  readonly settings: AccountsSettings
  readonly ports: AccountsPorts
  readonly limits: Limits
  readonly keys: KeyAuthenticator
  readonly keyUses: KeyUses
  readonly sessions: SessionAuthenticator
  readonly oauth: OAuthProviders
  /** For the OpenID providers of organisations. */
  readonly oidc: OidcClient
}

/** Declares a route whose handler sees this slice, and codes, limits and scopes of this area and those below. */
export const defineRoute = routesOf<AccountsServices, ErrorCode, Scope>()
/** A route of this area. */
export type Route = RouteOf<AccountsServices>
/** What is known of a call before its input is looked at. */
export type CallFacts = CallFactsOf<AccountsServices>
/** What a handler of this area is given. */
export type Call<A extends AuthKind, P, Q, B> = CallOf<A, P, Q, B, AccountsServices>
