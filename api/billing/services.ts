import type { ErrorCode } from '../../core/billing/errors.ts'
import type { Limits } from '../../core/billing/limits.ts'
import type { Scope } from '../../core/billing/scopes.ts'
import type { CountMeters } from '../../core/billing/ports.ts'
import type { PaymentProcessor } from '../../core/billing/processor.ts'
import type { StripeSettings } from '../../core/billing/stripe/stripe-processor.ts'
import type { CallMeter } from '../../db/billing/quota/call-meter.ts'
import type { Operation } from '../../db/kernel/operation.ts'
import type { AccountsServices, AccountsSettings } from '../accounts/services.ts'
import { routesOf, type RouteOf } from '../kernel/route.ts'

/** The settings of the operator that billing uses. */
export interface BillingSettings extends AccountsSettings {
  /** Absent when payments are not set up. */
  readonly stripe?: StripeSettings | undefined
}

/** The services that handlers of billing see. */
export interface BillingServices extends AccountsServices {
  readonly settings: BillingSettings
  readonly limits: Limits
  readonly meter: CallMeter
  /** Meters that are counted by rows of later areas: ports, which `gateway` and `compile` fill. */
  readonly meterCounts: readonly CountMeters<Operation>[]
  /** Null when payments are not set up. */
  readonly processor: PaymentProcessor | null
}

/** Declares a route whose handler sees this slice, and codes, limits and scopes of this area and those below. */
export const defineRoute = routesOf<BillingServices, ErrorCode, Scope>()
/** A route of this area. */
export type Route = RouteOf<BillingServices>
