import {
  DEFAULT_GPU,
  DEFAULT_REGION,
  GPU_WATTS,
  GRID_KG,
  PROVIDER_GRID_KG,
  WH_PER_1K_TOKENS,
  type GridFigure,
  type SourcedFigure,
} from './figures.ts'

/** Share of its power that an accelerator takes where the caller states none. */
export const USUAL_UTILIZATION = 0.75

/** Work on an accelerator that the caller runs. */
export interface LocalWork {
  readonly gpu: string
  readonly hours: number
  /** Above 0, at most 1. */
  readonly utilization: number
  readonly region: string | undefined
}

/** Energy and emissions. */
export interface Footprint {
  readonly kwh: number
  readonly kgCo2e: number
}

/** The footprint of local work, with the figures that it is computed from. */
export interface LocalFootprint extends Footprint {
  readonly gpu: string
  readonly isGpuKnown: boolean
  readonly watts: SourcedFigure
  readonly region: string
  readonly isRegionKnown: boolean
  readonly grid: GridFigure
}

/** The footprint of tokens at a provider, likewise. */
export interface FrontierFootprint extends Footprint {
  readonly whPer1kTokens: SourcedFigure
  readonly grid: SourcedFigure
}

/** Estimates the footprint of work on an own machine: watts × utilization × hours / 1000 × kg a kWh. */
export function estimateLocal({ gpu, hours, utilization, region }: LocalWork): LocalFootprint {
  const watts = lookUp<SourcedFigure>(GPU_WATTS, gpu)
  const grid = lookUp<GridFigure>(GRID_KG, region ?? DEFAULT_REGION)
  const used = { watts: watts ?? GPU_WATTS[DEFAULT_GPU], grid: grid ?? GRID_KG[DEFAULT_REGION] }
  const kwh = (used.watts.value * utilization * hours) / 1000
  return {
    kwh,
    kgCo2e: kwh * used.grid.value,
    gpu: watts === undefined ? DEFAULT_GPU : gpu,
    isGpuKnown: watts !== undefined,
    region: grid === undefined ? DEFAULT_REGION : (region ?? DEFAULT_REGION),
    isRegionKnown: region !== undefined && grid !== undefined,
    ...used,
  }
}

/** Estimates the footprint of tokens at a provider: tokens / 1000 × Wh of a thousand tokens / 1000 × kg a kWh. */
export function estimateFrontier(tokens: number, size: keyof typeof WH_PER_1K_TOKENS): FrontierFootprint {
  const whPer1kTokens = WH_PER_1K_TOKENS[size]
  const kwh = ((tokens / 1000) * whPer1kTokens.value) / 1000
  return { kwh, kgCo2e: kwh * PROVIDER_GRID_KG.value, whPer1kTokens, grid: PROVIDER_GRID_KG }
}

function lookUp<T>(figures: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(figures, name) ? figures[name] : undefined
}
