import type { Json } from '../../../kernel/json/json.ts'
import { EACH, LOOSEST, type Equality, type NumberTolerance } from './equality.ts'

/** An equality at one path and below it, ready to compare. */
export interface EqualityNode {
  readonly number: NumberTolerance | undefined
  /** The tolerance that a caller stated, which holds in place of `number`. */
  readonly stated: NumberTolerance | undefined
  readonly isNormalized: boolean
  readonly below: ReadonlyMap<string, EqualityNode>
}

interface OpenNode extends EqualityNode {
  number: NumberTolerance | undefined
  stated: NumberTolerance | undefined
  isNormalized: boolean
  readonly below: Map<string, OpenNode>
}

function openNode(): OpenNode {
  return { number: undefined, stated: undefined, isNormalized: false, below: new Map() }
}

/** Compares exactly at every path. */
export const EXACTLY: EqualityNode = openNode()

const opened = new WeakMap<Equality, EqualityNode>()

/** Returns an equality as a tree of paths; it is made once for each equality. */
export function openEquality(equality: Equality): EqualityNode {
  const known = opened.get(equality)
  if (known !== undefined) return known
  const root = openNode()
  for (const rule of equality.rules) {
    let node = root
    for (const step of rule.path) {
      const next = node.below.get(step) ?? openNode()
      node.below.set(step, next)
      node = next
    }
    if (rule.kind === 'number') node.number = { relative: rule.relative, absolute: rule.absolute }
    else if (rule.kind === 'tolerance') node.stated = { relative: rule.relative, absolute: rule.absolute }
    else node.isNormalized = true
  }
  opened.set(equality, root)
  return root
}

/** Returns the equality one step further down; `EACH` leads to the elements of a list. */
export function equalityBelow(node: EqualityNode, step: string): EqualityNode {
  return node.below.get(step) ?? EXACTLY
}

/**
 * Returns true for numbers that differ by rounding at most. Two whole numbers below 2^53 are exact in a double, so they
 * are equal only when they are the same. NaN and infinities equal nothing.
 */
export function isSameNumber(left: number, right: number, tolerance: NumberTolerance = LOOSEST): boolean {
  if (left === right) return Number.isFinite(left)
  if (Number.isSafeInteger(left) && Number.isSafeInteger(right)) return false
  const difference = Math.abs(left - right)
  if (!Number.isFinite(difference)) return false
  return (
    difference <= tolerance.absolute || difference <= tolerance.relative * Math.max(Math.abs(left), Math.abs(right))
  )
}

/** Rounding of the two numbers and of their difference, as a share of the larger magnitude: 17.3 is within 0.1 of 17.2. */
const ROUNDING = 2 ** -50

/** Returns true for numbers that differ by at most a tolerance that a caller stated. NaN and infinities equal nothing. */
function isWithin(left: number, right: number, { relative, absolute }: NumberTolerance): boolean {
  const larger = Math.max(Math.abs(left), Math.abs(right))
  if (!Number.isFinite(larger)) return false
  return Math.abs(left - right) <= Math.max(absolute, relative * larger) + ROUNDING * larger
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}

/** Returns true when two values are equal at a node; symmetric. Members are compared by name, in any order. */
export function isSameValue(node: EqualityNode, left: Json, right: Json): boolean {
  if (typeof left === 'number' && typeof right === 'number') {
    if (node.stated !== undefined) return isWithin(left, right, node.stated)
    return node.number === undefined ? left === right : isSameNumber(left, right, node.number)
  }
  if (left === right) return true
  if (typeof left === 'string' && typeof right === 'string') {
    return node.isNormalized && left.normalize('NFC') === right.normalize('NFC')
  }
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false
  if (isList(left)) {
    if (!isList(right) || left.length !== right.length) return false
    const items = equalityBelow(node, EACH)
    return left.every((item, at) => isSameValue(items, item, right[at] ?? null))
  }
  if (isList(right)) return false
  const names = Object.keys(left)
  if (names.length !== Object.keys(right).length) return false
  return names.every((name) => {
    if (!Object.hasOwn(right, name)) return false
    return isSameValue(equalityBelow(node, name), left[name] ?? null, right[name] ?? null)
  })
}

/** Returns true when an output is equal to the expected one. */
export function isSameOutput(equality: Equality, output: Json, expected: Json): boolean {
  return isSameValue(openEquality(equality), output, expected)
}
