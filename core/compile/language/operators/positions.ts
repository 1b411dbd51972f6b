import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.ts'
import type { CompiledPattern, PosStep } from '../evaluate/compiler.ts'
import { failure, type Frame } from '../evaluate/frame.ts'
import { EDGES } from '../names.ts'
import { boundaries, matchEdge, matchesNeeded, nthPosition, seekEdge } from '../primitives/text/positions.ts'
import type { Matches } from '../primitives/text/tokens.ts'
import { NUMBER } from '../value-types.ts'
import type { AnyPreparedFields, PreparedFields, Printer } from './entry.ts'
import { choice, expr, type Fields, integer, occurrence, pattern, pos } from './fields.ts'

/** One kind of position. Its node stands inside another, whose patterns and positions `print` writes. */
interface PositionEntry<F, Given> {
  readonly fields: F
  print(node: JsonObject, print: PositionPrinter): string
  evaluate(given: Given): PosStep
}

type AnyPosition = PositionEntry<Fields, AnyPreparedFields>

/** Prints the parts of a position. */
export interface PositionPrinter extends Printer {
  pattern(pattern: Json | undefined): string
  position(pos: Json | undefined): string
}

const position = <const F extends Fields>(entry: PositionEntry<F, PreparedFields<F>>) => entry

const NO_MATCH = failure('no_match', 'position')

function reach(at: number): number {
  if (at < 0) throw NO_MATCH
  return at
}

const within = (at: number, text: string): number => reach(at <= text.length ? at : -1)

const edge = choice(EDGES)

/**
 * The positions in the text that is being sliced, by `op`: 0 is before the first unit, `length` after the last.
 * `occurrence` counts matches from 1 at the start, or from -1 at the end.
 */
export const POSITIONS = {
  /** `offset` units after the start, or before the end. */
  absPos: position({
    fields: { from: edge, offset: integer(0, 1_000_000) },
    print: ({ from, offset }, print) => {
      if (from === 'start') return print.plain(offset)
      return offset === 0 ? 'end' : `end - ${print.plain(offset)}`
    },
    evaluate: ({ from, offset }) =>
      from === 'end' ? (_frame, text) => reach(text.length - offset) : (_frame, text) => within(offset, text),
  }),
  /** An edge of the k-th match. */
  matchPos: position({
    fields: { pattern, occurrence, edge },
    print: (node, print) =>
      `${print.plain(node.edge)}(${print.pattern(node.pattern)}, ${print.plain(node.occurrence)})`,
    evaluate: ({ pattern: { all }, occurrence: k, edge: side }) => {
      const limit = matchesNeeded(k)
      return (frame, text) => reach(matchEdge(all(frame, text, limit), k, side))
    },
  }),
  /** The k-th position where a match of `left` ends and a match of `right` starts (FlashFill's regular position). */
  betweenPos: position({
    fields: { left: pattern, right: pattern, occurrence },
    print: (node, print) =>
      `between(${print.pattern(node.left)}, ${print.pattern(node.right)}, ${print.plain(node.occurrence)})`,
    evaluate: ({ left, right, occurrence: k }) => {
      const matches = (part: CompiledPattern, frame: Frame, text: string): Matches => part.all(frame, text, Infinity)
      return (frame, text) => reach(nthPosition(boundaries(matches(left, frame, text), matches(right, frame, text)), k))
    },
  }),
  /** Like matchPos, in the part after `base` (occurrence > 0) or before it (occurrence < 0) only. */
  seekPos: position({
    fields: { base: pos, pattern, occurrence, edge },
    print: (node, print) => {
      const way = Number(node.occurrence) > 0 ? 'after' : 'before'
      const match = `${print.pattern(node.pattern)}, ${print.plain(node.occurrence)}`
      return `${print.plain(node.edge)}(${match}, ${way} ${print.position(node.base)})`
    },
    evaluate:
      ({ base, pattern: { all }, occurrence: k, edge: side }) =>
      (frame, text) => {
        const from = base(frame, text)
        return reach(seekEdge(all(frame, text, Infinity), from, k, side))
      },
  }),
  /** `by` units after `base` (before, when negative). */
  shiftPos: position({
    fields: { base: pos, by: integer(-1_000_000, 1_000_000) },
    print: (node, print) => {
      const by = Number(node.by)
      return `${print.position(node.base)} ${by < 0 ? '-' : '+'} ${Math.abs(by)}`
    },
    evaluate:
      ({ base, by }) =>
      (frame, text) =>
        within(base(frame, text) + by, text),
  }),
  /** A computed position; a negative number counts from the end. */
  exprPos: position({
    fields: { value: expr(NUMBER) },
    print: (node, print) => print.node(node.value),
    evaluate:
      ({ value }) =>
      (frame, text) => {
        const given = value(frame)
        const at = given < 0 ? text.length + given : given
        return Number.isInteger(at) ? within(at, text) : reach(-1)
      },
  }),
}

const BY_OP: ReadonlyMap<string, AnyPosition> = new Map(Object.entries<AnyPosition>(POSITIONS))

/** Returns the kind of a position; undefined when unknown. */
export function findPosition(pos: Json | undefined): AnyPosition | undefined {
  return isJsonObject(pos) && typeof pos.op === 'string' ? BY_OP.get(pos.op) : undefined
}
