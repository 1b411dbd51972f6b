import type { z } from 'zod'
import { costOf, deadlineOf } from '../../../core/compile/stages/rentals/cost.ts'
import type { RentalView } from '../../../core/compile/wire/jobs/rentals/rental.ts'
import type { RentalFacts } from '../../../db/compile/rentals/find-rental.ts'

/** The rental of a job, field by field, with the cost of machines that still run. */
export function presentRental(rental: RentalFacts, now: Date): z.input<typeof RentalView> {
  const { lane, budgetUsdMicros, costUsdMicros, quote, leases, endedAt, errorCode } = rental
  const open = leases.find((lease) => lease.endedAt === null)
  const micros = costUsdMicros + (open === undefined || open.machineId === null ? 0 : costOf(open, now))
  return {
    backend: lane,
    budget_usd: budgetUsdMicros / 1_000_000,
    cost_usd: Math.ceil(micros / 100) / 10_000,
    estimated_usd: quote.usd.expected,
    machines: leases.length,
    state: stateOf(rental),
    deadline:
      open === undefined ? null : deadlineOf(open, { budgetUsdMicros, spentUsdMicros: costUsdMicros }).toISOString(),
    last_heartbeat: leases.at(-1)?.seenAt?.toISOString() ?? null,
    error_code: endedAt === null ? null : errorCode,
  }
}

function stateOf({ endedAt, fit, leases }: RentalFacts): z.input<typeof RentalView>['state'] {
  if (endedAt !== null) return 'ended'
  if (fit === null) return 'waiting'
  return leases.some((lease) => lease.openedAt !== null && lease.endedAt === null) ? 'fitting' : 'renting'
}
