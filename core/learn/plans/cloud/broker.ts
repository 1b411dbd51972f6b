import type { Trainer } from '../doctor/trainers.ts'
import type { PrivacyMode } from '../strategy/catalog.ts'
import { isLane, type Lane as RentedLane } from '../../../compile/stages/rentals/lanes.ts'
import { BROKER_SPEC, LANES, type Lane, type Workload } from './lanes.ts'
import { estimateFit, type FitEstimate, type RentedRates } from './prices.ts'
import { shellQuote } from './shell-quote.ts'

/** The work to place. */
export interface BrokerProfile {
  readonly workload: Workload
  readonly privacy: PrivacyMode
  /** Thousand millions of parameters. */
  readonly params_b: number
  readonly rows: number
  readonly budget_usd: number
  readonly context_tokens: number
  readonly base_model?: string | undefined
  readonly dataset?: string | undefined
  readonly artifact?: string | undefined
  readonly name?: string | undefined
  readonly no_local_gpu: boolean
}

/** The facts of this installation. */
export interface BrokerFacts {
  /** Trainers that listen now; null when Temporal could not be asked. */
  readonly trainers: readonly Trainer[] | null
  /** Name of the machine that answers. */
  readonly host: string
  /** True when other machines can fetch what the service stores. */
  readonly isPublic: boolean
  /** Rented lanes for which the caller or the operator has a key, where machines can be rented at all. */
  readonly rentable: readonly RentedLane[]
  readonly rates: RentedRates
}

/** A lane with its place for a profile. */
export interface RankedLane extends Lane {
  readonly state: 'ready' | 'needs_configuration' | 'infeasible' | 'not_available'
  readonly score: number
  readonly feasible: boolean
  readonly configured: boolean
  readonly blockers: readonly string[]
  readonly estimate: FitEstimate | null
  /** Of a lane that is ready. */
  readonly command: string | null
}

/** A ranking of the lanes: it starts nothing and holds no secret. */
export interface BrokerPlan {
  readonly spec: typeof BROKER_SPEC
  readonly profile: BrokerProfile
  /** Null when no lane fits on which this service runs the work. */
  readonly recommendation: RankedLane | null
  readonly ranked: readonly RankedLane[]
}

const TRAINING: readonly Workload[] = ['train', 'distill']
const GPU_DEVICES: readonly string[] = ['cuda']

/**
 * Ranks the lanes for a profile (reference, section 3): by score, then by id. Recommended is the first that is ready, else
 * the first that needs configuration; never one that the work does not fit or on which this service does not run it.
 */
export function planCompute(profile: BrokerProfile, facts: BrokerFacts): BrokerPlan {
  const ranked = LANES.map((lane) => rank(lane, profile, facts)).toSorted(
    (a, b) => b.score - a.score || (a.id < b.id ? -1 : 1),
  )
  const first = (state: RankedLane['state']) => ranked.find((lane) => lane.state === state)
  const recommendation = first('ready') ?? first('needs_configuration') ?? null
  return { spec: BROKER_SPEC, profile, recommendation, ranked }
}

function rank(lane: Lane, profile: BrokerProfile, facts: BrokerFacts): RankedLane {
  const { workload } = profile
  const runs = lane.runsHere.includes(workload)
  const blockers = blockersOf(lane, profile, facts)
  const configured = isConfigured(lane, facts)
  const feasible = blockers.length === 0
  const isTraining = TRAINING.includes(workload)
  const estimate = isTraining
    ? estimateFit(lane.id, { rows: profile.rows, paramsB: profile.params_b }, facts.rates)
    : null
  const isOver = profile.budget_usd > 0 && (estimate?.costUsd ?? 0) > profile.budget_usd
  const caveats = [...lane.caveats, ...(isOver ? ['the estimate is above the budget'] : [])]
  const known = feasible ? (configured ? 'ready' : 'needs_configuration') : 'infeasible'
  const isUnknown = lane.workloads.includes(workload) && !runs
  const state = isUnknown ? 'not_available' : known
  return {
    ...lane,
    caveats,
    state,
    score: scoreOf({ ...lane, caveats }, profile, { feasible, configured }),
    feasible: feasible && !isUnknown,
    configured,
    blockers: isUnknown ? ['not_available', ...blockers] : blockers,
    estimate,
    command: state === 'ready' ? commandOf(lane, profile) : null,
  }
}

function blockersOf(lane: Lane, { workload, privacy, params_b: paramsB }: BrokerProfile, facts: BrokerFacts) {
  const isCpuTraining = lane.id === 'local-cpu' && TRAINING.includes(workload)
  const isHere = lane.execution === 'local' || lane.execution === 'self_hosted'
  return [
    ...(isCpuTraining ? ['cpu_training_refused'] : []),
    ...(lane.workloads.includes(workload) || isCpuTraining ? [] : [`workload_${workload}_not_supported`]),
    ...(paramsB > lane.maxParamsB ? ['model_size_exceeds_lane_capacity'] : []),
    ...(lane.privacy.includes(privacy) ? [] : [`privacy_mode_${privacy}_not_allowed`]),
    ...(isHere || facts.isPublic ? [] : ['cloud_artifact_storage_not_configured']),
  ]
}

function isConfigured({ id }: Lane, { trainers, host, rentable }: BrokerFacts): boolean {
  if (isLane(id)) return rentable.includes(id)
  const gpus = (trainers ?? []).filter(({ device }) => device !== null && GPU_DEVICES.includes(device))
  if (id === 'local-cpu') return (trainers ?? []).some(({ kind }) => kind === 'embedded')
  if (id === 'local-cuda') return gpus.some((trainer) => trainer.host === host)
  return id === 'remote-ssh' && gpus.some((trainer) => trainer.host !== host)
}

function scoreOf(
  lane: Lane,
  { workload, privacy, budget_usd: budget, no_local_gpu: hasNone }: BrokerProfile,
  { feasible, configured }: { readonly feasible: boolean; readonly configured: boolean },
): number {
  const isTraining = TRAINING.includes(workload)
  const isStrict = privacy === 'regulated' || privacy === 'airgap'
  return (
    (lane.workloads.includes(workload) ? 35 : 0) +
    (feasible ? 25 : 0) +
    (configured ? 20 : -8) +
    (lane.execution === 'local' && privacy === 'airgap' ? 20 : 0) +
    (lane.execution === 'self_hosted' && isStrict ? 16 : 0) +
    (lane.execution === 'managed_training' && isTraining ? 8 : 0) +
    Math.max(0, 10 - lane.costRank) +
    Math.max(0, 10 - lane.latencyRank) -
    (hasNone && (lane.category === 'local-gpu' || lane.category === 'local-npu') ? 35 : 0) -
    2 * lane.caveats.length -
    (budget > 0 && lane.costRank >= 5 ? 5 : 0)
  )
}

function commandOf({ id }: Lane, profile: BrokerProfile): string {
  const { workload, dataset, artifact, base_model: base, name } = profile
  if (isLane(id)) return rentCommand(id, profile)
  const target = shellQuote(artifact ?? 'artifact.svc')
  if (workload === 'inference') return `svc run ${target} --lines`
  if (workload === 'serve') return 'svc up'
  const words = [
    'svc compile',
    ...(workload === 'distill'
      ? ['--from-captures', shellQuote(dataset ?? 'default')]
      : ['--', shellQuote(dataset ?? 'examples.jsonl')]),
  ]
  const flags = [
    ...(name === undefined ? [] : ['--task', shellQuote(name)]),
    ...(base === undefined ? [] : ['--base', shellQuote(base)]),
    ...(id === 'local-cpu' ? [] : ['--kind lora --trainer peft']),
    ...(workload === 'distill' ? ['--objective distillation'] : []),
  ]
  const [verb = '', ...rest] = words
  return [verb, ...flags, ...rest].join(' ')
}

/** A quote where the profile has no budget: a compile on a rented machine needs one. */
function rentCommand(lane: RentedLane, { dataset, base_model: base, name, budget_usd: budget }: BrokerProfile): string {
  return [
    budget > 0 ? 'svc cloud compile' : 'svc cloud quote',
    `--lane ${lane}`,
    ...(budget > 0 ? [`--budget ${budget}`] : []),
    ...(name === undefined ? [] : ['--task', shellQuote(name)]),
    ...(base === undefined ? [] : ['--base', shellQuote(base)]),
    `-- ${shellQuote(dataset ?? 'examples.jsonl')}`,
  ].join(' ')
}
