import { BIAS_INPUT, softmax } from '../../../../../model/classifier/logistic-regression.ts'
import type { SparseVector } from '../../../../../model/classifier/sparse-rows.ts'
import { NoAnswer } from './answers.ts'

interface Layer {
  readonly scales: Float64Array
  readonly bias: Float64Array
  /** Places of the features by their hashes. */
  readonly places: ReadonlyMap<number, number>
  /** The weights of a feature for all labels, feature after feature. */
  readonly bytes: Int8Array
}

/** Reads the bytes of weights.bin. Throws `RangeError` for others. */
export function readLayer(data: Uint8Array): Layer {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  const [labels, features] = [view.getUint32(8, true), view.getUint32(12, true)]
  const isWhole = data.length === 16 + 8 * labels + features * (4 + labels)
  if (!isWhole || String.fromCharCode(...data.subarray(0, 8)) !== 'SVCLIN1\n') {
    throw new RangeError('these are not the weights of a classifier')
  }
  const floats = (from: number) =>
    Float64Array.from({ length: labels }, (_, at) => view.getFloat32(from + 4 * at, true))
  const hashes = 16 + 8 * labels
  const names = Array.from({ length: features }, (_, at) => view.getUint32(hashes + 4 * at, true))
  return {
    scales: floats(16),
    bias: floats(16 + 4 * labels),
    places: new Map(names.map((name, at) => [name, at])),
    bytes: Int8Array.from(data.subarray(hashes + 4 * features)),
  }
}

/** The place of the most probable label. Throws `NoAnswer` where the classifier abstains. */
export function bestLabel(
  { scales, bias, places, bytes }: Layer,
  { hashes, values }: SparseVector,
  temperature: number,
  threshold: number,
): number {
  const scores = new Float64Array(scales.length)
  let known = 0
  for (const [at, hash] of hashes.entries()) {
    const place = places.get(hash)
    if (place === undefined) continue
    known++
    for (let label = 0; label < scores.length; label++) {
      scores[label] = (scores[label] ?? 0) + (bytes[place * scores.length + label] ?? 0) * (values[at] ?? 0)
    }
  }
  for (const [label, score] of scores.entries()) {
    scores[label] = score * (scales[label] ?? 0) + (bias[label] ?? 0) * BIAS_INPUT
  }
  softmax(scores, temperature)
  const confidence = Math.max(...scores)
  if (known === 0 || confidence < threshold) throw new NoAnswer('in_doubt')
  return scores.indexOf(confidence)
}
