/** A figure and where it comes from. */
export interface SourcedFigure {
  readonly value: number
  readonly source: string
}

/** When the figures were last compared with their sources. */
export const FIGURES_AS_OF = '2026-11-23'

const nvidia = (value: number, page: string): SourcedFigure => ({
  value,
  source: `maximum power by NVIDIA's page, https://www.nvidia.com/en-us/${page}/`,
})
const assumed = (value: number, why: string): SourcedFigure => ({ value, source: `assumption: ${why}` })
const APPLE = 'power of the chip under load; Apple states that of whole machines alone'

/** Power of accelerators, watts. */
export const GPU_WATTS = {
  'A100-80GB': nvidia(400, 'data-center/a100'),
  'A100-40GB': nvidia(400, 'data-center/a100'),
  'H100-SXM5': nvidia(700, 'data-center/h100'),
  'H100-PCIe': nvidia(350, 'data-center/h100'),
  H200: nvidia(700, 'data-center/h200'),
  B200: nvidia(1000, 'data-center/dgx-b200'),
  L40S: nvidia(350, 'data-center/l40s'),
  'RTX-5090': nvidia(575, 'geforce/graphics-cards/50-series/rtx-5090'),
  'RTX-4090': nvidia(450, 'geforce/graphics-cards/40-series/rtx-4090'),
  'RTX-3090': nvidia(350, 'geforce/graphics-cards/30-series/rtx-3090-3090ti'),
  'RTX-A6000': nvidia(300, 'products/workstations/rtx-a6000'),
  MI300X: {
    value: 750,
    source:
      "typical board power by AMD's page, https://www.amd.com/en/products/accelerators/instinct/mi300/mi300x.html",
  },
  'M2-Ultra': assumed(215, APPLE),
  'M3-Max': assumed(90, APPLE),
  'M4-Max': assumed(110, APPLE),
  'CPU-default': assumed(95, 'a server processor; stands for every unknown name'),
} as const satisfies Readonly<Record<string, SourcedFigure>>

/** Stands for a name that the list does not have. */
export const DEFAULT_GPU = 'CPU-default'

/** A grid: the figure that is used, and a published one of the country or the grid to compare it with, kg CO2e a kWh. */
export interface GridFigure {
  readonly value: number
  /** Null where none was compared. */
  readonly published: SourcedFigure | null
}

const ember = (value: number, place: string): SourcedFigure => ({
  value,
  source: `${place}, 2023, lifecycle: Ember by https://ourworldindata.org/grapher/carbon-intensity-electricity`,
})

/** Emissions of electricity by region of a cloud, kg CO2e a kWh; rounded yearly averages of the grid. */
export const GRID_KG = {
  'us-west-2': { value: 0.18, published: null },
  'us-west-1': { value: 0.21, published: null },
  'us-east-1': {
    value: 0.4,
    published: {
      value: 0.379,
      source: 'SERC: EPA eGRID by https://github.com/cloud-carbon-footprint/cloud-carbon-coefficients',
    },
  },
  'us-east-2': { value: 0.45, published: null },
  'eu-west-1': { value: 0.3, published: ember(0.291, 'Ireland') },
  'eu-west-2': { value: 0.21, published: null },
  'eu-central-1': { value: 0.45, published: ember(0.381, 'Germany') },
  'eu-north-1': { value: 0.05, published: null },
  'ap-northeast-1': { value: 0.5, published: null },
  'ap-northeast-2': { value: 0.45, published: null },
  'ap-south-1': { value: 0.7, published: ember(0.713, 'India') },
  'ap-southeast-1': { value: 0.45, published: null },
  'ap-southeast-2': { value: 0.65, published: ember(0.549, 'Australia') },
  'global-avg': {
    value: 0.475,
    published: {
      value: 0.481,
      source: 'world, 2023: Ember by https://www.statista.com/statistics/943137',
    },
  },
} as const satisfies Readonly<Record<string, GridFigure>>

/** Stands for no region and for an unknown one. */
export const DEFAULT_REGION = 'global-avg'

/** Emissions of electricity at providers of models, kg CO2e a kWh: they do not state where a call is answered. */
export const PROVIDER_GRID_KG = assumed(
  0.42,
  'providers state no region; between the averages of the USA and the world',
)

/** Energy of a thousand tokens by size of the model, watt-hours. */
export const WH_PER_1K_TOKENS = {
  small: assumed(0.3, 'order of magnitude of published measurements of models below 10 billion parameters'),
  medium: assumed(2.5, 'order of magnitude of published measurements of models of tens of billions of parameters'),
  large: assumed(7, 'order of magnitude of published estimates of models of hundreds of billions of parameters'),
} as const satisfies Readonly<Record<string, SourcedFigure>>

/** Providers that the estimate by tokens is for. */
export const CARBON_PROVIDERS = ['openai', 'anthropic', 'google'] as const
