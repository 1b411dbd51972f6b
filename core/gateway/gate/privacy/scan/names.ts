import { AMBIGUOUS_GIVEN_NAMES, FAMILY_NAMES, GIVEN_NAMES, NOT_FAMILY_NAMES, TITLES } from '../lists/names.ts'
import { isUpper, isWord, type Find } from './characters.ts'

const MOST_CHARS = 24

/** Returns the name of a person whose first word begins at a place; null for none. */
export function nameAt(text: string, at: number): Find | null {
  const end = wordEnd(text, at)
  // A name ends before a space, and a title before a dot or one.
  const next = text.charCodeAt(end)
  if ((next !== 0x20 && next !== 0x2e && next !== 0x2d) || end - at < 2 || end - at > MOST_CHARS) return null
  const word = text.slice(at, end)
  if (TITLES.has(word)) return titled(text, at, end)
  const isGiven = GIVEN_NAMES.has(word)
  if (!isGiven && !AMBIGUOUS_GIVEN_NAMES.has(word)) return null
  return named(text, at, end, isGiven)
}

/** `Jane Doe`, `Jean-Luc Picard`, `John Q. Public`, `Anna Maria Schmidt`. */
function named(text: string, at: number, first: number, isCertain: boolean): Find | null {
  let end = first
  if (text.charAt(end) === '-' && isUpper(text.charCodeAt(end + 1))) end = wordEnd(text, end + 1)
  let place = nextWord(text, end)
  if (place === null) return null
  let last = wordEnd(text, place)
  // An initial or a second given name stands between the two.
  const isInitial = last - place === 1
  if (isInitial || GIVEN_NAMES.has(text.slice(place, last))) {
    const after = nextWord(text, isInitial && text.charAt(last) === '.' ? last + 1 : last)
    if (after !== null && isFamilyName(text, after, isCertain)) {
      place = after
      last = wordEnd(text, after)
    } else if (isInitial) return null
  }
  if (!isFamilyName(text, place, isCertain)) return null
  return { start: at, end: doubleEnd(text, last), kind: 'name' }
}

function titled(text: string, at: number, title: number): Find | null {
  let place = nextWord(text, text.charAt(title) === '.' ? title + 1 : title)
  if (place === null) return null
  let last = wordEnd(text, place)
  // A second title, as in `Prof. Dr. Müller`.
  if (TITLES.has(text.slice(place, last))) {
    const after = nextWord(text, text.charAt(last) === '.' ? last + 1 : last)
    if (after === null) return null
    place = after
    last = wordEnd(text, place)
  }
  if (text.charAt(last) === '.' && last - place === 1) last++
  else if (last - place < 2 || NOT_FAMILY_NAMES.has(text.slice(place, last))) return null
  const after = nextWord(text, last)
  if (
    after !== null &&
    !NOT_FAMILY_NAMES.has(text.slice(after, wordEnd(text, after))) &&
    wordEnd(text, after) - after > 1
  ) {
    last = wordEnd(text, after)
  }
  return { start: at, end: doubleEnd(text, last), kind: 'name' }
}

function isFamilyName(text: string, at: number, isCertain: boolean): boolean {
  const end = wordEnd(text, at)
  const word = text.slice(at, end)
  if (FAMILY_NAMES.has(word)) return true
  if (!isCertain || word.length < 3 || word.length > MOST_CHARS || NOT_FAMILY_NAMES.has(word)) return false
  // Words all in capitals and those with digits are no names.
  return /^\p{Lu}[\p{Ll}'’]+(?:\p{Lu}\p{Ll}+)?$/u.test(word) || /^(?:O['’]|Mc|Mac|D['’])\p{Lu}\p{Ll}+$/u.test(word)
}

/** The end of a double name. */
function doubleEnd(text: string, end: number): number {
  return text.charAt(end) === '-' && isUpper(text.charCodeAt(end + 1)) ? wordEnd(text, end + 1) : end
}

/** The start of the capitalised word behind one space; null for none. */
function nextWord(text: string, end: number): number | null {
  if (text.charCodeAt(end) !== 0x20) return null
  const code = text.charCodeAt(end + 1)
  return isUpper(code) || (code >= 0xc0 && code <= 0xde) ? end + 1 : null
}

function wordEnd(text: string, at: number): number {
  // Longer ones are no names; without the bound, a text of them would be read again from each.
  const last = at + MOST_CHARS + 1
  let end = at
  for (; end < last; end++) {
    const code = text.charCodeAt(end)
    if (isWord(code)) continue
    // O'Brien
    if ((code === 0x27 || code === 0x2019) && isUpper(text.charCodeAt(end + 1)) && end > at) continue
    break
  }
  return end
}
