import { pseudoWord } from '../language/noise.ts'
import type { Random } from '../random.ts'
import { COMMON_WORDS, NATO } from '../words/common.ts'
import { GIVEN_NAMES } from '../words/people.ts'
import { CITIES } from '../words/places.ts'
import { ADJECTIVES, ANIMALS, OBJECTS } from '../words/things.ts'
import { fixed, mapped, type TaskFamily } from './task.ts'

/** A word of any list, or a made-up one. */
export function anyWord(random: Random): string {
  const list = random.pick([COMMON_WORDS, COMMON_WORDS, OBJECTS, ADJECTIVES, ANIMALS, GIVEN_NAMES])
  return random.chance(0.25) ? pseudoWord(random) : random.pick(list)
}

const reversed = (text: string): string => Array.from(text).toReversed().join('')
const nato = (text: string): string =>
  Array.from(text.toLowerCase())
    .map((c) => NATO.find((word) => word[0] === c) ?? c)
    .join(' ')
const letters = (text: string): string => text.replaceAll(' ', '')

/** Tasks on the letters of words. */
export const SPELLING_FAMILIES: readonly TaskFamily[] = [
  mapped('spell', anyWord, String, [
    {
      instructions: ['Spell the word', 'letters with spaces', 'Put spaces between the letters'],
      output: (word) => Array.from(word).join(' '),
    },
    { instructions: ['Spell with hyphens'], output: (word) => Array.from(word).join('-') },
    { instructions: ['Spell in capitals'], output: (word) => Array.from(word.toUpperCase()).join(' ') },
  ]),
  mapped('unspell', anyWord, (word) => Array.from(word).join(' '), [
    { instructions: ['Join the letters', 'Write the spelled word', 'letters to word'], output: String },
    { instructions: ['Join the letters in capitals'], output: (word) => word.toUpperCase() },
  ]),
  fixed('spelled with dashes', ['Join the letters', 'Write the spelled word'], (random) => {
    const word = anyWord(random)
    return { input: Array.from(random.chance(0.5) ? word.toUpperCase() : word).join('-'), output: word }
  }),
  mapped('letters of a word', anyWord, String, [
    { instructions: ['First letter', 'What is the first letter?'], output: (word) => word.slice(0, 1) },
    { instructions: ['Last letter', 'What is the last letter?'], output: (word) => word.slice(-1) },
    { instructions: ['Second letter'], output: (word) => word.slice(1, 2) },
    { instructions: ['First two letters'], output: (word) => word.slice(0, 2) },
    { instructions: ['First three letters'], output: (word) => word.slice(0, 3) },
    { instructions: ['Last three letters'], output: (word) => word.slice(-3) },
    { instructions: ['Without the first letter'], output: (word) => word.slice(1) },
    { instructions: ['Without the last letter'], output: (word) => word.slice(0, -1) },
    { instructions: ['Number of letters', 'How many letters?'], output: (word) => String(word.length) },
    { instructions: ['Remove the vowels'], output: (word) => word.replaceAll(/[aeiou]/gi, '') },
    { instructions: ['Double the last letter'], output: (word) => word + word.slice(-1) },
  ]),
  mapped('reverse', (random) => anyWord(random).slice(0, 7), String, [
    { instructions: ['Reverse the word', 'backwards', 'Write it backwards'], output: reversed },
  ]),
  mapped(
    'nato alphabet',
    (random) => letters(random.chance(0.5) ? anyWord(random) : random.pick(CITIES)).slice(0, 7),
    String,
    [{ instructions: ['Spell in the NATO alphabet', 'radio alphabet'], output: nato }],
  ),
  mapped(
    'from nato alphabet',
    (random) =>
      letters(random.chance(0.5) ? anyWord(random) : random.pick(CITIES))
        .slice(0, 8)
        .toLowerCase(),
    nato,
    [
      { instructions: ['Which word is spelled?', 'radio alphabet to word'], output: String },
      { instructions: ['radio alphabet to capitals'], output: (word) => word.toUpperCase() },
    ],
  ),
  fixed('initial letters', ['Initials', 'first letters of the words', 'Make an acronym'], (random) => {
    const chosen = Array.from({ length: random.between(2, 5) }, () => anyWord(random))
    return { input: chosen.join(' '), output: chosen.map((word) => word.slice(0, 1).toUpperCase()).join('') }
  }),
]
