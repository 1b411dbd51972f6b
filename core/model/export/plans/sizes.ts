import type { ModelConfig } from '../../config/model-config.ts'
import { EMBEDDING, OUTPUT_HEAD, weightShapes } from '../../config/weight-names.ts'
import type { ExportTarget } from '../targets.ts'
import { ggufBytes, isGgufLevel, type GgufLevel } from './gguf-mixes.ts'

/** Elements of a base by their treatment in the formats. */
interface Counts {
  /** Matrices of the decoder layers. */
  readonly linear: number
  readonly embedding: number
  /** The output head where it is stored apart. */
  readonly head: number
  /** Norms and biases. */
  readonly vectors: number
}

/** Bits of the head in exl2 (`-hb`). */
const EXL2_HEAD_BITS = 6
/** Elements that share a half-precision scale and offset in MLX. */
const MLX_GROUP = 64
/** Elements that share a half-precision scale in 4-bit Core ML and OpenVINO. */
const BLOCK_SCALE = { coreml: 32, openvino: 128 } as const

/**
 * Bytes of a base with its adapter merged in, in a format, from the shapes of its weights; without the tokenizer, which
 * is the same in all of them. AWQ: 2 bytes per element times (0.99 bits + 0.16) / 16, and 4 bytes for each group.
 */
export function outputBytes(config: ModelConfig, target: ExportTarget, level: string): number {
  const counts = countElements(config)
  const total = counts.linear + counts.embedding + counts.head + counts.vectors
  switch (target) {
    case 'gguf':
      return ggufTotal(config, isGgufLevel(level) ? level : 'F16')
    case 'awq': {
      const group = Number(/g(\d+)$/.exec(level)?.[1] ?? 128)
      return Math.round((total * 2 * (0.99 * 4 + 0.16)) / 16 + (counts.linear / group) * 4)
    }
    case 'exl2': {
      const head = counts.head === 0 ? counts.embedding : counts.head
      const packed = (counts.linear * Number(level) + head * EXL2_HEAD_BITS) / 8
      return Math.round(packed + (counts.embedding + counts.vectors) * 2)
    }
    case 'mlx':
      return mlxBytes(counts, level)
    case 'onnx':
      return level === 'int8' ? counts.linear + (total - counts.linear) * 4 : total * (level === 'fp16' ? 2 : 4)
    case 'tflite':
      return level === 'int8' ? total + counts.vectors * 3 : total * 4
    case 'coreml':
    case 'openvino':
      return weightOnlyBytes(counts, total, level, BLOCK_SCALE[target])
  }
}

function ggufTotal(config: ModelConfig, level: GgufLevel): number {
  let bytes = 0
  for (const [name, shape] of weightShapes(config)) bytes += ggufBytes(config, level, name, shape)
  return bytes
}

function mlxBytes(counts: Counts, level: string): number {
  const matrices = counts.linear + counts.embedding + counts.head
  if (level === 'fp16') return (matrices + counts.vectors) * 2
  // In the mixed recipe a part of the layers, and the head, have the higher number of bits: about a third of them.
  const bits = level === '8bit' ? 8 : level === 'mixed_4_6' ? 4 + 2 / 3 : 4
  return Math.round((matrices * (bits + 32 / MLX_GROUP)) / 8 + counts.vectors * 2)
}

function weightOnlyBytes(counts: Counts, total: number, level: string, block: number): number {
  if (level === 'fp16') return total * 2
  if (level === 'int8') return total + counts.vectors
  return Math.round((counts.linear * (4 + 16 / block)) / 8 + counts.embedding + counts.head + counts.vectors * 2)
}

function countElements(config: ModelConfig): Counts {
  const counts = { linear: 0, embedding: 0, head: 0, vectors: 0 }
  for (const [name, shape] of weightShapes(config)) {
    const elements = shape.reduce((product, size) => product * size, 1)
    if (name === EMBEDDING) counts.embedding += elements
    else if (name === OUTPUT_HEAD) counts.head += elements
    else if (shape.length < 2) counts.vectors += elements
    else counts.linear += elements
  }
  return counts
}
