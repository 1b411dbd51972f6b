import { RE2JS } from 're2js'

/** A pattern of a task. */
export interface TaskPattern {
  /** Number of its groups. */
  readonly groups: number
  /** Returns the matches of a text one after another: of each the whole, then its groups, null for one without a part. */
  readonly matches: (text: string) => readonly (readonly (string | null)[])[]
}

/** Parts of Python's patterns that are not supported: references to groups and look-ahead, other than at the end. */
const UNSUPPORTED = /\(\?P=|\(\?[=!]/
/** Escaped characters and classes, in which brackets are members. */
const LITERAL = /\\.|\[\^?\]?(?:\\.|[^\]\\])*\]/gsu
const AHEAD = '(?='
const FLAGS = /^\(\?[a-zA-Z]+\)/

/**
 * Opens a pattern with the matches of Python's `re.findall`, in an engine that does not backtrack. Other than there, `\d`, `\w`, `\s`
 * and `\b` know ASCII alone, `$` is the end of the text and not before its last line feed, and an empty match is followed by none
 * that begins at its place. Look-behind holds no group, and look-ahead stands at the end
 * alone, behind no alternative: its text is matched too, and the next match begins before it. Throws an `Error` for
 * other look-around and references, with what is not supported.
 */
export function openPattern(source: string): TaskPattern {
  const at = lookAheadAt(source)
  const wanted = at === null ? source : source.slice(0, at)
  const ahead = at === null ? '' : source.slice(at + AHEAD.length, -1)
  const [unsupported] = [wanted, ahead].flatMap((part) => UNSUPPORTED.exec(part.replaceAll(LITERAL, '_')) ?? [])
  if (unsupported !== undefined) throw new Error(`the pattern uses ${unsupported}…, which is not supported`)
  const [flags = ''] = FLAGS.exec(wanted) ?? []
  // What is looked at ahead is matched behind a group of its own, which holds the match.
  const [text, outer] = at === null ? [source, 0] : [`${flags}(${wanted.slice(flags.length)})(?:${ahead})`, 1]
  const pattern = RE2JS.compile(text, RE2JS.LOOKBEHINDS)
  const count = pattern.groupCount()
  return {
    groups: count - outer,
    matches: (given) => {
      const matcher = pattern.matcher(given)
      const found: (readonly (string | null)[])[] = []
      for (let isFound = matcher.find(); isFound;) {
        found.push(Array.from({ length: count + 1 - outer }, (_, group) => matcher.group(group + outer)))
        isFound = outer === 0 ? matcher.find() : findAfter(matcher, given)
      }
      return found
    },
  }
}

/** Finds the next match behind the first group, and a character later where that is empty. */
function findAfter(matcher: ReturnType<RE2JS['matcher']>, text: string): boolean {
  const [start, end] = [matcher.start(1), matcher.end(1)]
  const from = end > start ? end : end + ((text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1)
  return from <= text.length && matcher.find(from)
}

/** The place of a look-ahead that ends a pattern, where no alternative stands beside it; null without one. */
function lookAheadAt(source: string): number | null {
  const opened: number[] = []
  let last: number | null = null
  let isInClass = false
  for (let at = 0; at < source.length; at++) {
    const character = source[at]
    if (character === '\\') at += 1
    else if (isInClass) isInClass = character !== ']'
    else if (character === '[') {
      isInClass = true
      // The first character of a class is one of its members, also where it is a bracket.
      at += source[at + 1] === '^' ? 2 : 1
      if (source[at] === '\\') at += 1
    } else if (character === '(') opened.push(at)
    else if (character === '|' && opened.length === 0) return null
    else if (character === ')') {
      const start = opened.pop() ?? 0
      last = at === source.length - 1 && opened.length === 0 && source.startsWith(AHEAD, start) ? start : null
    }
  }
  return last
}
