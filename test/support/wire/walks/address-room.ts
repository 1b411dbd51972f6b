import { DEFAULT_LIMITS } from '../../../../core/limits.ts'

/** Limits of addresses out of the way, for calls that all come from one. */
export const ADDRESS_ROOM = Object.fromEntries(
  Object.keys(DEFAULT_LIMITS)
    .filter((name) => name.includes('_per_ip_') || name.includes('_per_address_'))
    .map((name) => [name, 1_000_000]),
)
