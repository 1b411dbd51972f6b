import type { Pattern, Pos } from '../ast.ts'
import { compileRegex, regexMatches, regexMatchesWhole, regexTest } from '../primitives/text/regex.ts'
import { boundaries, matchEdge, nthPosition, seekEdge } from '../primitives/text/positions.ts'
import { literalMatches, type Matches, tokenMatches } from '../primitives/text/tokens.ts'
import { type CompiledPattern, type Compiler, type MatchStep, numberOf, type PosStep, textOf } from './compiler.ts'
import { failure, type Frame, scan, spend, type Step } from './frame.ts'

const NO_MATCH = failure('no_match', 'position')

/** A pattern whose other tests all follow from the list of matches. */
function fromMatches(all: MatchStep): CompiledPattern {
  return {
    all,
    isIn: (frame, text) => all(frame, text, 1).length > 0,
    isAtStart: (frame, text) => all(frame, text, 1)[0] === 0,
    isAtEnd: (frame, text) => all(frame, text, Infinity).at(-1) === text.length,
    isWhole: (frame, text) => {
      const matches = all(frame, text, 2)
      return matches.length === 2 && matches[0] === 0 && matches[1] === text.length
    },
  }
}

function compileLiteral(literal: Step<string>): CompiledPattern {
  const wanted = (frame: Frame, text: string): string => {
    scan(frame, text.length)
    return literal(frame)
  }
  return {
    all: (frame, text) => literalMatches(text, wanted(frame, text)),
    isIn: (frame, text) => {
      const part = wanted(frame, text)
      return part !== '' && text.includes(part)
    },
    isAtStart: (frame, text) => {
      const part = wanted(frame, text)
      return part !== '' && text.startsWith(part)
    },
    isAtEnd: (frame, text) => {
      const part = wanted(frame, text)
      return part !== '' && text.endsWith(part)
    },
    isWhole: (frame, text) => {
      const part = wanted(frame, text)
      return part !== '' && text === part
    },
  }
}

/** Fuel of one regular expression search: 1 for each full 128 of size times units that are left. */
function chargeRegex(frame: Frame, units: number, size: number): void {
  spend(frame, Math.floor((units * size) / 128))
}

/** Compiles a pattern. */
export function compilePattern(compiler: Compiler, pattern: Pattern, group = 0): CompiledPattern {
  switch (pattern.kind) {
    case 'token': {
      const token = pattern.name
      return fromMatches((frame, text) => {
        scan(frame, text.length)
        return tokenMatches(text, token)
      })
    }
    case 'literal': {
      const { text: literal } = pattern
      return compileLiteral(() => literal)
    }
    case 'text':
      return compileLiteral(textOf(compiler, pattern.text, 'pattern'))
    case 'regex': {
      const regex = compileRegex(pattern.regex, pattern.ignoreCase ?? false)
      return {
        ...fromMatches((frame, text, limit) =>
          regexMatches(text, regex, group, (units, size) => chargeRegex(frame, units, size), limit),
        ),
        isIn: (frame, text) => {
          chargeRegex(frame, text.length, regex.size)
          return regexTest(text, regex)
        },
        isWhole: (frame, text) => {
          chargeRegex(frame, text.length, regex.size)
          return regexMatchesWhole(text, regex)
        },
      }
    }
  }
}

/** So many matches settle an occurrence: all of them when it counts from the end. */
export function matchesNeeded(occurrence: number): number {
  return occurrence > 0 ? occurrence : Infinity
}

function reach(position: number): number {
  if (position < 0) throw NO_MATCH
  return position
}

/** Compiles a position expression. */
export function compilePos(compiler: Compiler, pos: Pos): PosStep {
  switch (pos.op) {
    case 'absPos': {
      const { offset } = pos
      if (pos.from === 'end') return (_frame, text) => reach(text.length - offset)
      return (_frame, text) => reach(offset <= text.length ? offset : -1)
    }
    case 'matchPos': {
      const { all } = compiler.pattern(pos.pattern)
      const { occurrence, edge } = pos
      const limit = matchesNeeded(occurrence)
      return (frame, text) => reach(matchEdge(all(frame, text, limit), occurrence, edge))
    }
    case 'betweenPos': {
      const left = compiler.pattern(pos.left)
      const right = compiler.pattern(pos.right)
      const { occurrence } = pos
      const matches = (part: CompiledPattern, frame: Frame, text: string): Matches => part.all(frame, text, Infinity)
      return (frame, text) =>
        reach(nthPosition(boundaries(matches(left, frame, text), matches(right, frame, text)), occurrence))
    }
    case 'seekPos': {
      const base = compiler.pos(pos.base)
      const { all } = compiler.pattern(pos.pattern)
      const { occurrence, edge } = pos
      return (frame, text) => {
        const from = base(frame, text)
        return reach(seekEdge(all(frame, text, Infinity), from, occurrence, edge))
      }
    }
    case 'shiftPos': {
      const base = compiler.pos(pos.base)
      const { by } = pos
      return (frame, text) => {
        const at = base(frame, text) + by
        return reach(at <= text.length ? at : -1)
      }
    }
    case 'exprPos': {
      const value = numberOf(compiler, pos.value, 'exprPos')
      return (frame, text) => {
        const given = value(frame)
        const at = given < 0 ? text.length + given : given
        return reach(Number.isInteger(at) && at <= text.length ? at : -1)
      }
    }
  }
}
