import type { Dim, Shape } from './value.ts'

function describe(shape: Shape): string {
  return `[${shape.join(', ')}]`
}

export function sameShape(a: Shape, b: Shape): boolean {
  return a.length === b.length && a.every((dim, axis) => dim === b[axis])
}

/** The axis counted from the front; throws outside the rank. */
export function axisOf(shape: Shape, axis: number): number {
  const front = axis < 0 ? axis + shape.length : axis
  if (front < 0 || front >= shape.length) throw new Error(`Axis ${axis} is outside ${describe(shape)}`)
  return front
}

export function dimAt(shape: Shape, axis: number): Dim {
  const dim = shape[axisOf(shape, axis)]
  if (dim === undefined) throw new Error(`Axis ${axis} is outside ${describe(shape)}`)
  return dim
}

/** The shape with one extent replaced. */
export function withDim(shape: Shape, axis: number, dim: Dim): Shape {
  return shape.with(axisOf(shape, axis), dim)
}

/** Shape of an element-wise operation (ONNX multidirectional broadcasting). */
export function broadcastShapes(a: Shape, b: Shape): Shape {
  const rank = Math.max(a.length, b.length)
  return Array.from({ length: rank }, (_, axis) => {
    const left = a[axis - rank + a.length] ?? 1
    const right = b[axis - rank + b.length] ?? 1
    if (left === right || right === 1) return left
    if (left === 1) return right
    throw new Error(`Shapes ${describe(a)} and ${describe(b)} do not broadcast`)
  })
}

/** Shape of a matrix product with leading batch dimensions; vectors are not accepted. */
export function matmulShape(a: Shape, b: Shape, transposeA: boolean, transposeB: boolean): Shape {
  if (a.length < 2 || b.length < 2) throw new Error(`A product needs matrices, got ${describe(a)} and ${describe(b)}`)
  const rows = dimAt(a, transposeA ? -1 : -2)
  const inner = dimAt(a, transposeA ? -2 : -1)
  const otherInner = dimAt(b, transposeB ? -1 : -2)
  const columns = dimAt(b, transposeB ? -2 : -1)
  if (inner !== otherInner) {
    const flags = `${transposeA ? 'T' : ''}·${transposeB ? 'T' : ''}`
    throw new Error(`Inner dimensions differ: ${describe(a)} ${flags} ${describe(b)}`)
  }
  return [...broadcastShapes(a.slice(0, -2), b.slice(0, -2)), rows, columns]
}
