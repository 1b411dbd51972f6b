import type { Parameter } from '../../../core/model/llama/parameters.ts'
import { openOrthogonaliser, type MatrixGroup } from './orthogonalise.ts'

const MOMENTUM = 0.95

/** Position of each matrix of a group in the flat arrays. */
interface Placed extends MatrixGroup {
  readonly offsets: readonly number[]
}

/** Steps of Muon over the matrices of the hidden layers. */
export interface Muon {
  /** Running sums of the gradients, as long as all values of the model; part of a checkpoint. */
  readonly momentum: Float32Array
  /** One step, in place over `values`. */
  readonly step: (
    values: Float32Array,
    gradients: Float32Array,
    at: { readonly learningRate: number; readonly weightDecay: number },
  ) => Promise<void>
  readonly release: () => Promise<void>
}

/** Returns true when a parameter is a matrix of a hidden layer. */
export const isHiddenMatrix = ({ name, shape }: Parameter): boolean => shape.length === 2 && name.includes('.layers.')

function groupByShape(parameters: readonly Parameter[]): readonly Placed[] {
  const groups = new Map<string, Placed>()
  for (const { shape, offset } of parameters) {
    const [rows = 0, columns = 0] = shape
    const name = `${rows}x${columns}`
    const offsets = [...(groups.get(name)?.offsets ?? []), offset]
    groups.set(name, { name, rows, columns, offsets, count: offsets.length })
  }
  return [...groups.values()]
}

/** The update direction of one matrix: Nesterov's look-ahead over the running sum, scaled to Frobenius norm 1. */
function lookAhead(gradients: Float32Array, momentum: Float32Array, offset: number, target: Float32Array): void {
  let square = 0
  for (let i = 0; i < target.length; i++) {
    const gradient = gradients[offset + i] ?? 0
    const kept = MOMENTUM * (momentum[offset + i] ?? 0) + (1 - MOMENTUM) * gradient
    momentum[offset + i] = kept
    const direction = MOMENTUM * kept + (1 - MOMENTUM) * gradient
    target[i] = direction
    square += direction * direction
  }
  const scale = 1 / (Math.sqrt(square) + 1e-12)
  for (let i = 0; i < target.length; i++) target[i] = (target[i] ?? 0) * scale
}

/**
 * Muon (Jordan et al., 2024): θ ← θ·(1 − ηλ) − η·√max(1, rows/columns)·O, where O is the momentum of the gradient with
 * its singular values set to about 1. For the matrices of hidden layers only; embeddings and norms take AdamW.
 */
export async function openMuon(parameters: readonly Parameter[], valueCount: number, threads: number): Promise<Muon> {
  const groups = groupByShape(parameters.filter(isHiddenMatrix))
  const orthogonaliser = await openOrthogonaliser(groups, threads)
  const momentum = new Float32Array(valueCount)
  const buffers = new Map(
    groups.map(({ name, count, rows, columns }) => [name, new Float32Array(count * rows * columns)]),
  )
  return {
    momentum,
    step: async (values, gradients, { learningRate, weightDecay }) => {
      for (const { name, rows, columns, offsets } of groups) {
        const size = rows * columns
        offsets.forEach((offset, i) => {
          const target = buffers.get(name)?.subarray(i * size, (i + 1) * size)
          if (target !== undefined) lookAhead(gradients, momentum, offset, target)
        })
      }
      const updates = await orthogonaliser.run(buffers)
      for (const { name, rows, columns, offsets } of groups) {
        const size = rows * columns
        const rate = learningRate * Math.sqrt(Math.max(1, rows / columns))
        const update = updates.get(name) ?? new Float32Array(0)
        offsets.forEach((offset, k) => {
          for (let i = 0; i < size; i++) {
            values[offset + i] =
              (values[offset + i] ?? 0) * (1 - learningRate * weightDecay) - rate * (update[k * size + i] ?? 0)
          }
        })
      }
    },
    release: orthogonaliser.release,
  }
}
