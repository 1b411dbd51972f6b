import { digitValue } from './char-classes.ts'
import type { NormalForm, WordRule } from '../../names.ts'
import { ALPHA, classBits, DIGIT, SPACE } from './char-classes.ts'

// All casing is Unicode's default full mapping, the same in every locale (`ß` becomes `SS`).

/** Upper-cases the first letter and keeps everything else; characters before the first letter are skipped. */
export function capitaliseText(text: string): string {
  const at = firstLetter(text)
  return at === -1 ? text : text.slice(0, at) + text.charAt(at).toUpperCase() + text.slice(at + 1)
}

/** The first letter upper-case, everything else lower-case. */
export function sentenceText(text: string): string {
  return capitaliseText(text.toLowerCase())
}

function firstLetter(text: string): number {
  for (let at = 0; at < text.length; at++) if ((classBits(text.charCodeAt(at)) & ALPHA) !== 0) return at
  return -1
}

function isApostrophe(unit: number): boolean {
  return unit === 39 || unit === 0x2019
}

/**
 * Upper-cases the first letter of every word and lower-cases the rest. Words are the text between white space
 * (`space`), runs of letters (`letters`), or runs of letters and digits with apostrophes inside (`word`: `don't` is one
 * word). In a word of `space` or `word`, a letter after a digit stays lower-case: `2nd`.
 */
export function titleText(text: string, words: WordRule): string {
  const lower = text.toLowerCase()
  let out = ''
  let copied = 0
  let isInside = false
  for (let at = 0; at < lower.length; at++) {
    const bits = classBits(lower.charCodeAt(at))
    if ((bits & ALPHA) !== 0) {
      if (!isInside) {
        out += lower.slice(copied, at) + lower.charAt(at).toUpperCase()
        copied = at + 1
      }
      isInside = true
    } else if ((bits & DIGIT) !== 0 && words !== 'letters') {
      isInside = true
    } else if (words === 'space') {
      if ((bits & SPACE) !== 0) isInside = false
    } else {
      isInside = words === 'word' && isInside && isApostrophe(lower.charCodeAt(at))
    }
  }
  return out + lower.slice(copied)
}

/** Marks of other scripts between the digits of numbers, as they are written in ASCII. */
const NUMBER_MARKS: Readonly<Record<string, string>> = {
  '\u066a': '%',
  '\u066b': '.',
  '\u066c': ',',
  '\uff0c': ',',
  '\uff0e': '.',
}

/** The decimal digits of any script, and the marks between them, in ASCII. */
function withAsciiDigits(text: string): string {
  let out = ''
  let copied = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 128) continue
    const ascii = digitValue(unit) ?? NUMBER_MARKS[text.charAt(at)]
    if (ascii === undefined) continue
    out += text.slice(copied, at) + ascii
    copied = at + 1
  }
  return out + text.slice(copied)
}

/**
 * A Unicode normal form; `unaccent` is NFKD without its combining marks, then NFC; `asciiDigits` writes decimal digits in
 * ASCII.
 */
export function normalizeText(text: string, form: NormalForm): string {
  switch (form) {
    case 'nfc':
      return text.normalize('NFC')
    case 'nfd':
      return text.normalize('NFD')
    case 'nfkc':
      return text.normalize('NFKC')
    case 'unaccent':
      return text
        .normalize('NFKD')
        .replace(/\p{Mn}+/gu, '')
        .normalize('NFC')
    case 'asciiDigits':
      return withAsciiDigits(text)
  }
}
