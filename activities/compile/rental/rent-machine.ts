import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import {
  ProviderFault,
  type Machine,
  type MachineOrder,
  type PodProvider,
} from '../../../core/compile/stages/rentals/pod-provider.ts'
import { appendEvent } from '../../../db/compile/progress/events/append-event.ts'
import { requireRental, type LeaseFacts, type RentalFacts } from '../../../db/compile/rentals/find-rental.ts'
import { reserveRental } from '../../../db/compile/rentals/begin-rental.ts'
import { endLease, orderLease, setMachine } from '../../../db/compile/rentals/leases.ts'
import { keepRentalKey } from '../../../db/compile/rentals/rental-key.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { runActivity, type RunningActivity } from '../../kernel/run-activity.ts'
import type { JobRef } from '../compile/results.ts'
import { operationOf, rentedLane, withProvider, type RentalDeps } from './deps.ts'

/** Interval between two looks for the machine of an order without an answer. */
const LOOK_MS = 2000
const DISK_GB = 40
/** The machine lives at most as long as its budget lasts, and this much longer, where the provider enforces it. */
const GRACE_S = 60

/** A fit that is to run on a rented machine. */
export interface RentalRef extends JobRef {
  readonly inputSha256: string
}

/** A rented machine, for the workflow. */
export interface RentedMachine {
  readonly leaseId: string
  readonly number: number
}

/** Reserves the rental of a job for its fit. Safe to repeat. */
export async function reserveMachine(deps: RentalDeps, ref: RentalRef): Promise<void> {
  await runActivity(deps.log, async () => {
    await reserveRental(operationOf(deps, ref), { jobId: ref.jobId, fit: ref.inputSha256 })
  })
}

/**
 * Rents one machine. The order is a row with a name before the provider is asked. When the answer is lost, or this process
 * is killed, the name is looked for: what is found is the machine, and only after `rental_settle_s` without one is
 * another ordered. Throws `rental_failed` and `rental_not_configured`.
 */
export async function rentMachine(deps: RentalDeps, ref: JobRef): Promise<RentedMachine> {
  return await runActivity(deps.log, async (activity) => {
    const op = operationOf(deps, ref)
    const rental = rentedLane(await requireRental(op, ref.jobId))
    try {
      return await withProvider(deps, op, rental, async (provider) => await rent({ deps, op, provider, activity }, ref))
    } catch (error) {
      if (COMPILE_ERRORS.rental_failed.matches(error)) await tell(deps, op, ref, error.message)
      throw error
    }
  })
}

interface Renting {
  readonly deps: RentalDeps
  readonly op: Operation
  readonly provider: PodProvider
  readonly activity: RunningActivity
}

async function rent(renting: Renting, ref: JobRef): Promise<RentedMachine> {
  const { deps, op, activity } = renting
  for (;;) {
    activity.signal.throwIfAborted()
    activity.progress()
    const rental = await requireRental(op, ref.jobId)
    const open = rental.leases.find(({ endedAt }) => endedAt === null)
    if (open === undefined) {
      await order(renting, rental)
      continue
    }
    if (open.machineId !== null) return { leaseId: open.id, number: open.number }
    if (await adopt(renting, open)) continue
    if (deps.now().getTime() - open.orderedAt.getTime() > deps.limits.rental_settle_s * 1000) {
      await endLease(op, { leaseId: open.id, isCharged: false })
      continue
    }
    await sleep(LOOK_MS, undefined, { signal: activity.signal })
  }
}

/** Orders a machine. An order of unknown outcome stays as it is: the next look settles it. */
async function order({ deps, op, provider, activity }: Renting, rental: RentalFacts): Promise<void> {
  const { image, prefix } = deps.rentals
  const { publicUrl } = deps
  if (image === undefined || publicUrl === undefined) {
    throw COMPILE_ERRORS.rental_not_configured('this service has no image or no public address for rented machines')
  }
  if (!(await keepRentalKey(op, rental))) {
    throw COMPILE_ERRORS.rental_not_configured(
      'the key of the provider that pays for this rental was removed; store one again and start the compile again',
    )
  }
  const token = `trn_${randomBytes(32).toString('hex')}`
  const lease = await orderLease(op, {
    jobId: rental.jobId,
    prefix,
    tokenHash: createHash('sha256').update(token).digest('hex'),
    rateUsdMicros: rental.rateUsdMicros,
    most: deps.limits.rental_machines,
  })
  const seconds = (rental.budgetUsdMicros / rental.rateUsdMicros) * 3600
  const wanted: MachineOrder = {
    name: lease.machineName,
    image,
    command: ['python', '-m', 'svc_trainer.rented'],
    environment: { SVC_TRAINER_URL: publicUrl, SVC_TRAINER_TOKEN: token },
    diskGb: DISK_GB,
    longestS: Math.ceil(seconds) + GRACE_S,
  }
  let machine: Machine
  try {
    machine = await provider.rent(wanted, activity.signal)
  } catch (error) {
    if (!(error instanceof ProviderFault) || error.kind === 'unclear') {
      if (activity.signal.aborted || !(error instanceof ProviderFault)) throw error
      return
    }
    await endLease(op, { leaseId: lease.id, isCharged: false })
    throw error
  }
  await setMachine(op, { leaseId: lease.id, machineId: machine.id, usdPerHour: machine.usdPerHour })
}

/** Takes the machine that an order without an answer led to; of several, all but the first are ended. */
async function adopt({ op, provider, activity }: Renting, lease: LeaseFacts): Promise<boolean> {
  let machines: readonly Machine[]
  try {
    machines = await provider.list(activity.signal)
  } catch (error) {
    if (error instanceof ProviderFault && error.kind === 'unclear') return false
    throw error
  }
  const [first, ...surplus] = machines.filter(({ name }) => name === lease.machineName)
  if (first === undefined) return false
  for (const { id } of surplus) await provider.end(id, activity.signal)
  await setMachine(op, { leaseId: lease.id, machineId: first.id, usdPerHour: first.usdPerHour })
  return true
}

async function tell(deps: RentalDeps, op: Operation, { jobId }: JobRef, message: string): Promise<void> {
  const body = { step: 'lora-fit', code: 'rental_failed', message }
  await appendEvent(op, { jobId, kind: 'log', body, now: deps.now() }).catch(() => undefined)
}
