import { hashJson, type Sha256 } from '../../../../kernel/json/json.ts'
import { KV_BYTES, methodOf, PICK_ORDER, QUANT_NAMES, type KvPrecision, type Quant } from './methods.ts'

/** Attention sizes that determine the key-value cache. */
export interface Attention {
  readonly layers: number
  readonly kvHeads: number
  readonly headDim: number
  /** Source of the sizes, for people. */
  readonly source: string
}

/** A model on a machine. */
export interface FitInput {
  /** Billions (10^9) of parameters. */
  readonly paramsB: number
  /** Memory of the machine in GB (10^9 bytes). */
  readonly vramGb: number
  /** Tokens that are kept per sequence. */
  readonly context: number
  /** Sequences at once. */
  readonly batch: number
  readonly kvPrecision: KvPrecision
  /** The sizes of the attention; undefined gives an estimate from the number of parameters. */
  readonly attention?: Attention | undefined
  /** The CUDA compute capability of the machine, when it is known. */
  readonly computeCapability?: number | undefined
}

/** Classes of fit. */
export type FitClass = 'comfortable' | 'tight' | 'over'

/** Memory of a model by part; all sizes in GB (10^9 bytes), rounded to 0.1. */
export interface MemoryFit {
  readonly quant: Quant
  readonly fits: boolean
  /** Less than a tenth of the memory is left. */
  readonly tight: boolean
  readonly fitClass: FitClass
  readonly totalGb: number
  readonly weightsGb: number
  readonly kvGb: number
  readonly activationsGb: number
  readonly overheadGb: number
  readonly headroomGb: number
  readonly bytesPerParam: number
  readonly recommendation: string
  readonly assumptions: readonly string[]
  readonly sha256: Sha256
}

/** Memory of the process itself: context, kernels, fragmentation. */
const OVERHEAD_GB = 1
const ACTIVATION_SHARE = 0.08
const TIGHT_SHARE = 0.1
/** Cache of an fp16 model of 10^9 parameters at `KV_CONTEXT` tokens: an average over architectures. */
const KV_GB_PER_BILLION = 0.18
const KV_CONTEXT = 8192

/**
 * Computes whether a model fits into memory. Each term is rounded to 0.1 GB before they are added:
 *
 * - Weights: parameters times bytes per parameter.
 * - Activations: 8 % of the weights.
 * - Overhead: 1 GB.
 * - Cache: 2 * layers * kv heads * head width * context * batch * bytes when the attention is known, else 0.18 GB per
 *   10^9 parameters and 8192 tokens.
 */
export function fitMemory(input: FitInput, quant: Quant): MemoryFit {
  const { bytesPerParam } = methodOf(quant)
  const weights = input.paramsB * bytesPerParam
  const weightsGb = tenth(weights)
  const kvGb = tenth(cacheGb(input))
  const activationsGb = tenth(ACTIVATION_SHARE * weights)
  const totalGb = tenth(weightsGb + kvGb + activationsGb + OVERHEAD_GB)
  const fits = totalGb <= input.vramGb
  const headroomGb = tenth(input.vramGb - totalGb)
  const tight = fits && input.vramGb - totalGb < TIGHT_SHARE * input.vramGb
  const fitClass = fits ? (tight ? 'tight' : 'comfortable') : 'over'
  const split = { weightsGb, kvGb, activationsGb, overheadGb: OVERHEAD_GB, totalGb, headroomGb }
  return {
    quant,
    fits,
    tight,
    fitClass,
    ...split,
    bytesPerParam,
    recommendation: recommend(input, quant, fitClass),
    assumptions: assumptionsOf(input, quant),
    sha256: hashJson({ ...describe(input), quant, ...split, fit_class: fitClass }),
  }
}

/** The best way to store the weights that fits. */
export interface PickedFit {
  /** Null when none fits. */
  readonly picked: Quant | null
  readonly fit: MemoryFit | null
  readonly rationale: string
  /** Number of methods evaluated. */
  readonly evaluated: number
  /** The one that needs least, when none fits. */
  readonly smallestAttempt: MemoryFit | null
  readonly sha256: Sha256
}

/**
 * Picks the most exact storage of the weights that leaves a tenth of the memory free, else the first that fits at all.
 * A method that needs special hardware is used only when the machine is known to have it, or when `supported` names it.
 */
export function pickBestFit(input: FitInput, supported?: readonly Quant[]): PickedFit {
  const candidates = PICK_ORDER.filter((quant) => supported === undefined || supported.includes(quant))
  const passedOver: Quant[] = []
  let firstTight: MemoryFit | undefined
  let smallest: MemoryFit | undefined
  let evaluated = 0
  let best: MemoryFit | undefined
  for (const quant of candidates) {
    evaluated++
    const fit = fitMemory(input, quant)
    if (smallest === undefined || fit.totalGb < smallest.totalGb) smallest = fit
    if (!fit.fits) continue
    if (!isComputable(quant, input, supported)) {
      passedOver.push(quant)
      continue
    }
    if (fit.fitClass === 'comfortable') {
      best = fit
      break
    }
    firstTight ??= fit
  }
  const fit = best ?? firstTight ?? null
  return {
    picked: fit?.quant ?? null,
    fit,
    rationale: rationaleOf(fit, passedOver, evaluated),
    evaluated,
    smallestAttempt: fit === null ? (smallest ?? null) : null,
    sha256: hashJson({ ...describe(input), supported: supported ?? null, picked: fit?.quant ?? null, evaluated }),
  }
}

function cacheGb({ paramsB, context, batch, kvPrecision, attention }: FitInput): number {
  if (attention === undefined) {
    return ((paramsB * KV_GB_PER_BILLION * context) / KV_CONTEXT) * batch * (KV_BYTES[kvPrecision] / KV_BYTES.fp16)
  }
  const { layers, kvHeads, headDim } = attention
  return (2 * layers * kvHeads * headDim * context * batch * KV_BYTES[kvPrecision]) / 1e9
}

function isComputable(quant: Quant, input: FitInput, supported: readonly Quant[] | undefined): boolean {
  const { minComputeCapability } = methodOf(quant)
  if (minComputeCapability === undefined) return true
  if (input.computeCapability !== undefined) return input.computeCapability >= minComputeCapability
  return supported?.includes(quant) === true
}

/** Recommends the next smaller storage of the weights that fits, on any hardware. */
function recommend(input: FitInput, quant: Quant, fitClass: FitClass): string {
  if (fitClass === 'comfortable') return `${quant} fits with room to spare`
  if (fitClass === 'tight') return `${quant} fits, with less than a tenth of the memory left`
  const { bytesPerParam } = methodOf(quant)
  const smaller = QUANT_NAMES.filter((each) => methodOf(each).bytesPerParam < bytesPerParam)
    .filter((each) => isComputable(each, input, undefined))
    .toSorted((one, other) => methodOf(other).bytesPerParam - methodOf(one).bytesPerParam)
  const next = smaller.find((each) => totalOf(input, each) <= input.vramGb)
  return next === undefined ? 'needs sharding / offload' : `use ${next}`
}

function totalOf(input: FitInput, quant: Quant): number {
  const weights = input.paramsB * methodOf(quant).bytesPerParam
  return tenth(tenth(weights) + tenth(cacheGb(input)) + tenth(ACTIVATION_SHARE * weights) + OVERHEAD_GB)
}

function assumptionsOf(input: FitInput, quant: Quant): readonly string[] {
  const { attention } = input
  const { minComputeCapability, hardware } = methodOf(quant)
  return [
    attention === undefined
      ? 'kv: 0.18 GB per billion parameters at 8192 tokens in fp16, an average over architectures; give layers, kv_heads and head_dim, or a known base_model, for the exact figure'
      : `kv: exact, 2 x ${attention.layers} layers x ${attention.kvHeads} kv heads x ${attention.headDim} (${attention.source})`,
    'activations: 8 % of the weights, whatever batch and context are',
    'overhead: 1 GB for the process',
    '1 GB is 10^9 bytes',
    ...(minComputeCapability === undefined
      ? []
      : [
          input.computeCapability === undefined
            ? `${quant} needs ${hardware ?? ''}; whether the machine has it is not checked`
            : input.computeCapability >= minComputeCapability
              ? `${quant} needs ${hardware ?? ''}: the machine has it`
              : `${quant} needs ${hardware ?? ''}: the machine does not have it, so it would be emulated or refused`,
        ]),
  ]
}

function rationaleOf(fit: MemoryFit | null, passedOver: readonly Quant[], evaluated: number): string {
  const hardware =
    passedOver.length === 0 ? '' : `; ${passedOver.join(' and ')} would fit but need hardware that may be missing`
  if (fit === null) return `none of ${evaluated} fits${hardware}`
  return fit.fitClass === 'comfortable'
    ? `${fit.quant} is the most exact of ${evaluated} that leaves a tenth of the memory free${hardware}`
    : `none of ${evaluated} leaves a tenth of the memory free; ${fit.quant} is the most exact that fits${hardware}`
}

function describe({ paramsB, vramGb, context, batch, kvPrecision, attention, computeCapability }: FitInput) {
  return {
    model_params_b: paramsB,
    vram_gb: vramGb,
    context,
    batch,
    kv_precision: kvPrecision,
    attention:
      attention === undefined
        ? null
        : { layers: attention.layers, kv_heads: attention.kvHeads, head_dim: attention.headDim },
    compute_capability: computeCapability ?? null,
  }
}

function tenth(gigabytes: number): number {
  return Math.round(gigabytes * 10) / 10
}
