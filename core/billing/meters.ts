import { PLANS, type PlanId } from '../kernel/tenant/plans.ts'

/** A measure of a tenant's use. `source` names how it is measured: only counted meters are ever billed. */
export interface Meter {
  readonly id: MeterId
  readonly label: string
  readonly unit: 'event' | 'run' | 'build' | 'job' | 'token' | 'call' | 'seat' | 'artifact' | 'byte' | 'usd' | 'unit'
  readonly category: 'capture' | 'compile' | 'inference' | 'account' | 'registry' | 'cost'
  /** True for the meters that plans are priced by; the others are shown for information. */
  readonly isBillable: boolean
  /** `period`: summed over a month. `now`: the current amount. `none`: not measured yet. */
  readonly counts: 'period' | 'now' | 'none'
}

/** Every meter by its id. */
const DECLARED = {
  captured_events: ['Captured events', 'event', 'capture', true, 'period'],
  stored_events: ['Stored events', 'event', 'capture', true, 'now'],
  optimization_runs: ['Distillations started', 'run', 'compile', true, 'period'],
  builds: ['Signed builds', 'build', 'compile', true, 'period'],
  distillation_jobs: ['Compiles that asked a teacher', 'job', 'compile', true, 'period'],
  hosted_inference: ['Tokens of models that ran here', 'token', 'inference', true, 'period'],
  gateway_calls: ['Metered calls', 'call', 'inference', true, 'period'],
  team_seats: ['Seats in use', 'seat', 'account', true, 'now'],
  artifact_signing: ['Signed artifacts', 'artifact', 'registry', true, 'period'],
  private_registry_artifacts: ['Artifacts kept', 'artifact', 'registry', true, 'now'],
  enterprise_sync_volume: ['Bytes synchronised', 'byte', 'account', true, 'none'],
  capture_count: ['Events received', 'event', 'capture', false, 'period'],
  distill_synth_count: ['Rows that a teacher labelled', 'event', 'compile', false, 'period'],
  compile_jobs: ['Compiles accepted', 'job', 'compile', false, 'period'],
  replay_runs: ['Replays', 'run', 'compile', false, 'none'],
  bakeoff_runs: ['Bake-offs', 'run', 'compile', false, 'period'],
  sim_events: ['Simulated events', 'event', 'compile', false, 'none'],
  gateway_calls_estimated: ['Metered calls whose tokens and cost are estimates', 'call', 'inference', false, 'period'],
  tokens_in: ['Tokens read by models', 'token', 'inference', false, 'period'],
  tokens_out: ['Tokens written by models', 'token', 'inference', false, 'period'],
  spend_usd: ['Paid to model providers', 'usd', 'cost', false, 'period'],
  storage_bytes: ['Bytes of artifacts kept', 'byte', 'registry', false, 'now'],
  sync_push_count: ['Synchronisations', 'run', 'account', false, 'none'],
  privacy_redactions: ['Redactions', 'event', 'capture', false, 'none'],
  quota_units: ['Units charged to the monthly quota', 'unit', 'account', false, 'period'],
} as const satisfies Record<
  string,
  readonly [label: string, Meter['unit'], Meter['category'], isBillable: boolean, Meter['counts']]
>

/** The id of a meter. */
export type MeterId = keyof typeof DECLARED

/** The meters of the service, billable ones first. */
export const METERS: readonly Meter[] = Object.entries(DECLARED).map(
  ([id, [label, unit, category, isBillable, counts]]) => ({
    id: id as MeterId,
    label,
    unit,
    category,
    isBillable,
    counts,
  }),
)

/** A tenant's cap per meter: calls, events and builds share the quota, seats come from the plan. */
export type MeterCaps = Readonly<Partial<Record<MeterId, number>>>

/**
 * The caps that the service enforces. A call, an event and a build each cost units of the quota, so a tenant that does
 * only the one or the other gets so many.
 */
export function capsOf(tenant: {
  readonly plan: PlanId
  readonly quota: number
  readonly unitsPerCall: number
  readonly unitsPerEvent: number
  readonly unitsPerBuild: number
}): MeterCaps {
  return {
    quota_units: tenant.quota,
    ...(tenant.unitsPerCall > 0 && { gateway_calls: Math.floor(tenant.quota / tenant.unitsPerCall) }),
    ...(tenant.unitsPerEvent > 0 && { captured_events: Math.floor(tenant.quota / tenant.unitsPerEvent) }),
    ...(tenant.unitsPerBuild > 0 && { builds: Math.floor(tenant.quota / tenant.unitsPerBuild) }),
    team_seats: PLANS[tenant.plan].seats,
  }
}

/**
 * Returns the amounts at which a tenant is warned that a cap is near: 90 % of the calls, 80 % of everything else, all
 * of the seats.
 */
export function softCapsOf(caps: MeterCaps): MeterCaps {
  return Object.fromEntries(
    Object.entries(caps).map(([id, cap]) => {
      const share = id === 'team_seats' ? 1 : id === 'gateway_calls' ? 0.9 : 0.8
      return [id, Math.floor(cap * share)]
    }),
  )
}
