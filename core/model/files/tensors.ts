/** A tensor in memory: always float32, row-major, in memory that threads can share. */
export interface TensorData {
  readonly shape: readonly number[]
  readonly data: Float32Array<SharedArrayBuffer>
}

/** Returns the number of elements of a shape; 1 for a scalar. */
export function countElements(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1)
}
