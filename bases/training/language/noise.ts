import type { Random } from '../random.ts'

const NEIGHBOURS: Readonly<Record<string, string>> = {
  a: 'sqz',
  b: 'vgn',
  c: 'xvd',
  d: 'sfe',
  e: 'wrd',
  f: 'dgr',
  g: 'fht',
  h: 'gjy',
  i: 'uok',
  j: 'hku',
  k: 'jli',
  l: 'kop',
  m: 'nk',
  n: 'bmh',
  o: 'ipl',
  p: 'ol',
  q: 'wa',
  r: 'etf',
  s: 'adw',
  t: 'ryg',
  u: 'yij',
  v: 'cbf',
  w: 'qes',
  x: 'zcs',
  y: 'tuh',
  z: 'xas',
}

/** A word with one slip of the keyboard: two letters swapped, one lost, doubled, or hit beside its key. */
export function typo(random: Random, word: string): string {
  if (word.length < 4) return word
  const at = random.between(1, word.length - 2)
  const letter = word[at] ?? ''
  switch (random.below(4)) {
    case 0:
      return word[at + 1] === letter ? word.slice(0, at) + word.slice(at + 1) : swap(word, at)
    case 1:
      return word.slice(0, at) + word.slice(at + 1)
    case 2:
      return word.slice(0, at) + letter + word.slice(at)
    default: {
      const near = NEIGHBOURS[letter.toLowerCase()]
      return near === undefined
        ? swap(word, at)
        : word.slice(0, at) + random.pick(Array.from(near)) + word.slice(at + 1)
    }
  }
}

const swap = (word: string, at: number): string =>
  word.slice(0, at) + (word[at + 1] ?? '') + (word[at] ?? '') + word.slice(at + 2)

/** A text of which each longer word has a slip with the given probability. */
export const mistype = (random: Random, text: string, probability: number): string =>
  text.replaceAll(/[A-Za-z]{4,}/g, (word) => (random.chance(probability) ? typo(random, word) : word))

/** The letter case that people type in a hurry: as it is, all lower or all upper. */
export function carelessCase(random: Random, text: string): string {
  const roll = random.next()
  return roll < 0.4 ? text : roll < 0.85 ? text.toLowerCase() : text.toUpperCase()
}

const ONSETS = 'b c d f g h j k l m n p r s t v w z br ch cl dr fl gr kr pl pr sh sk sl st th tr'.split(' ')
const NUCLEI = 'a e i o u a e i o u ai ea ee ou oo'.split(' ')
const CODAS = ['', '', '', 'n', 'r', 's', 't', 'l', 'm', 'nd', 'st', 'x', 'k']

/** A made-up word of one to three syllables, that can be read aloud. */
export function pseudoWord(random: Random): string {
  let word = ''
  for (let i = random.between(1, 3); i > 0; i--) word += random.pick(ONSETS) + random.pick(NUCLEI)
  return word + random.pick(CODAS)
}

/** A text of digits. */
export const digits = (random: Random, count: number): string =>
  Array.from({ length: count }, () => random.below(10)).join('')

/** A text of capital letters, without I and O. */
export const capitals = (random: Random, count: number): string =>
  Array.from({ length: count }, () => random.pick(Array.from('ABCDEFGHJKLMNPQRSTUVWXYZ'))).join('')

/** An identifier such as "AB-1234", "X99Z7" or "#48213". */
export function identifier(random: Random): string {
  switch (random.below(6)) {
    case 0:
      return `${capitals(random, 2)}-${digits(random, 4)}`
    case 1:
      return `#${digits(random, random.between(4, 6))}`
    case 2:
      return `${capitals(random, 1)}${digits(random, 2)}${capitals(random, 1)}${digits(random, 1)}`
    case 3:
      return `${capitals(random, 3)}${digits(random, random.between(3, 5))}`
    case 4:
      return `${digits(random, 3)}-${digits(random, 4)}`
    default:
      return digits(random, random.between(5, 8))
  }
}

/** The text with its first letter in upper case. */
export const capitalised = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)
