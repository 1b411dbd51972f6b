import { LRUCache } from 'lru-cache'
import { RE2JS } from 're2js'
import { readRegex, RegexSyntaxError } from './regex-syntax.ts'
import type { Matches } from './tokens.ts'

/** A regular expression ready to run in time linear in the text (re2js: no backtracking). */
export interface CompiledRegex {
  readonly engine: RE2JS
  /** See `RegexShape`. */
  readonly size: number
  readonly groups: number
}

// A pure cache: dropping an entry changes speed only.
const compiled = new LRUCache<string, CompiledRegex>({ max: 2000 })

function buildEngine(source: string, ignoreCase: boolean): RE2JS {
  try {
    return RE2JS.compile(source, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
  } catch (cause) {
    throw new RegexSyntaxError(cause instanceof Error ? cause.message : 'not accepted by the engine', 0)
  }
}

/** Compiles a regular expression of the published subset, once. Throws `RegexSyntaxError`. */
export function compileRegex(source: string, ignoreCase = false): CompiledRegex {
  const key = ignoreCase ? `i${source}` : `c${source}`
  const known = compiled.get(key)
  if (known !== undefined) return known
  const { size, groups } = readRegex(source)
  const made = { engine: buildEngine(source, ignoreCase), size, groups }
  compiled.set(key, made)
  return made
}

/** Spends fuel for one search from a position of the text; throws when there is none left. */
export type SearchCharge = (remainingUnits: number, regexSize: number) => void

const free: SearchCharge = () => {}

/**
 * Matches of a group of the regular expression (0: the whole match), flat. A match whose group took no part is left
 * out when `group` is above 0. Stops after `limit` matches.
 */
export function regexMatches(
  text: string,
  regex: CompiledRegex,
  group = 0,
  charge: SearchCharge = free,
  limit = Infinity,
): Matches {
  const out: number[] = []
  charge(text.length, regex.size)
  // The boolean engine is several times quicker and settles the frequent case of no match at all.
  if (!regex.engine.test(text)) return out
  const matcher = regex.engine.matcher(text)
  let found = 0
  let previousEnd = -1
  while (found < limit && matcher.find()) {
    const end = matcher.end(0)
    // As in RE2: no empty match right after a match.
    if (end !== previousEnd || matcher.start(0) !== end) {
      found++
      const start = matcher.start(group)
      if (start >= 0) out.push(start, matcher.end(group))
    }
    previousEnd = end
    charge(text.length - end, regex.size)
  }
  return out
}

/** The groups of the first match, in order, empty where one took no part; undefined without a match. */
export function firstGroups(text: string, regex: CompiledRegex): string[] | undefined {
  const matcher = regex.engine.matcher(text)
  if (!matcher.find()) return undefined
  return Array.from({ length: regex.groups }, (_, group) => matcher.group(group + 1) ?? '')
}

/** True when the regular expression matches somewhere in the text. */
export function regexTest(text: string, regex: CompiledRegex): boolean {
  return regex.engine.test(text)
}

/** True when the regular expression matches the whole text. */
export function regexMatchesWhole(text: string, regex: CompiledRegex): boolean {
  return regex.engine.testExact(text)
}
