import type { JsonObject } from '../../core/kernel/json/json.ts'
import type { PlanId } from '../../core/kernel/tenant/plans.ts'
import type { Operation } from '../../db/kernel/operation.ts'
import type { Transaction } from '../../db/kernel/transaction.ts'

/** What lower areas need of higher ones. `api/server.ts` plugs them. */
export interface ApiPorts {
  /** Writes the audit line of an administrator's call, before the call does anything. */
  readonly recordAdminAction: (op: Operation, call: AdminCall) => Promise<void>
  /** The receipt of the build that made an artifact, by the digest of the artifact; undefined when there is none. */
  readonly findBuildReceipt: (artifactHash: string) => Promise<JsonObject | undefined>
  /** Moves the rows of a locked workspace to the operation's tenant. Throws `jobs_running`. */
  readonly mergeTenant: (tx: Transaction, op: Operation, input: { readonly sourceTenantId: string }) => Promise<void>
  /** Opens a checkout for a plan and returns its address; null when it cannot be bought here. Throws `processor_failed`. */
  readonly openCheckout: (op: Operation, order: PlanOrder) => Promise<string | null>
}

/** A call of an administrator, as its audit line names it. */
export interface AdminCall {
  readonly route: string
  readonly params: Readonly<Record<string, string>>
  readonly query: JsonObject
}

/** A plan to be paid, and the address that the invoice goes to. */
export interface PlanOrder {
  readonly plan: PlanId
  readonly email: string | null
}
