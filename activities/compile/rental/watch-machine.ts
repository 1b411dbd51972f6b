import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { FitHistory } from '../../../core/model/training/loop/history.ts'
import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import { FIT_FAILURES } from '../../../core/compile/stages/rentals/fit-failures.ts'
import { costOf, deadlineOf } from '../../../core/compile/stages/rentals/cost.ts'
import type { PodProvider } from '../../../core/compile/stages/rentals/pod-provider.ts'
import type { ErrorCode } from '../../../core/compile/errors.ts'
import { requireRental, type LeaseFacts, type RentalFacts } from '../../../db/compile/rentals/find-rental.ts'
import { closeLease } from '../../../db/compile/rentals/leases.ts'
import { signalRentalSeen } from '../../../temporal/compile-progress.ts'
import { runActivity } from '../../kernel/run-activity.ts'
import { createProgressTeller } from '../compile/adapter/tell-progress.ts'
import type { JobRef } from '../compile/results.ts'
import { operationOf, withMachines, type RentalDeps } from './deps.ts'

/** Interval between two looks at the row of a machine, and at the list of its provider. */
const LOOK_MS = 500
const LIST_MS = 5000
/** A list of a provider may lag: a machine that two of them in a row lack is gone. */
const MISSED_LISTS = 2
/** Time that a machine has for its last checkpoint. */
const CLOSING_MS = 15_000
/** Signals stay in the workflow's history for good, so few are sent. */
const SIGNAL_MS = 15_000

/** A machine of a rental. */
export interface LeaseRef extends JobRef {
  readonly leaseId: string
}

/** The end of the work of a machine. */
export interface MachineEnd {
  readonly end: 'fitted' | 'failed' | 'lost' | 'budget_used'
  /** Of a failed fit. */
  readonly code: ErrorCode | null
}

const Progress = z
  .object({
    step: z.int(),
    steps: z.int(),
    epoch: z.number(),
    loss: z.number(),
    validation_loss: z.number().nullable(),
    learning_rate: z.number().nullable(),
    tokens_per_second: z.number(),
    eta_seconds: z.number(),
    validations: FitHistory.shape.validations.exactOptional(),
  })
  .transform(({ validations, ...given }) => ({
    step: given.step,
    steps: given.steps,
    epoch: given.epoch,
    loss: given.loss,
    validationLoss: given.validation_loss,
    learningRate: given.learning_rate ?? 0,
    tokensPerSecond: given.tokens_per_second,
    etaSeconds: given.eta_seconds,
    ...(validations !== undefined && { validations }),
  }))

/**
 * Watches a machine until its fit ends, it is lost, or its budget is nearly used up: then it is asked for a checkpoint
 * first. Time is this clock's. Reports progress to the job's stream and to the workflow.
 */
export async function watchMachine(deps: RentalDeps, ref: LeaseRef): Promise<MachineEnd> {
  return await runActivity(deps.log, async (activity) => {
    const op = operationOf(deps, ref)
    const over = new AbortController()
    const teller = createProgressTeller(deps, ref, () => over.abort())
    const rental = await requireRental(op, ref.jobId)
    try {
      return await withMachines(deps, op, rental, async (provider) => {
        const presence = new Presence(provider)
        const limits = limitsOf(deps.limits, rental)
        let toldAt = -Infinity
        let lastStep = 0
        for (;;) {
          activity.signal.throwIfAborted()
          if (over.signal.aborted) throw COMPILE_ERRORS.already_finished('the job is over')
          const now = deps.now()
          const state = await requireRental(op, ref.jobId)
          const lease = state.leases.find(({ id }) => id === ref.leaseId)
          if (lease === undefined || lease.endedAt !== null) return ended('lost')
          const end = endOf(lease, now, limits)
          if (end !== null) return end
          if (await presence.isGone(lease, activity.signal)) return ended('lost')
          if (lease.closingAt === null && now >= deadline(state, lease)) await closeLease(op, lease.id)
          const progress = Progress.safeParse(lease.progress)
          if (progress.success && progress.data.step > lastStep) {
            lastStep = progress.data.step
            teller.tell(progress.data)
          }
          const seen = seenOf(state, lease, now)
          activity.note(seen)
          if (now.getTime() - toldAt >= SIGNAL_MS) {
            toldAt = now.getTime()
            await signalRentalSeen(deps.temporal, ref.jobId, seen).catch(() => undefined)
          }
          await sleep(LOOK_MS, undefined, { signal: activity.signal })
        }
      })
    } finally {
      await teller.settle()
    }
  })
}

/** Returns the facts of a machine that Temporal's pages show. */
function seenOf(rental: RentalFacts, lease: LeaseFacts, now: Date) {
  const micros = rental.costUsdMicros + costOf(lease, now)
  return {
    number: lease.number,
    costUsd: Math.ceil(micros / 10_000) / 100,
    budgetUsd: rental.budgetUsdMicros / 1_000_000,
    deadline: deadline(rental, lease).toISOString(),
    heartbeat: lease.seenAt?.toISOString() ?? null,
  }
}

function deadline({ budgetUsdMicros, costUsdMicros }: RentalFacts, lease: LeaseFacts): Date {
  return deadlineOf(lease, { budgetUsdMicros, spentUsdMicros: costUsdMicros })
}

type SilenceLimits = Pick<RentalDeps['limits'], 'rental_start_s' | 'rental_silent_s'>

/** A worker of a pool keeps its fit longer than a rented machine, whose silence costs money. */
function limitsOf(limits: RentalDeps['limits'], { lane }: RentalFacts): SilenceLimits {
  return lane === 'pool' ? { ...limits, rental_silent_s: limits.pool_lease_s } : limits
}

function endOf(lease: LeaseFacts, now: Date, limits: SilenceLimits): MachineEnd | null {
  const { result, failureCode, closingAt, checkpointAt, openedAt, seenAt, orderedAt } = lease
  if (result !== null) return ended('fitted')
  if (failureCode !== null) {
    return { end: 'failed', code: FIT_FAILURES.find((code) => code === failureCode) ?? 'internal' }
  }
  if (closingAt !== null) {
    const isSaved = checkpointAt !== null && checkpointAt > closingAt
    if (isSaved || openedAt === null || now.getTime() - closingAt.getTime() > CLOSING_MS) return ended('budget_used')
    return null
  }
  if (openedAt === null) {
    return now.getTime() - orderedAt.getTime() > limits.rental_start_s * 1000 ? ended('lost') : null
  }
  const seen = seenAt ?? openedAt
  return now.getTime() - seen.getTime() > limits.rental_silent_s * 1000 ? ended('lost') : null
}

function ended(end: Exclude<MachineEnd['end'], 'failed'>): MachineEnd {
  return { end, code: null }
}

/**
 * Looks whether the provider still has a machine. A provider that does not answer proves nothing; machines of a pool have none.
 */
class Presence {
  readonly #provider: PodProvider | null
  #listedAt = -Infinity
  #missed = 0

  constructor(provider: PodProvider | null) {
    this.#provider = provider
  }

  async isGone({ machineName }: LeaseFacts, signal: AbortSignal): Promise<boolean> {
    if (this.#provider === null || performance.now() - this.#listedAt < LIST_MS) return false
    this.#listedAt = performance.now()
    const machines = await this.#provider.list(signal).catch(() => null)
    if (signal.aborted || machines === null) return false
    this.#missed = machines.some(({ name }) => name === machineName) ? 0 : this.#missed + 1
    return this.#missed >= MISSED_LISTS
  }
}
