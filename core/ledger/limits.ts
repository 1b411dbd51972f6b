import type { LimitName as KernelLimitName, LimitsOf } from '../kernel/limits.ts'

/** Limits of receipts and their secrets. Units stand in the names. */
export const LEDGER_LIMITS = {
  receipt_secrets_per_tenant: 100,
} as const

/** Name of a limit of this area or of one below it. */
export type LimitName = KernelLimitName | keyof typeof LEDGER_LIMITS
/** The limits in force that this area reads. */
export type Limits = LimitsOf<LimitName>
