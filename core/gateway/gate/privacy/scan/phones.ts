import { isDigit, isWord, type Find } from './characters.ts'
import { groupLength, joined, type Groups } from './groups.ts'

const PHONE_WORD =
  /(?:\b(?:phone|telephone|tel|mobile|cell|call|fax|whatsapp|sms|text|handy|telefon|ring|dial|reach (?:me|us|him|her|them) (?:at|on))\b|☎|📞)(?:[\s:#=."'(-]|\b(?:number|no|is|me|us|at|on|nr|him|her)\b){0,10}$/
const OTHER_NUMBER =
  /\b(?:order|tracking|invoice|timestamp|serial|isbn|ref|reference|ticket|id|sku|part|version|build|v|lot|batch|case|page|pages|item|items|model|zip)\b[\s:#=._"'-]*$/

/** The phone number that begins with the groups at a place, `+` or a parenthesis included. */
export function phoneAt(text: string, at: number, groups: Groups, context: string): Find | null {
  const previous = text.charAt(at - 1)
  if (previous === '+') return international(text, at, groups)
  const start = previous === '(' ? at - 1 : at
  if (isWord(text.charCodeAt(start - 1))) return null
  const isAnchored = PHONE_WORD.test(previous === '(' ? context.slice(0, -1) : context)
  if (!isAnchored && OTHER_NUMBER.test(context)) return null
  // A group in the middle of a longer number begins none.
  const continues = previous === ' ' && isDigit(text.charCodeAt(at - 2))
  const end =
    (previous === '(' ? inParentheses(text, groups) : null) ??
    northAmerican(text, groups) ??
    (continues ? null : national(text, groups)) ??
    (isAnchored ? anchored(text, groups) : null)
  return end === null ? null : { start, end, kind: 'phone' }
}

/** ITU-T E.164: at most 15 digits. */
function international(text: string, at: number, groups: Groups): Find | null {
  if (isWord(text.charCodeAt(at - 2))) return null
  const count = longest(text, groups, 8, 15)
  if (count === null || text.charCodeAt(at) === 0x30) return null
  const start = text.charAt(at - 2) === '(' ? at - 2 : at - 1
  return { start, end: endOf(groups, count), kind: 'phone' }
}

function inParentheses(text: string, groups: Groups): number | null {
  if (!groups.separators[0]?.startsWith(')')) return null
  const count = longest(text, groups, 7, 12)
  return count === null || count < 2 ? null : endOf(groups, count)
}

/** `212-555-0187`, also with the 1 before it. */
function northAmerican(text: string, groups: Groups): number | null {
  const from = groupLength(groups, 0) === 1 && text.charAt(groups.ends[0] ?? 0) === '1' ? 1 : 0
  const lengths = [0, 1, 2].map((place) => groupLength(groups, from + place))
  if (lengths.join() !== '3,3,4' || groups.ends.length < (from + 3) * 2) return null
  const [one, two] = [groups.separators[from], groups.separators[from + 1]]
  if (one !== two && one?.startsWith(')') !== true) return null
  if (one === '/') return null
  const digits = joined(text, groups, from + 3).slice(from)
  const end = endOf(groups, from + 3)
  return /^[2-9]\d\d[2-9]/.test(digits) && isEnd(text, end) ? end : null
}

/** A number with the trunk prefix 0 and at least one separator. */
function national(text: string, groups: Groups): number | null {
  if (text.charAt(groups.ends[0] ?? 0) !== '0' || groups.ends.length < 4 || isDate(groups)) return null
  const first = groupLength(groups, 0)
  if (first < 2 || first > 6 || (groups.separators[0] === '.' && groups.ends.length < 8)) return null
  const count = longest(text, groups, 9, 12)
  return count === null || count < 2 ? null : endOf(groups, count)
}

function anchored(text: string, groups: Groups): number | null {
  if (isDate(groups)) return null
  const count = longest(text, groups, 7, 15)
  return count === null ? null : endOf(groups, count)
}

/** Returns how many of the groups make a number of so many digits: as many as fit and end there. */
function longest(text: string, groups: Groups, least: number, most: number): number | null {
  let found: number | null = null
  let digits = 0
  for (let count = 1; count * 2 <= groups.ends.length; count++) {
    digits += groupLength(groups, count - 1)
    if (digits > most) break
    if (digits >= least && isEnd(text, endOf(groups, count))) found = count
  }
  return found
}

function isEnd(text: string, end: number): boolean {
  const next = text.charCodeAt(end)
  return !isWord(next) && !(text.charAt(end) === '-' && isDigit(text.charCodeAt(end + 1)))
}

function isDate(groups: Groups): boolean {
  const lengths = [0, 1, 2].map((place) => groupLength(groups, place)).join()
  return lengths === '4,2,2' || lengths === '2,2,4' || lengths === '1,2,4' || lengths === '2,1,4' || lengths === '1,1,4'
}

function endOf({ ends }: Groups, count: number): number {
  return ends[count * 2 - 1] ?? 0
}
