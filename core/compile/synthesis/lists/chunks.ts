import type { Json } from '../../../kernel/json/json.ts'
import type { Pattern } from '../../language/ast.ts'

const MAX_WIDTH = 64

const MARKS = /[^\p{L}\p{N}]+/u

/** The length of all parts but the last, which may be shorter; undefined where they differ, or there is one part. */
function widthOf(parts: readonly Json[]): number | undefined {
  const lengths = parts.map((part) => (typeof part === 'string' ? part.length : 0))
  const [width = 0, ...others] = lengths
  const last = others.pop()
  if (last === undefined || last === 0 || last > width || width > MAX_WIDTH) return undefined
  return others.every((length) => length === width) ? width : undefined
}

/** Returns the length of the parts that every target consists of: joined by marks, or items of a list. */
export function chunkWidth(targets: readonly Json[]): number | undefined {
  const widths = targets.map((target) => {
    const parts = typeof target === 'string' ? target.split(MARKS) : Array.isArray(target) ? target : []
    return widthOf(parts)
  })
  const [width] = widths
  return widths.every((other) => other === width) ? width : undefined
}

/** Returns the pattern of the parts of one length into which a text is cut, the last one shorter. */
export function chunkPattern(width: number): Pattern {
  return { kind: 'regex', regex: width === 1 ? '.' : `.{1,${width}}` }
}
