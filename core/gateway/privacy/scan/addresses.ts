import { isAlphanumeric, isUpper, isWord, type Find } from './characters.ts'

const SUFFIX =
  'Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Drive|Dr|Court|Ct|Place|Pl|Square|Sq|Terrace|Ter|Way|Parkway|Pkwy|Highway|Hwy|Close|Crescent|Cres|Circle|Cir|Row|Gardens|Mews|Alley|Plaza|Trail|Trl|Loop|Grove'
const UNIT = String.raw`(?:,? (?:Apt|Apartment|Unit|Suite|Ste|Floor|Flat|#)\.? ?\w{1,6})?`
const CITY = String.raw`(?:, [A-Z][\w .'-]{1,24}, [A-Z]{2}(?: \d{5}(?:-\d{4})?)?)?`
// Repetitions are bounded and begin with different characters.
const HOUSE_FIRST = new RegExp(
  String.raw`\d{1,6}[A-Za-z]? (?:[NSEW]\.? |(?:North|South|East|West) )?(?:[A-Z][\w'’-]{1,20} |\d{1,3}(?:st|nd|rd|th) ){1,4}?(?:${SUFFIX})\b\.?${UNIT}${CITY}`,
  'y',
)
const FRENCH =
  /\d{1,4}(?: bis| ter)?,? (?:rue|avenue|boulevard|place|chemin|impasse|allée|quai) (?:(?:de la|de|du|des) |d'|l')?[A-ZÀ-Ý][\wÀ-ÿ'-]{1,24}(?: [A-ZÀ-Ý][\wÀ-ÿ'-]{1,24})?/y
const STREET_BEFORE =
  /(?<![\p{L}-])\p{Lu}[\p{L}-]{1,24}(?:straße|strasse|str\.|gasse|allee|platz|weg|ufer|damm|ring)[ ]$|(?<![\p{L}-])(?:\p{Lu}[\p{L}-]{1,24} (?:Straße|Strasse|Str\.|Allee|Platz|Weg|Gasse|Ufer|Damm|Ring)) $|\bCalle (?:de (?:la )?)?\p{Lu}\p{L}{1,24},? $/u
const BOX_BEFORE = /\bP\.? ?O\.? Box $/i
const HOUSE_NUMBER = /\d{1,5}[a-z]?(?![\w:-]|[.,]\d)/y

/** The address of a house whose number begins at a digit. */
export function addressAt(text: string, at: number, end: number): Find | null {
  if (end - at > 6) return null
  const next = text.charCodeAt(end)
  const isSpaced = next === 0x20 || next === 0x2c || text.charCodeAt(end + 1) === 0x20
  if (isSpaced) {
    const found = sticky(HOUSE_FIRST, text, at) ?? sticky(FRENCH, text, at)
    if (found !== null) return { start: at, end: found, kind: 'address' }
  }
  if (text.charAt(at - 1) !== ' ') return null
  if (!mayEndStreet(text, at - 2)) return null
  const before = text.slice(Math.max(0, at - 40), at)
  const street = STREET_BEFORE.exec(before) ?? BOX_BEFORE.exec(before)
  const last = sticky(HOUSE_NUMBER, text, at)
  if (street === null || last === null) return null
  return { start: at - street[0].length, end: last, kind: 'address' }
}

const LAST_LETTERS: ReadonlySet<number> = new Set(Array.from('e.zgxrmß,', (letter) => letter.charCodeAt(0)))

/** Spares most numbers the look for a street: its last word begins with a capital, or ends as those in one word do. */
function mayEndStreet(text: string, last: number): boolean {
  if (!LAST_LETTERS.has(text.charCodeAt(last)) && !isAlphanumeric(text.charCodeAt(last))) return false
  let first = last
  while (last - first < MOST_WORD && isWord(text.charCodeAt(first - 1))) first--
  const code = text.charCodeAt(first)
  return isUpper(code) || code >= 0xc0 || text.charAt(last) === '.' || text.charAt(last) === ','
}

const MOST_WORD = 40

function sticky(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : null
}
