import { setTimeout as sleep } from 'node:timers/promises'
import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import type { Machine, PodProvider } from '../../../core/compile/stages/rentals/pod-provider.ts'
import type { ErrorCode } from '../../../core/compile/errors.ts'
import { findRental, requireRental, type LeaseFacts } from '../../../db/compile/rentals/find-rental.ts'
import { chargeLate, endLease, finishRental } from '../../../db/compile/rentals/leases.ts'
import { endPoolLeases } from '../../../db/compile/rentals/pools/pool-leases.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { runActivity, type RunningActivity } from '../../kernel/run-activity.ts'
import type { JobRef } from '../compile/results.ts'
import { operationOf, rentedLane, withProvider, type RentalDeps } from './deps.ts'

/** Interval between two looks whether the machines are gone, and the number of looks of one attempt. */
const LOOK_MS = 500
const LOOKS = 120

/** The end of a rental. */
export interface RentalEnd extends JobRef {
  /** Null when its adapter was fitted. */
  readonly errorCode: ErrorCode | null
  readonly tokensPerSecond: number | null
}

/** Ends the machines of a rental; the rental itself continues with another. Safe to repeat. */
export async function endMachines(deps: RentalDeps, ref: JobRef): Promise<void> {
  await runActivity(deps.log, async (activity) => await endAll(deps, operationOf(deps, ref), ref.jobId, activity))
}

/**
 * Ends the machines of a rental, whatever became of their orders, then the rental. Safe to repeat. Throws `rental_unclear`
 * while the provider does not confirm that they are gone.
 */
export async function tearDown(deps: RentalDeps, end: RentalEnd): Promise<void> {
  await runActivity(deps.log, async (activity) => await endRental(deps, end, activity))
}

/** Does the work of `tearDown` within an activity or a chore. */
export async function endRental(
  deps: RentalDeps,
  { jobId, tenantId, errorCode, tokensPerSecond }: RentalEnd,
  activity: Pick<RunningActivity, 'signal' | 'progress'>,
): Promise<void> {
  const op = operationOf(deps, { jobId, tenantId })
  const rental = await findRental(op, jobId)
  if (rental === null || rental.endedAt !== null) return
  await endAll(deps, op, jobId, activity)
  await finishRental(op, { jobId, errorCode, tokensPerSecond })
}

async function endAll(
  deps: RentalDeps,
  op: Operation,
  jobId: string,
  activity: Pick<RunningActivity, 'signal' | 'progress'>,
): Promise<void> {
  const rental = await requireRental(op, jobId)
  if (rental.leases.length === 0) return
  if (rental.lane === 'pool') {
    await op.write(async (tx) => await endPoolLeases(tx, op, { jobId }))
    return
  }
  const names = new Set(rental.leases.map(({ machineName }) => machineName))
  await withProvider(deps, op, rentedLane(rental), async (provider) => {
    let { leases } = rental
    for (let look = 0; look < LOOKS; look++) {
      activity.signal.throwIfAborted()
      activity.progress()
      const machines = (await provider.list(activity.signal)).filter(({ name }) => names.has(name))
      for (const { id } of machines) await provider.end(id, activity.signal)
      for (const lease of leases) await settle({ deps, op, provider, machines, signal: activity.signal }, lease)
      if (machines.length === 0) {
        ;({ leases } = await requireRental(op, jobId))
        if (leases.every(({ endedAt }) => endedAt !== null)) return
      }
      await sleep(LOOK_MS, undefined, { signal: activity.signal })
    }
    throw COMPILE_ERRORS.rental_unclear('the provider does not confirm that the machines are gone')
  })
}

interface Ending {
  readonly deps: RentalDeps
  readonly op: Operation
  readonly provider: PodProvider
  /** Machines of the rental that the provider still lists. */
  readonly machines: readonly Machine[]
  readonly signal: AbortSignal
}

/** Records the end of a machine that the provider does not list any more. */
async function settle({ deps, op, provider, machines, signal }: Ending, lease: LeaseFacts): Promise<void> {
  const { id: leaseId, machineName, machineId, endedAt, costUsdMicros, orderedAt } = lease
  const listed = machines.find(({ name }) => name === machineName)
  if (endedAt !== null) {
    // The order had counted as one that came to nothing.
    if (listed !== undefined && costUsdMicros === 0) await chargeLate(op, leaseId)
    return
  }
  if (listed !== undefined) return
  if (machineId !== null) {
    // A list may lag behind an order.
    await provider.end(machineId, signal)
    await endLease(op, { leaseId, isCharged: true })
    return
  }
  const isSettled = deps.now().getTime() - orderedAt.getTime() > deps.limits.rental_settle_s * 1000
  if (isSettled) await endLease(op, { leaseId, isCharged: false })
}
