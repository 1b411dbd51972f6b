import type { DomainError } from '../../kernel/errors.ts'
import { MODEL_ERRORS } from '../errors.ts'
import type { LinearModel } from './logistic-regression.ts'

const MAGIC = new TextEncoder().encode('SVCLIN1\n')
const HEADER_BYTES = MAGIC.length + 8

/** The linear layer as the archive holds it: one signed byte per feature and label, one scale per label. */
export interface QuantizedLayer {
  readonly labels: number
  /** Feature hashes, strictly ascending. */
  readonly hashes: Uint32Array
  readonly scales: Float32Array
  readonly bias: Float32Array
  /** `bytes[feature * labels + label] * scales[label]` is the weight. */
  readonly bytes: Int8Array
}

/** Rounds a fitted model to bytes: the scale of a label maps its largest weight to 127. Features of zeros go. */
export function quantizeLayer(model: LinearModel, dictionary: Uint32Array): QuantizedLayer {
  const { labels, weights } = model
  const scales = new Float32Array(labels)
  weights.forEach((weight, i) => {
    const label = i % labels
    const size = Math.abs(weight) / 127
    if (size > (scales[label] ?? 0)) scales[label] = size
  })
  const hashes: number[] = []
  const bytes: number[] = []
  dictionary.forEach((hash, column) => {
    const row: number[] = []
    for (let label = 0; label < labels; label++) {
      const scale = scales[label] ?? 0
      const value = scale === 0 ? 0 : Math.round((weights[column * labels + label] ?? 0) / scale)
      row.push(Math.max(-127, Math.min(127, value)))
    }
    if (row.every((value) => value === 0)) return
    hashes.push(hash)
    for (const value of row) bytes.push(value)
  })
  return {
    labels,
    hashes: Uint32Array.from(hashes),
    scales,
    bias: Float32Array.from(model.bias),
    bytes: Int8Array.from(bytes),
  }
}

/** The binary form: magic, counts, scales, biases, hashes, bytes; little-endian (docs/formats/classifier-format.md). */
export function encodeLayer(layer: QuantizedLayer): Uint8Array {
  const { labels, hashes } = layer
  const out = new Uint8Array(HEADER_BYTES + labels * 8 + hashes.length * (4 + labels))
  const view = new DataView(out.buffer)
  out.set(MAGIC)
  view.setUint32(MAGIC.length, labels, true)
  view.setUint32(MAGIC.length + 4, hashes.length, true)
  let at = HEADER_BYTES
  for (const list of [layer.scales, layer.bias])
    for (const value of list) at = (view.setFloat32(at, value, true), at + 4)
  for (const hash of hashes) at = (view.setUint32(at, hash, true), at + 4)
  out.set(new Uint8Array(layer.bytes.buffer, layer.bytes.byteOffset, layer.bytes.byteLength), at)
  return out
}

function refuse(reason: string): DomainError {
  return MODEL_ERRORS.recipe_failed(`classifier weights: ${reason}`)
}

/** Reads the binary form. Throws `recipe_failed` when it is not well formed. */
export function decodeLayer(data: Uint8Array): QuantizedLayer {
  if (data.length < HEADER_BYTES || MAGIC.some((byte, i) => data[i] !== byte)) throw refuse('wrong magic')
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  const labels = view.getUint32(MAGIC.length, true)
  const features = view.getUint32(MAGIC.length + 4, true)
  if (labels === 0 || data.length !== HEADER_BYTES + labels * 8 + features * (4 + labels)) throw refuse('wrong length')
  let at = HEADER_BYTES
  const floats = (): Float32Array => {
    const list = new Float32Array(labels)
    for (let i = 0; i < labels; i++, at += 4) {
      list[i] = view.getFloat32(at, true)
      if (!Number.isFinite(list[i])) throw refuse('a number is not finite')
    }
    return list
  }
  const scales = floats()
  const bias = floats()
  const hashes = new Uint32Array(features)
  for (let i = 0; i < features; i++, at += 4) {
    hashes[i] = view.getUint32(at, true)
    if (i > 0 && (hashes[i] ?? 0) <= (hashes[i - 1] ?? 0)) throw refuse('hashes are not ascending')
  }
  return { labels, hashes, scales, bias, bytes: new Int8Array(data.slice(at).buffer) }
}
