import type { BenchService } from '../harness/service.ts'

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
  /**
   * Attacks `service`, which all attacks share, and which runs with the default limits except for sign-ups and anonymous
   * tenants per address. An attack that needs other settings starts a service of its own with `startBenchService`.
   */
  run(service: BenchService): Promise<readonly AttackFigure[]>
}
