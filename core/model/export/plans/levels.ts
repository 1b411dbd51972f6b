import type { ExportTarget } from '../targets.ts'
import { GGUF_LEVELS } from './gguf-mixes.ts'

/** Storage levels of each format, written here or only planned; the default first. */
export const QUANT_LEVELS = {
  gguf: ['F16', ...Object.keys(GGUF_LEVELS).filter((level) => level !== 'F16')],
  awq: ['w4-g128', 'w4-g64', 'w4-g32'],
  exl2: ['4.0', '2.4', '3.0', '3.5', '4.5', '5.0', '6.0', '8.0'],
  mlx: ['fp16', '4bit', '8bit', 'mixed_4_6'],
  onnx: ['fp32', 'fp16', 'int8'],
  tflite: ['int8', 'fp32'],
  coreml: ['fp16', 'int8', 'int4'],
  openvino: ['int8', 'fp16', 'int4'],
} as const satisfies Readonly<Record<ExportTarget, readonly string[]>>

/** Bits per weight that exl2's converter accepts. */
const EXL2_BITS = { least: 1.5, most: 8.5 } as const

/** Other names for levels. */
const ALIASES: Readonly<Record<string, string>> = { w4: 'w4-g128', q4_k: 'Q4_K_M', q5_k: 'Q5_K_M', q3_k: 'Q3_K_M' }

/**
 * Returns the level that a text names, in any letter case; without a text, the format's default. Undefined for a level
 * that the format lacks. exl2 takes any number of bits from 1.5 to 8.5.
 */
export function findLevel(target: ExportTarget, text: string | null): string | undefined {
  const levels: readonly string[] = QUANT_LEVELS[target]
  if (text === null) return levels[0]
  const wanted = (ALIASES[text.toLowerCase()] ?? text).toLowerCase()
  const found = levels.find((level) => level.toLowerCase() === wanted)
  if (found !== undefined || target !== 'exl2' || !/^\d(\.\d{1,2})?$/.test(wanted)) return found
  const bits = Number(wanted)
  return bits >= EXL2_BITS.least && bits <= EXL2_BITS.most ? wanted : undefined
}
