import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.ts'
import type { CompiledPattern, MatchStep } from '../evaluate/compiler.ts'
import { type Frame, scan, spend, type Step } from '../evaluate/frame.ts'
import { TOKEN_NAMES } from '../names.ts'
import { compileRegex, regexMatches, regexMatchesWhole, regexTest } from '../primitives/text/regex.ts'
import { literalMatches, tokenMatches } from '../primitives/text/tokens.ts'
import { TEXT } from '../value-types.ts'
import type { AnyPreparedFields, PreparedFields, Printer } from './entry.ts'
import { choice, expr, type Fields, flag, text } from './fields.ts'

/** One kind of pattern. `evaluate` gets the group of a regex that counts as the match; 0 is the whole match. */
interface PatternEntry<F, Given> {
  readonly fields: F
  print(node: JsonObject, print: Printer): string
  evaluate(given: Given, group: number): CompiledPattern
}

type AnyPattern = PatternEntry<Fields, AnyPreparedFields>

const patternEntry = <const F extends Fields>(entry: PatternEntry<F, PreparedFields<F>>) => entry

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

/** A pattern that is one text. The empty text has no matches. */
function fromLiteral(literal: Step<string>): CompiledPattern {
  const find = (frame: Frame, text: string): string => {
    scan(frame, text.length)
    return literal(frame)
  }
  const test =
    (holds: (text: string, part: string) => boolean) =>
    (frame: Frame, text: string): boolean => {
      const part = find(frame, text)
      return part !== '' && holds(text, part)
    }
  return {
    all: (frame, text) => literalMatches(text, find(frame, text)),
    isIn: test((text, part) => text.includes(part)),
    isAtStart: test((text, part) => text.startsWith(part)),
    isAtEnd: test((text, part) => text.endsWith(part)),
    isWhole: test((text, part) => text === part),
  }
}

/** Fuel of one regular expression search: 1 for each full 128 of size times units that are left. */
export function chargeRegex(frame: Frame, units: number, size: number): void {
  spend(frame, Math.floor((units * size) / 128))
}

/** The patterns, by `kind`. Matches never overlap and are counted from the left. */
export const PATTERNS = {
  token: patternEntry({
    fields: { name: choice(TOKEN_NAMES) },
    print: (node, print) => print.plain(node.name),
    evaluate: ({ name }) =>
      fromMatches((frame, text) => {
        scan(frame, text.length)
        return tokenMatches(text, name)
      }),
  }),
  literal: patternEntry({
    fields: { text: text(1) },
    print: (node, print) => print.json(node.text),
    evaluate: ({ text: literal }) => fromLiteral(() => literal),
  }),
  /** A literal that is computed, so that one column can be looked for in another. */
  text: patternEntry({
    fields: { text: expr(TEXT) },
    print: (node, print) => print.node(node.text),
    evaluate: ({ text: literal }) => fromLiteral(literal),
  }),
  /** A linear-time regular expression (RE2 subset). */
  regex: patternEntry({
    fields: { regex: { kind: 'regex' }, ignoreCase: flag },
    print: (node, print) => `/${print.plain(node.regex)}/${node.ignoreCase === true ? 'i' : ''}`,
    evaluate: ({ regex: source, ignoreCase = false }, group) => {
      const regex = compileRegex(source, ignoreCase)
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
    },
  }),
}

const BY_KIND: ReadonlyMap<string, AnyPattern> = new Map(Object.entries<AnyPattern>(PATTERNS))

/** Returns the kind of a pattern; undefined when unknown. */
export function findPattern(pattern: Json | undefined): AnyPattern | undefined {
  return isJsonObject(pattern) && typeof pattern.kind === 'string' ? BY_KIND.get(pattern.kind) : undefined
}
