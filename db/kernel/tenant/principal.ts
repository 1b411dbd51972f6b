import type { PlanId } from '../../../core/kernel/tenant/plans.ts'

/** The caller, as proved by its credential. */
export interface Principal {
  readonly tenantId: string
  readonly plan: PlanId
  /** Overrides the plan's units per month; null without an override. */
  readonly quota: number | null
  /** Kind of the key of the call or of its session; `member` for a session that no key opened. */
  readonly kind: 'primary' | 'scoped' | 'anonymous' | 'member' | 'scim'
  /** The key of the call, or the one that its session was opened with. */
  readonly keyId: string | null
  /** Null for anonymous workspaces and for SCIM tokens, which have no member. */
  readonly memberId: string | null
  /** The team that the key works for. */
  readonly teamId: string | null
  readonly scopes: readonly string[]
  readonly sessionId?: string
}
