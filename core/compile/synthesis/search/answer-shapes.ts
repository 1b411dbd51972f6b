import type { Json } from '../../../kernel/json/json.ts'
import { shapeOf } from '../solve/row-shapes.ts'

const DIGITS = /\d+/g

/** Shapes of the targets, and the lengths of the numbers in them. */
export interface AnswerShapes {
  readonly shapes: ReadonlySet<string>
  /** Digits of the shortest and the longest number in texts; the shortest is `Infinity` without any. */
  readonly shortest: number
  readonly longest: number
}

/** Reads the shapes of targets. */
export function shapesOf(targets: readonly Json[]): AnswerShapes {
  const lengths = targets.flatMap(lengthsOf)
  return {
    shapes: new Set(targets.map(shapeOf)),
    shortest: Math.min(...lengths),
    longest: Math.max(0, ...lengths),
  }
}

function lengthsOf(value: Json): number[] {
  return typeof value === 'string' ? [...value.matchAll(DIGITS)].map(([run]) => run.length) : []
}

/**
 * Returns true for a text unlike all targets: of another shape, or with a number of twice as many digits as any of
 * theirs, or half as many. Lists and objects differ in length without meaning.
 */
export function isUnlike(answer: Json, { shapes, shortest, longest }: AnswerShapes): boolean {
  if (typeof answer !== 'string') return false
  if (!shapes.has(shapeOf(answer))) return true
  return lengthsOf(answer).some((length) => length >= 2 * longest || 2 * length <= shortest)
}
