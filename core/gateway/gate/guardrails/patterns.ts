import { LRUCache } from 'lru-cache'
import { RE2JS } from 're2js'

/** A pattern ready to be looked for, in time linear in the text. */
export interface Pattern {
  /** Returns the matches as pairs of start and end, in order; none of them is empty. At most `limit`. */
  find(text: string, limit: number): readonly (readonly [start: number, end: number])[]
}

const KEYWORD = 'keyword:'
const GLOB = 'glob:'
const LETTER = /[\p{L}\p{N}_]/u
/** Bounds the time per character: the steps of an automaton grow with its instructions. */
const MOST_INSTRUCTIONS = 1000

/**
 * Compiles `keyword:…` (a word or phrase, whatever its case), `glob:…` (`*` and `?` stand for characters of a word), or
 * a regular expression in RE2 syntax. Throws an `Error` that says what is wrong with it.
 */
export function compilePattern(pattern: string): Pattern {
  const known = compiled.get(pattern)
  if (known !== undefined) return known
  const made = makePattern(pattern)
  compiled.set(pattern, made)
  return made
}

// A pure cache: dropping an entry changes speed only.
const compiled = new LRUCache<string, Pattern>({ max: 2000 })

function makePattern(pattern: string): Pattern {
  if (pattern.startsWith(KEYWORD)) return keyword(pattern.slice(KEYWORD.length).trim())
  if (pattern.startsWith(GLOB)) return glob(pattern.slice(GLOB.length).trim())
  return finder(compile(pattern, 0))
}

/** Returns the problem of a pattern for its author; null for a valid one. */
export function patternProblem(pattern: string): string | null {
  try {
    compilePattern(pattern)
    return null
  } catch (error) {
    return (error instanceof Error ? error.message : String(error)).slice(0, 200)
  }
}

function keyword(word: string): Pattern {
  if (word === '') throw new Error('has no keyword')
  const all = finder(compile(RE2JS.quote(word), RE2JS.CASE_INSENSITIVE))
  const [bindsBefore, bindsAfter] = [LETTER.test(word.slice(0, 1)), LETTER.test(word.slice(-1))]
  return {
    find: (text, limit) =>
      all
        .find(text, Infinity)
        .filter(
          ([start, end]) =>
            !(bindsBefore && LETTER.test(text.charAt(start - 1))) && !(bindsAfter && LETTER.test(text.charAt(end))),
        )
        .slice(0, limit),
  }
}

function glob(text: string): Pattern {
  const parts = text.split(/([*?])/).filter((part) => part !== '')
  if (!parts.some((part) => part !== '*' && part !== '?')) throw new Error('has no characters besides * and ?')
  const source = parts.map((part) =>
    part === '*' ? String.raw`\S*` : part === '?' ? String.raw`\S` : RE2JS.quote(part),
  )
  return finder(compile(source.join(''), RE2JS.CASE_INSENSITIVE))
}

function compile(source: string, flags: number): RE2JS {
  let engine: RE2JS
  try {
    engine = RE2JS.compile(source, flags)
  } catch (cause) {
    throw new Error(`is no regular expression: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
  if (engine.programSize() > MOST_INSTRUCTIONS) throw new Error('is too large: repeat fewer times')
  if (engine.matcher('').find()) throw new Error('matches the empty text')
  return engine
}

function finder(engine: RE2JS): Pattern {
  return {
    find(text, limit) {
      // The boolean engine is several times quicker and settles the frequent case of no match at all.
      if (!engine.test(text)) return []
      const matcher = engine.matcher(text)
      const found: (readonly [number, number])[] = []
      while (found.length < limit && matcher.find()) {
        const [start, end] = [matcher.start(0), matcher.end(0)]
        if (end > start) found.push([start, end])
      }
      return found
    },
  }
}
