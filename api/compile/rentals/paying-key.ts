import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import { operatorBudgetUsd } from '../../../core/compile/stages/rentals/allowance.ts'
import type { Lane } from '../../../core/compile/stages/rentals/lanes.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import type { Principal } from '../../../db/kernel/tenant/principal.ts'
import type { CompileServices } from '../services.ts'

/** The call that a machine is rented for. */
interface PayingCall {
  readonly services: Pick<CompileServices, 'settings' | 'limits' | 'vault'>
  readonly principal: Principal
  readonly op: Operation
}

/** Returns the tenant's own key at the provider; null where the operator's is used. Throws `rental_not_configured`. */
export async function payingKey(call: PayingCall, lane: Lane, budgetUsd: number): Promise<string | null> {
  const { services, principal, op } = call
  const { rentals } = services.settings
  if (rentals.image === undefined || services.settings.publicUrl === undefined) {
    throw COMPILE_ERRORS.rental_not_configured(
      'this service has no image for rented machines, or no public address that they reach (SVC_RENTAL_IMAGE, SVC_PUBLIC_URL)',
    )
  }
  const { memberId, teamId, tenantId } = principal
  const own = await services.vault.find({ tenantId, memberId, teamId, provider: lane, now: op.now() })
  if (own !== null) return own.id
  if (rentals.lanes[lane].apiKey === undefined) {
    throw COMPILE_ERRORS.rental_not_configured(
      `no key of ${lane} is configured; store your own at /v1/account/provider-keys`,
    )
  }
  const most = principal.kind === 'anonymous' ? 0 : operatorBudgetUsd(principal.plan, services.limits)
  if (budgetUsd <= most) return null
  throw COMPILE_ERRORS.rental_not_configured(
    most === 0
      ? `your plan rents no machines on the operator's key; store your own key of ${lane} at /v1/account/provider-keys`
      : `your plan rents for at most ${most} US dollars on the operator's key; lower budget_usd, or store your own key of ${lane}`,
    { details: { most_usd: most } },
  )
}
