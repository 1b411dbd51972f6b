import { DEFAULT_LIMITS } from '../../core/limits.ts'
import type { BenchService } from '../harness/service.ts'
import type { Surroundings } from '../harness/surroundings.ts'

/** One measured result of an attack, with the bound that it must keep. */
export interface AttackFigure {
  readonly what: string
  readonly value: number
  readonly limit: number
  /** `at-most`: the value must not exceed the limit. `at-least`: it must reach it. */
  readonly bound: 'at-most' | 'at-least'
}

/** A bounded attack on a running service, and what it measures while the attack lasts. */
export interface Attack {
  readonly name: string
  /** Limits beside the default ones; without them sign-ups and anonymous tenants per address alone are raised. */
  readonly limits?: Readonly<Record<string, number>>
  /** Attacks `service`, which all attacks share; one that needs a stack apart starts it with `startBenchService`. */
  run(service: BenchService, surroundings: Surroundings): Promise<readonly AttackFigure[]>
}

/** The default limits of an address, for attacks that measure them. */
export const LIMITS_OF_ADDRESSES = {
  signups_per_ip_day: DEFAULT_LIMITS.signups_per_ip_day,
  anon_per_ip_day: DEFAULT_LIMITS.anon_per_ip_day,
} as const

/** A figure that must not exceed its limit, 0 when absent. */
export function atMost(what: string, value: number, limit = 0): AttackFigure {
  return { what, value, limit, bound: 'at-most' }
}

/** A figure that must reach its limit. */
export function atLeast(what: string, value: number, limit: number): AttackFigure {
  return { what, value, limit, bound: 'at-least' }
}
