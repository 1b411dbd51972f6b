import type { Lane } from '../lanes.ts'

/** US dollars an hour of a lane where the operator states no price: list prices of one GPU, as a first guess. */
export const USUAL_USD_PER_HOUR: Readonly<Record<Lane, number>> = {
  gpu_pods: 1.2,
  gpu_serverless: 2.5,
  gpu_vm: 2,
  gpu_market: 0.5,
}

/** Tokens a second of a fit with 3 billion parameters, as the specification states them; not measured here. */
const REFERENCE_TOKENS_PER_SECOND: Readonly<Record<Lane, number>> = {
  gpu_pods: 6000,
  gpu_serverless: 5500,
  gpu_vm: 5500,
  gpu_market: 5000,
}

/** Seconds from an order to a machine that works, as the specification states them; charged for as well. */
export const COLD_START_S: Readonly<Record<Lane, number>> = {
  gpu_pods: 60,
  gpu_serverless: 5,
  gpu_vm: 90,
  gpu_market: 60,
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
export function referenceSpeed(lane: Lane, parametersB: number): number {
  return REFERENCE_TOKENS_PER_SECOND[lane] * sizeFactor(parametersB)
}
