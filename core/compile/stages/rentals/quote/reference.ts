import type { FitLane, Lane } from '../lanes.ts'

/** US dollars an hour of a lane where the operator states no price: list prices of one GPU, as a first guess. */
export const USUAL_USD_PER_HOUR: Readonly<Record<Lane, number>> = {
  gpu_pods: 1.2,
  gpu_serverless: 2.5,
  gpu_vm: 2,
  gpu_market: 0.5,
}

/** Tokens a second of a fit with 3 billion parameters, as the specification states them; not measured here. */
const REFERENCE_TOKENS_PER_SECOND: Readonly<Record<FitLane, number>> = {
  gpu_pods: 6000,
  gpu_serverless: 5500,
  gpu_vm: 5500,
  gpu_market: 5000,
  pool: 4000,
}

/** Seconds from an order to a machine that works, as the specification states them; charged for as well. */
export const COLD_START_S: Readonly<Record<FitLane, number>> = {
  gpu_pods: 60,
  gpu_serverless: 5,
  gpu_vm: 90,
  gpu_market: 60,
  pool: 0,
}

/** Speed by size of the base, in billions of parameters, against one of 3 billion. */
const SIZE_FACTORS = [
  { upTo: 1.5, factor: 1.6 },
  { upTo: 3, factor: 1 },
  { upTo: 7, factor: 0.55 },
  { upTo: 14, factor: 0.3 },
  { upTo: 30, factor: 0.15 },
] as const
const LARGER = 0.07

/** Returns the speed of a base of so many billions of parameters against one of 3 billion. */
export function sizeFactor(parametersB: number): number {
  return SIZE_FACTORS.find(({ upTo }) => parametersB <= upTo)?.factor ?? LARGER
}

/** Returns the reference speed of a fit, tokens a second. */
export function referenceSpeed(lane: FitLane, parametersB: number): number {
  return REFERENCE_TOKENS_PER_SECOND[lane] * sizeFactor(parametersB)
}

/** GPUs of a pool, as its workers and the jobs for them name them. */
export const GPU_SKUS = [
  'A100-40GB',
  'A100-80GB',
  'H100-80GB',
  'H100-80GB-NVL',
  'L40S-48GB',
  'RTX-4090',
  'RTX-5090',
] as const
/** A GPU of a pool. */
export type GpuSku = (typeof GPU_SKUS)[number]

/** Numbers of GPUs that work together. */
export const VRAM_TIERS = ['1x', '2x', '4x', '8x'] as const
/** A number of GPUs that work together. */
export type VramTier = (typeof VRAM_TIERS)[number]

/** US dollars an hour of one GPU, as the specification states them. */
const GPU_USD_PER_HOUR: Readonly<Record<GpuSku, number>> = {
  'A100-40GB': 1.1,
  'A100-80GB': 1.65,
  'H100-80GB': 1.99,
  'H100-80GB-NVL': 2.4,
  'L40S-48GB': 1.1,
  'RTX-4090': 0.4,
  'RTX-5090': 0.55,
}

/** The rate of several GPUs against that of one, as the specification states it. */
const TIER_FACTOR: Readonly<Record<VramTier, number>> = { '1x': 1, '2x': 1.85, '4x': 3.5, '8x': 6.8 }

/** GPUs of a job: which, and how many together. */
export interface Gpus {
  readonly sku: GpuSku
  readonly tier: VramTier
}

/** Returns the rate of these GPUs in millionths of a US dollar an hour. */
export function gpuRateUsdMicros({ sku, tier }: Gpus): number {
  return Math.round(GPU_USD_PER_HOUR[sku] * TIER_FACTOR[tier] * 1_000_000)
}
