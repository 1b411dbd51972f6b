/** Figures of a lane, from the reference; none of them is measured here. */
interface LaneFigures {
  /** Tokens a second of a LoRA fit of a base with 3 thousand million parameters. */
  readonly tokensPerSecond: number
  /** Null for a lane without a price by the hour. */
  readonly usdPerHour: number | null
  readonly coldStartS: number
}

const FIGURES: Readonly<Record<string, LaneFigures>> = {
  'local-cuda': { tokensPerSecond: 4500, usdPerHour: 0, coldStartS: 0 },
  'local-mlx': { tokensPerSecond: 1200, usdPerHour: 0, coldStartS: 0 },
  'local-cpu': { tokensPerSecond: 50, usdPerHour: 0, coldStartS: 0 },
  'remote-ssh': { tokensPerSecond: 4000, usdPerHour: null, coldStartS: 0 },
  gpu_serverless: { tokensPerSecond: 5500, usdPerHour: 2.5, coldStartS: 5 },
  gpu_pods: { tokensPerSecond: 6000, usdPerHour: 1.2, coldStartS: 60 },
  gpu_market: { tokensPerSecond: 5000, usdPerHour: 0.5, coldStartS: 60 },
  gpu_vm: { tokensPerSecond: 5500, usdPerHour: 2, coldStartS: 90 },
  finetune_managed: { tokensPerSecond: 4000, usdPerHour: null, coldStartS: 0 },
}

/** Factors of the throughput by the largest size that they hold for, in thousand millions of parameters. */
const SIZE_FACTORS = [
  [1.5, 1.6],
  [3, 1],
  [7, 0.55],
  [14, 0.3],
  [30, 0.15],
] as const
const LARGEST_FACTOR = 0.07

const EPOCHS = 3
const BATCH = 4
const SEQUENCE_TOKENS = 1024
const HOUR_S = 3600

/** What a fit is estimated to take on a lane. */
export interface FitEstimate {
  readonly tokens: number
  readonly tokensPerSecond: number
  readonly durationS: number
  readonly coldStartS: number
  /** Null where the lane has no price by the hour. */
  readonly costUsd: number | null
}

/**
 * Estimates a LoRA fit: `ceil(rows * epochs / batch) * batch * sequence` tokens, forward and backward, at the lane's
 * reference throughput (reference, section 3). Returns null for a lane without figures.
 */
export function estimateFit(laneId: string, { rows, paramsB }: { rows: number; paramsB: number }): FitEstimate | null {
  const figures = FIGURES[laneId]
  if (figures === undefined) return null
  const factor = SIZE_FACTORS.find(([most]) => paramsB <= most)?.[1] ?? LARGEST_FACTOR
  const tokens = Math.ceil((rows * EPOCHS) / BATCH) * BATCH * SEQUENCE_TOKENS
  const tokensPerSecond = figures.tokensPerSecond * factor
  const durationS = (2 * tokens) / tokensPerSecond
  return {
    tokens,
    tokensPerSecond,
    durationS: Math.round(durationS),
    coldStartS: figures.coldStartS,
    costUsd: figures.usdPerHour === null ? null : Number(((figures.usdPerHour * durationS) / HOUR_S).toFixed(4)),
  }
}
