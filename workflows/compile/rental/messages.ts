import { defineSignal } from '@temporalio/workflow'
import { SIGNALS } from '../../kernel/names.ts'

/** Input of a rental: ids only. */
export interface RentalInput {
  readonly jobId: string
  readonly tenantId: string
  readonly inputSha256: string
  /** True for a fit that a worker of the tenant's pool leases; absent for a rented machine. */
  readonly isPool?: true
}

/** The state of a rented machine, as it was last seen. */
export interface RentalSeen {
  /** Number of the machine within its rental, from 1. */
  readonly number: number
  readonly costUsd: number
  readonly budgetUsd: number
  readonly deadline: string
  /** When the machine was last heard; null before its first call. */
  readonly heartbeat: string | null
}

/** Sent when a worker of a pool has leased the fit, or has ended it. */
export const changedSignal = defineSignal(SIGNALS.changed)

/** Sent occasionally while a machine works; only shown to people. */
export const rentalSeenSignal = defineSignal<[RentalSeen]>(SIGNALS.rentalSeen)
