import type { PlanId } from '../../core/tenancy/plans.ts'

/** Who makes a call, as far as its credential proves. */
export interface Principal {
  readonly tenantId: string
  readonly plan: PlanId
  /** The key of the call, or the one that its session was opened with. */
  readonly keyId: string
  readonly kind: 'primary' | 'scoped'
  readonly scopes: readonly string[]
  readonly sessionId?: string
}
