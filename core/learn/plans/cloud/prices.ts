import { isLane, type Lane as RentedLane } from '../../../compile/stages/rentals/lanes.ts'
import { COLD_START_S, referenceSpeed, sizeFactor } from '../../../compile/stages/rentals/quote/reference.ts'

/** US dollars an hour of each rented lane, as the operator's settings state them. */
export type RentedRates = Readonly<Record<RentedLane, number>>

/** Figures of a lane that is not rented, from the reference; none of them is measured here. */
interface LaneFigures {
  /** Tokens a second of a LoRA fit of a base with 3 thousand million parameters. */
  readonly tokensPerSecond: number
  /** Null for a lane without a price by the hour. */
  readonly usdPerHour: number | null
}

const FIGURES: Readonly<Record<string, LaneFigures>> = {
  'local-cuda': { tokensPerSecond: 4500, usdPerHour: 0 },
  'local-mlx': { tokensPerSecond: 1200, usdPerHour: 0 },
  'local-cpu': { tokensPerSecond: 50, usdPerHour: 0 },
  'remote-ssh': { tokensPerSecond: referenceSpeed('pool', 3), usdPerHour: null },
  finetune_managed: { tokensPerSecond: 4000, usdPerHour: null },
}

const EPOCHS = 3
const BATCH = 4
const SEQUENCE_TOKENS = 1024
const HOUR_S = 3600

/** The estimate of a fit on a lane. */
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
 * reference throughput (reference, section 3), by the table of the quotes of rented machines. Returns null for a lane
 * without figures.
 */
export function estimateFit(
  laneId: string,
  { rows, paramsB }: { readonly rows: number; readonly paramsB: number },
  rates: RentedRates,
): FitEstimate | null {
  const figures = figuresOf(laneId, paramsB, rates)
  if (figures === null) return null
  const { tokensPerSecond, usdPerHour, coldStartS } = figures
  const tokens = Math.ceil((rows * EPOCHS) / BATCH) * BATCH * SEQUENCE_TOKENS
  const durationS = (2 * tokens) / tokensPerSecond
  return {
    tokens,
    tokensPerSecond,
    durationS: Math.round(durationS),
    coldStartS,
    costUsd: usdPerHour === null ? null : Number(((usdPerHour * durationS) / HOUR_S).toFixed(4)),
  }
}

function figuresOf(laneId: string, paramsB: number, rates: RentedRates) {
  if (isLane(laneId)) {
    const [tokensPerSecond, coldStartS] = [referenceSpeed(laneId, paramsB), COLD_START_S[laneId]]
    return { tokensPerSecond, coldStartS, usdPerHour: rates[laneId] }
  }
  const figures = FIGURES[laneId]
  if (figures === undefined) return null
  return { ...figures, tokensPerSecond: figures.tokensPerSecond * sizeFactor(paramsB), coldStartS: 0 }
}
