/** A way to store weights, or keys and values: how many bytes one number takes. */
interface Method {
  /** Bytes per parameter, the scales of its blocks included. */
  readonly bytesPerParam: number
  /** The lowest CUDA compute capability whose tensor cores compute in it; absent when any hardware will do. */
  readonly minComputeCapability?: number
  /** Display name of that hardware. */
  readonly hardware?: string
}

/** Storage types of weights, with the bytes of the common files of each kind. */
export const QUANTS = {
  fp16: { bytesPerParam: 2 },
  bf16: { bytesPerParam: 2 },
  fp8: { bytesPerParam: 1, minComputeCapability: 8.9, hardware: 'compute capability 8.9 (Ada, Hopper) or newer' },
  int8: { bytesPerParam: 1 },
  nvfp4: { bytesPerParam: 0.5, minComputeCapability: 10, hardware: 'compute capability 10.0 (Blackwell) or newer' },
  int4: { bytesPerParam: 0.55 },
  'gguf-q8': { bytesPerParam: 1.07 },
  'gguf-q6k': { bytesPerParam: 0.82 },
  'gguf-q5km': { bytesPerParam: 0.69 },
  'gguf-q4km': { bytesPerParam: 0.56 },
  'gguf-q3km': { bytesPerParam: 0.45 },
  'gguf-q2k': { bytesPerParam: 0.35 },
  'gguf-iq4xs': { bytesPerParam: 0.53 },
  'gguf-iq3xxs': { bytesPerParam: 0.4 },
  'gguf-iq2xs': { bytesPerParam: 0.3 },
  exl2: { bytesPerParam: 0.5 },
  'gptq-4bit': { bytesPerParam: 0.56 },
  'awq-4bit': { bytesPerParam: 0.56 },
  hqq: { bytesPerParam: 0.5 },
  'mlx-4bit': { bytesPerParam: 0.55 },
} as const satisfies Readonly<Record<string, Method>>

/** Name of a way to store weights. */
export type Quant = keyof typeof QUANTS

/** Names of the storage types of weights. */
export const QUANT_NAMES: readonly Quant[] = keysOf(QUANTS)

/** Bytes of one cached key or value. */
export const KV_BYTES = { fp16: 2, bf16: 2, fp8: 1, int8: 1, int4: 0.5 } as const

/** Name of a way to store keys and values. */
export type KvPrecision = keyof typeof KV_BYTES

/** Names of the storage types of keys and values. */
export const KV_PRECISIONS: readonly KvPrecision[] = keysOf(KV_BYTES)

/** From the most exact to the smallest: the order in which the best that fits is looked for. */
export const PICK_ORDER: readonly Quant[] = [
  'fp16',
  'bf16',
  'fp8',
  'nvfp4',
  'gguf-q8',
  'gguf-q6k',
  'gguf-q5km',
  'awq-4bit',
  'gptq-4bit',
  'gguf-q4km',
  'gguf-iq4xs',
  'int4',
  'exl2',
  'mlx-4bit',
  'hqq',
  'gguf-q3km',
  'gguf-iq3xxs',
  'gguf-q2k',
  'gguf-iq2xs',
]

/** Returns the facts of a storage type of weights. */
export function methodOf(quant: Quant): Method {
  return QUANTS[quant]
}

function keysOf<T extends object>(table: T): readonly (keyof T & string)[] {
  return Object.keys(table).filter((key): key is keyof T & string => Object.hasOwn(table, key))
}
