import type { Json } from '../../../kernel/json/json.ts'
import { VIEWS, viewsOf, type InputViews, type View } from './input-views.ts'

/** One view of a version's train inputs: how often each feature occurs, and how alike the inputs are among themselves. */
export interface ViewSketch {
  /** Features, ascending, and the number of inputs that have each. */
  readonly hashes: Uint32Array
  readonly counts: Uint16Array
  /** Mean and standard deviation of the typicality of an input among the others. */
  readonly mean: number
  readonly deviation: number
}

/** Features of a version's train inputs that are kept to route inputs to it. */
export type Sketch = Readonly<Record<View, ViewSketch>> & {
  readonly inputs: number
  /** Share of the inputs whose form as a whole another one has too. */
  readonly repeated: number
}

/** Inputs that a sketch is made of; more would change it little. */
const MOST_SKETCHED = 200
/** Features of a view that are kept, those of most inputs first. */
const MOST_FEATURES = 2048

/** Makes the sketch of train inputs: of many, of every n-th. */
export function sketchInputs(inputs: readonly Json[]): Sketch {
  const stride = Math.max(1, Math.ceil(inputs.length / MOST_SKETCHED))
  const views = inputs.filter((_, at) => at % stride === 0).map((input) => viewsOf(input))
  const wholes = new Map<number, number>()
  for (const { whole } of views) wholes.set(whole, (wholes.get(whole) ?? 0) + 1)
  const repeated = views.filter(({ whole }) => (wholes.get(whole) ?? 0) > 1).length / Math.max(1, views.length)
  return {
    inputs: views.length,
    repeated: Math.fround(repeated),
    content: sketchView(views, 'content'),
    form: sketchView(views, 'form'),
  }
}

function sketchView(inputs: readonly InputViews[], view: View): ViewSketch {
  const counts = new Map<number, number>()
  for (const input of inputs) for (const hash of input[view]) counts.set(hash, (counts.get(hash) ?? 0) + 1)
  const kept = [...counts]
    .toSorted(([a, countA], [b, countB]) => countB - countA || a - b)
    .slice(0, MOST_FEATURES)
    .toSorted(([a], [b]) => a - b)
  const known = new Map(kept)
  // Each input among the others: its own occurrences do not count.
  const among = inputs.map((input) => {
    const features = input[view]
    let sum = 0
    for (const hash of features) sum += Math.max(0, (known.get(hash) ?? 1) - 1)
    return sum / Math.max(1, features.size) / Math.max(1, inputs.length - 1)
  })
  const mean = among.reduce((sum, value) => sum + value, 0) / Math.max(1, among.length)
  const variance = among.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, among.length)
  return {
    hashes: Uint32Array.from(kept, ([hash]) => hash),
    counts: Uint16Array.from(kept, ([, count]) => count),
    mean: Math.fround(mean),
    deviation: Math.fround(Math.sqrt(variance)),
  }
}

const MAGIC = 0x31_4b_53_53
const HEADER_BYTES = 12
const VIEW_HEADER_BYTES = 12

/**
 * Writes a sketch: magic, number of inputs, share of repeated forms, then for each view count, mean, deviation, hashes,
 * counts; little-endian.
 */
export function encodeSketch(sketch: Sketch): Uint8Array {
  const size = VIEWS.reduce((sum, view) => sum + VIEW_HEADER_BYTES + sketch[view].hashes.length * 6, HEADER_BYTES)
  const out = new Uint8Array(size)
  const data = new DataView(out.buffer)
  data.setUint32(0, MAGIC, true)
  data.setUint32(4, sketch.inputs, true)
  data.setFloat32(8, sketch.repeated, true)
  let at = HEADER_BYTES
  for (const view of VIEWS) {
    const { hashes, counts, mean, deviation } = sketch[view]
    data.setUint32(at, hashes.length, true)
    data.setFloat32(at + 4, mean, true)
    data.setFloat32(at + 8, deviation, true)
    at += VIEW_HEADER_BYTES
    for (const hash of hashes) at = (data.setUint32(at, hash, true), at + 4)
    for (const count of counts) at = (data.setUint16(at, count, true), at + 2)
  }
  return out
}

/** Reads a sketch; null for bytes that are none. */
export function decodeSketch(bytes: Uint8Array): Sketch | null {
  const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < HEADER_BYTES || data.getUint32(0, true) !== MAGIC) return null
  let at = HEADER_BYTES
  const readView = (): ViewSketch | null => {
    if (at + VIEW_HEADER_BYTES > bytes.length) return null
    const size = data.getUint32(at, true)
    const mean = data.getFloat32(at + 4, true)
    const deviation = data.getFloat32(at + 8, true)
    at += VIEW_HEADER_BYTES
    if (size > MOST_FEATURES || at + size * 6 > bytes.length) return null
    const hashes = Uint32Array.from({ length: size }, (_, i) => data.getUint32(at + i * 4, true))
    at += size * 4
    const counts = Uint16Array.from({ length: size }, (_, i) => data.getUint16(at + i * 2, true))
    at += size * 2
    return { hashes, counts, mean, deviation }
  }
  const content = readView()
  const form = readView()
  if (content === null || form === null || at !== bytes.length) return null
  return { inputs: data.getUint32(4, true), repeated: data.getFloat32(8, true), content, form }
}
