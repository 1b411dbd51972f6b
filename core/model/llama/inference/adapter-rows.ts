import { Tensor } from 'onnxruntime-node'
import type { ModelConfig } from '../../config/model-config.ts'
import { projectionName, projectionShape, projectionsOf } from '../../config/weight-names.ts'
import type { LoraAdapter } from '../../files/lora-adapter.ts'
import { updateNames } from './inference-graph.ts'

/** The low-rank update of one linear layer in the form that the graph takes: [in, rank] and [rank, out], scaled. */
interface Update {
  readonly down: Float32Array
  readonly up: Float32Array
}

/** An adapter made ready for the graph: alpha / rank is multiplied in, layers that it leaves alone are zero. */
export interface PreparedAdapter {
  readonly rank: number
  readonly updates: readonly Update[]
  readonly sizeBytes: number
}

/** Prepares an adapter for all linear layers of a base. */
export function prepareAdapter(config: ModelConfig, { config: lora, tensors }: LoraAdapter): PreparedAdapter {
  const { rank, alpha } = lora
  let sizeBytes = 0
  const updates = everyProjection(config).map(({ name, inputs, outputs }): Update => {
    const factors = tensors.get(name)
    const down = transposed(factors?.a, rank, inputs, 1)
    const up = transposed(factors?.b, outputs, rank, alpha / rank)
    sizeBytes += down.byteLength + up.byteLength
    return { down, up }
  })
  return { rank, updates, sizeBytes }
}

/** Returns a [rows, columns] matrix as [columns, rows], times a factor; zeros when undefined. */
function transposed(matrix: Float32Array | undefined, rows: number, columns: number, factor: number): Float32Array {
  const out = new Float32Array(rows * columns)
  if (matrix === undefined) return out
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      out[column * rows + row] = (matrix[row * columns + column] ?? 0) * factor
    }
  }
  return out
}

function everyProjection(config: ModelConfig): readonly { name: string; inputs: number; outputs: number }[] {
  return Array.from({ length: config.layers }, (_, layer) =>
    projectionsOf(config, layer).map((projection) => {
      const [outputs, inputs] = projectionShape(config, projection)
      return { name: projectionName(layer, projection), inputs, outputs }
    }),
  ).flat()
}

/**
 * The updates of the rows of a batch as inputs of the graph. When all rows share one adapter its own memory is used;
 * otherwise the adapters of the rows are laid one after another, rows without one as zeros, smaller ranks padded with
 * zeros. The last layout is kept, since a batch stays the same for many tokens.
 */
export class AdapterRows {
  readonly #config: ModelConfig
  #rows: readonly (PreparedAdapter | null)[] = []
  #feeds: Readonly<Record<string, Tensor>> = {}

  constructor(config: ModelConfig) {
    this.#config = config
  }

  /** Inputs for these rows, one of which at least has an adapter. */
  feeds(rows: readonly (PreparedAdapter | null)[]): Readonly<Record<string, Tensor>> {
    const distinct = new Set(rows).size === 1 ? rows.slice(0, 1) : rows
    const isKnown = distinct.length === this.#rows.length && distinct.every((row, index) => row === this.#rows[index])
    if (!isKnown) {
      this.#feeds = layOut(this.#config, distinct)
      this.#rows = distinct
    }
    return this.#feeds
  }

  /** Lets go of the adapters of the last batch. */
  clear(): void {
    this.#rows = []
    this.#feeds = {}
  }
}

function layOut(config: ModelConfig, rows: readonly (PreparedAdapter | null)[]): Record<string, Tensor> {
  const rank = Math.max(...rows.map((row) => row?.rank ?? 0))
  const feeds: Record<string, Tensor> = {}
  for (const [index, { name, inputs, outputs }] of everyProjection(config).entries()) {
    const names = updateNames(name)
    feeds[names.down] = stack(rows, [inputs, rank], (row) => ({ data: row.updates[index]?.down, width: row.rank }))
    feeds[names.up] = stack(rows, [rank, outputs], (row) => ({ data: row.updates[index]?.up, width: outputs }))
  }
  return feeds
}

/** A factor of one row's adapter, as wide as its own rank or the layer. */
interface Factor {
  readonly data: Float32Array | undefined
  readonly width: number
}

/** One matrix for each row, each filled up with zeros to the largest rank. */
function stack(
  rows: readonly (PreparedAdapter | null)[],
  [height, width]: readonly [height: number, width: number],
  factorOf: (row: PreparedAdapter) => Factor,
): Tensor {
  const factors = rows.map((row) => (row === null ? undefined : factorOf(row)))
  const own = factors.length === 1 ? factors[0]?.data : undefined
  if (own !== undefined) return new Tensor('float32', own, [1, height, width])
  const data = new Float32Array(rows.length * height * width)
  for (const [index, factor] of factors.entries()) {
    if (factor?.data === undefined) continue
    const target = data.subarray(index * height * width, (index + 1) * height * width)
    if (factor.width === width) target.set(factor.data)
    else copyColumns(factor.data, factor.width, target, width)
  }
  return new Tensor('float32', data, [rows.length, height, width])
}

/** Copies the rows of a narrow matrix into those of a wider one. */
function copyColumns(from: Float32Array, fromWidth: number, to: Float32Array, toWidth: number): void {
  for (let row = 0; row * fromWidth < from.length; row++) {
    to.set(from.subarray(row * fromWidth, (row + 1) * fromWidth), row * toWidth)
  }
}
