import type { CharacterClass } from './verifier-types.ts'

const ASCII: readonly CharacterClass[] = Array.from({ length: 128 }, (_, code) =>
  unicodeClassOf(String.fromCharCode(code)),
)

/** The class of one character. */
export function classOf(character: string): CharacterClass {
  const code = character.charCodeAt(0)
  return (code < 128 ? ASCII[code] : undefined) ?? unicodeClassOf(character)
}

function unicodeClassOf(character: string): CharacterClass {
  if (/^\p{Ll}$/u.test(character)) return 'lower'
  if (/^\p{Lu}$/u.test(character)) return 'upper'
  if (/^[\p{L}\p{M}]$/u.test(character)) return 'other_letter'
  if (/^\p{Nd}$/u.test(character)) return 'digit'
  if (/^\s$/u.test(character)) return 'space'
  if (/^\p{P}$/u.test(character)) return 'punctuation'
  if (/^\p{S}$/u.test(character)) return 'symbol'
  return 'other'
}

const LETTERS: Partial<Record<CharacterClass, string>> = { lower: 'a', upper: 'A', other_letter: 'x', digit: '9' }

/**
 * The shape of a text: letters as `a`, `A` or `x`, digits as `9`, spaces as one space, everything else as it is.
 * `exact` keeps the length of each run (`9999-99-99`), `loose` writes a run once with a plus (`9+-9+-9+`).
 */
export function shapeOf(text: string, level: 'exact' | 'loose'): string {
  let shape = ''
  let last = ''
  for (const character of text) {
    const kind = classOf(character)
    const letter = kind === 'space' ? ' ' : LETTERS[kind]
    const sign = letter ?? `\\${character}`
    if (level === 'loose' && letter !== undefined && sign === last) continue
    shape += level === 'loose' && letter !== undefined && letter !== ' ' ? `${sign}+` : sign
    last = sign
  }
  return shape
}

/** The classes of the characters of a text. */
export function classesOf(text: string): ReadonlySet<CharacterClass> {
  const classes = new Set<CharacterClass>()
  for (const character of text) classes.add(classOf(character))
  return classes
}

/** The runs of digits of a text, without leading zeros, so that `007` and `7` are the same number. */
export function numbersOf(text: string): readonly string[] {
  return (text.match(/\d+/g) ?? []).map((digits) => digits.replace(/^0+(?=\d)/, ''))
}
