import { z } from 'zod'
import { ACCOUNTS_LIMITS } from './accounts/limits.ts'
import { BILLING_LIMITS } from './billing/limits.ts'
import { COMPILE_LIMITS } from './compile/limits.ts'
import { GATEWAY_LIMITS } from './gateway/limits.ts'
import { KERNEL_LIMITS, type LimitsOf } from './kernel/limits.ts'
import { LEARN_LIMITS } from './learn/limits.ts'
import { mergeAreas } from './merge-areas.ts'
import { LEDGER_LIMITS } from './ledger/limits.ts'
import { OVERVIEW_LIMITS } from './overview/limits.ts'

/** The limits of each area, lowest first. */
export const LIMITS_BY_AREA = {
  kernel: KERNEL_LIMITS,
  ledger: LEDGER_LIMITS,
  accounts: ACCOUNTS_LIMITS,
  billing: BILLING_LIMITS,
  gateway: GATEWAY_LIMITS,
  compile: COMPILE_LIMITS,
  learn: LEARN_LIMITS,
  overview: OVERVIEW_LIMITS,
} as const

/** Every limit of the service, with its default. `SVC_LIMITS` overrides entries. */
export const DEFAULT_LIMITS = mergeAreas(LIMITS_BY_AREA)

/** Name of a limit. */
export type LimitName = keyof typeof DEFAULT_LIMITS
/** The limits in force. */
export type Limits = LimitsOf<LimitName>

const names = Object.keys(DEFAULT_LIMITS)
/** Names of times, money, shares and weights. Everything else is counted. */
const IN_PARTS = /(^|_)(ms|s|minutes|hours|days|usd|percent|weight)(_|$)/

/** Names of limits that others are divided by. */
const DIVISORS = /^(body_bytes_per_s|gate_unit_rows|holdout_unit_bytes|trainer_threads|compute_weight_\w+)$/

const Overrides = z
  .record(z.string(), z.number({ error: 'must be a number' }).nonnegative({ error: 'must not be negative' }))
  .superRefine((given, context) => {
    for (const [name, value] of Object.entries(given)) {
      const refuse = (message: string) => context.addIssue({ code: 'custom', path: [name], message })
      if (!Number.isInteger(value) && !IN_PARTS.test(name)) refuse('must be a whole number')
      if (value === 0 && DIVISORS.test(name)) refuse('must be more than 0')
    }
  })
  .refine((given) => Object.keys(given).every((name) => names.includes(name)), {
    error: (issue) => {
      const given = typeof issue.input === 'object' && issue.input !== null ? Object.keys(issue.input) : []
      return `unknown limits: ${given.filter((name) => !names.includes(name)).join(', ')}`
    },
  })

/**
 * The limits in force: the defaults with the overrides of `SVC_LIMITS`, a JSON object from name to number.
 * Throws an `Error` that names each entry that is unknown, no number, a part of something that is counted, or 0 where
 * others are divided by it, and for a text that is no JSON.
 */
export function resolveLimits(overrides: string | undefined): Limits {
  if (overrides === undefined || overrides === '') return DEFAULT_LIMITS
  const parsed = Overrides.safeParse(readJson(overrides))
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => [...path.map(String), message].join(' '))
    throw new Error(`SVC_LIMITS: ${problems.join('; ')}`)
  }
  return { ...DEFAULT_LIMITS, ...parsed.data }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error('SVC_LIMITS: is not JSON', { cause: error })
  }
}
