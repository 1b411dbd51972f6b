import { capitalised, carelessCase } from '../language/noise.ts'
import { sentence } from '../language/sentences.ts'
import type { Random } from '../random.ts'
import { FAMILY_NAMES, GIVEN_NAMES } from '../words/people.ts'
import { CITIES } from '../words/places.ts'
import { fixed, mapped, type TaskFamily } from './task.ts'
import { anyWord } from './spelling.ts'

const phrase = (random: Random): string =>
  random.chance(0.3)
    ? sentence(random).slice(0, -1)
    : Array.from({ length: random.between(2, 5) }, () => anyWord(random)).join(' ')
const title = (text: string): string => text.split(' ').map(capitalised).join(' ')
const messy = (random: Random, text: string): string => {
  const cased = carelessCase(random, text)
  return Array.from(cased)
    .map((c) => (random.chance(0.08) ? (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase()) : c))
    .join('')
}

/** Tasks on upper and lower case, and on the joints between words. */
export const CASING_FAMILIES: readonly TaskFamily[] = [
  mapped('letter case', phrase, String, [
    {
      instructions: ['Write in capitals', 'upper case', 'UPPERCASE', 'shout it'],
      output: (text) => text.toUpperCase(),
    },
    { instructions: ['Write in lower case', 'lowercase', 'no capitals'], output: (text) => text.toLowerCase() },
    { instructions: ['Capitalise every word', 'title case'], output: (text) => title(text.toLowerCase()) },
    {
      instructions: ['Capitalise only the first word', 'sentence case'],
      output: (text) => capitalised(text.toLowerCase()),
    },
  ]),
  mapped(
    'identifier styles',
    (random) => Array.from({ length: random.between(2, 4) }, () => anyWord(random).toLowerCase()),
    (list) => list.join(' '),
    [
      { instructions: ['snake_case', 'Join with underscores'], output: (list) => list.join('_') },
      { instructions: ['kebab-case', 'Join with hyphens'], output: (list) => list.join('-') },
      { instructions: ['camelCase'], output: (list) => (list[0] ?? '') + list.slice(1).map(capitalised).join('') },
      { instructions: ['PascalCase'], output: (list) => list.map(capitalised).join('') },
      { instructions: ['CONSTANT_CASE'], output: (list) => list.join('_').toUpperCase() },
      { instructions: ['Join the words without spaces', 'no spaces'], output: (list) => list.join('') },
      { instructions: ['Join with dots'], output: (list) => list.join('.') },
    ],
  ),
  fixed(
    'split identifiers',
    ['Split the name into words', 'identifier to words', 'Write as separate words'],
    (random) => {
      const list = Array.from({ length: random.between(2, 4) }, () => anyWord(random).toLowerCase())
      const input = random.pick([
        list.join('_'),
        list.join('-'),
        (list[0] ?? '') + list.slice(1).map(capitalised).join(''),
        list.map(capitalised).join(''),
        list.join('.'),
      ])
      return { input, output: list.join(' ') }
    },
  ),
  fixed('fix case', ['Correct the capitals', 'fix the case', 'Normal capitals please'], (random) => {
    const text = sentence(random)
    return { input: messy(random, text), output: text }
  }),
  fixed('case of names', ['Write the name properly', 'normalise the name', 'proper case'], (random) => {
    const text = random.chance(0.7) ? `${random.pick(GIVEN_NAMES)} ${random.pick(FAMILY_NAMES)}` : random.pick(CITIES)
    return { input: messy(random, text), output: text }
  }),
  fixed('spaces', ['Remove extra spaces', 'single spaces', 'tidy the spaces'], (random) => {
    const text = phrase(random)
    return { input: text.replaceAll(' ', () => ' '.repeat(random.between(1, 4))), output: text }
  }),
  fixed('missing spaces', ['Put the spaces back', 'split into words', 'insert spaces'], (random) => {
    const text = Array.from({ length: random.between(2, 4) }, () => anyWord(random).toLowerCase()).join(' ')
    return { input: text.replaceAll(' ', ''), output: text }
  }),
  fixed('punctuation off', ['Remove the punctuation', 'letters and digits only'], (random) => {
    const list = phrase(random).split(' ')
    return {
      input: list.map((word) => word + random.pick(['', '', ',', '.', '!', ';'])).join(' '),
      output: list.join(' '),
    }
  }),
]
