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

/** The settings of the operator that accounts use. */
export interface AccountsSettings extends KernelSettings {
  readonly isInviteOnly: boolean
  /** True when workers have a mail server. */
  readonly isMailConfigured: boolean
  /** True when addresses that callers give may be in private networks. */
  readonly allowsPrivateEgress: boolean
  readonly oauth: OAuthSettings
}

/** Functions of higher areas that this area needs. */
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
/** The facts of a call before its input is parsed. */
export type CallFacts = CallFactsOf<AccountsServices>
/** The input of a handler of this area. */
export type Call<A extends AuthKind, P, Q, B> = CallOf<A, P, Q, B, AccountsServices>
