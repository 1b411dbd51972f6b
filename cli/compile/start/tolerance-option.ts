import { InvalidArgumentError } from 'commander'
import type { Tolerance } from '../../../core/compile/rows/equality/tolerance.ts'

const FORM = 'must be a number, a percentage or both, such as 50, 5%, minutes=10 or "price=0.5 or 2%"'
const BOUND = /^(\d+(?:\.\d+)?(?:e[-+]?\d+)?)\s*(%)?$/i

/**
 * Reads `--tolerance`, which may be repeated: `50`, `5%`, `0.5 or 2%`, or one of these behind the path of a member, as `items.*.price=2%`; `none`
 * takes those of an earlier job away. Throws `InvalidArgumentError` for other text, and for a path that was named before.
 */
export function readTolerance(text: string, before: readonly Tolerance[] = []): readonly Tolerance[] {
  if (text === 'none') return []
  const at = text.lastIndexOf('=')
  const name = text.slice(0, Math.max(0, at)).trim()
  const path = at < 0 ? [] : name.split('.')
  if (path.includes('')) throw new InvalidArgumentError(FORM)
  if (before.some((one) => one.path.join('.') === name)) throw new InvalidArgumentError('must name each member once')
  const bounds = text.slice(at + 1).split(/\s+or\s+/)
  return [...before, bounds.reduce((tolerance: Tolerance, bound) => withBound(tolerance, bound.trim()), { path })]
}

function withBound(tolerance: Tolerance, bound: string): Tolerance {
  const [, digits, percent] = BOUND.exec(bound) ?? []
  const kind = percent === undefined ? 'absolute' : 'relative'
  const value = percent === undefined ? Number(digits) : Number(digits) / 100
  const isBound = value > 0 && (kind === 'absolute' ? Number.isFinite(value) : value < 1)
  if (!isBound || tolerance[kind] !== undefined) throw new InvalidArgumentError(FORM)
  return { ...tolerance, [kind]: value }
}
