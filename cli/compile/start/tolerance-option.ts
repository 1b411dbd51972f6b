import { InvalidArgumentError } from 'commander'
import type { Tolerance } from '../../../core/compile/rows/equality/tolerance.ts'

const FORM = 'must be a number or a percentage, such as 50, 5% or minutes=10'

/**
 * Reads `--tolerance`, which may be repeated: `50`, `5%`, or one of these behind the path of a member, as `items.*.price=2%`. Throws
 * `InvalidArgumentError` for other text, and for a path that was named before.
 */
export function readTolerance(text: string, before: readonly Tolerance[] = []): readonly Tolerance[] {
  const at = text.lastIndexOf('=')
  const path = at < 0 ? [] : text.slice(0, at).split('.')
  const bound = text.slice(at + 1).trim()
  const [, digits, percent] = /^(\d+(?:\.\d+)?(?:e-?\d+)?)\s*(%)?$/i.exec(bound) ?? []
  const value = Number(digits)
  if (!(value > 0) || (percent !== undefined && value >= 100) || path.includes('')) throw new InvalidArgumentError(FORM)
  if (before.some((one) => one.path.join('.') === path.join('.'))) {
    throw new InvalidArgumentError('must name each member once')
  }
  return [...before, { path, ...(percent === undefined ? { absolute: value } : { relative: value / 100 }) }]
}
