import { countElements } from '../../files/tensors.ts'
import type { ExportMember } from '../export-file.ts'
import type { ExportWeights } from '../weights.ts'
import { causalLmGraph } from './causal-lm.ts'

/**
 * Up to this many bytes the weights are inside the graph, which is then one file; above it they are in a separate file.
 */
const MOST_INSIDE = 512 * 1024 * 1024
/** In a separate file weights begin on pages, so that a runtime may map them. */
const PAGE = 4096
const DATA_FILE = 'model.onnx_data'
const FLOAT_BYTES = 4

/** The files of a decoder in ONNX: `model.onnx`, and `model.onnx_data` when the weights are many. */
export function onnxModelFiles(weights: ExportWeights, mostInside = MOST_INSIDE): readonly ExportMember[] {
  const { config, names } = weights
  const sizeOf = (name: string): number => countElements(weights.shape(name)) * FLOAT_BYTES
  const total = names.reduce((sum, name) => sum + sizeOf(name), 0)
  if (total <= mostInside) {
    const graph = causalLmGraph(config, names, (g, name) =>
      g.weight(name, 'float32', weights.shape(name), weights.read(name)),
    )
    return [{ name: 'model.onnx', sizeBytes: graph.length, pieces: () => [graph] }]
  }
  const places = new Map<string, number>()
  let end = 0
  for (const name of names) {
    places.set(name, end)
    end += onPages(sizeOf(name))
  }
  const graph = causalLmGraph(config, names, (g, name) =>
    g.externalWeight(
      name,
      { dtype: 'float32', shape: weights.shape(name) },
      { location: DATA_FILE, offset: places.get(name) ?? 0, length: sizeOf(name) },
    ),
  )
  return [
    { name: 'model.onnx', sizeBytes: graph.length, pieces: () => [graph] },
    {
      name: DATA_FILE,
      sizeBytes: end,
      *pieces() {
        for (const name of names) {
          const data = weights.read(name)
          yield new Uint8Array(data.slice().buffer)
          yield new Uint8Array(onPages(sizeOf(name)) - sizeOf(name))
        }
      },
    },
  ]
}

function onPages(size: number): number {
  return Math.ceil(size / PAGE) * PAGE
}
