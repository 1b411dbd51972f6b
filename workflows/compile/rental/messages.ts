import { defineSignal } from '@temporalio/workflow'
import { SIGNALS } from '../../kernel/names.ts'

/** Input of a rental: ids only. */
export interface RentalInput {
  readonly jobId: string
  readonly tenantId: string
  readonly inputSha256: string
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

/** Sent occasionally while a machine works; only shown to people. */
export const rentalSeenSignal = defineSignal<[RentalSeen]>(SIGNALS.rentalSeen)
