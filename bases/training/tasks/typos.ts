import { carelessCase, mistype, typo } from '../language/noise.ts'
import { message } from '../language/messages.ts'
import { sentence } from '../language/sentences.ts'
import { COMMON_WORDS, FILLERS, MONTHS, WEEKDAYS } from '../words/common.ts'
import { CITIES, COUNTRIES } from '../words/places.ts'
import { ADJECTIVES, ANIMALS, COLOURS, OBJECTS, PRODUCTS } from '../words/things.ts'
import { fixed, type TaskFamily } from './task.ts'

const VOCABULARIES: readonly (readonly string[])[] = [
  COMMON_WORDS.filter((word) => word.length > 3),
  OBJECTS,
  ADJECTIVES,
  ANIMALS,
  COLOURS,
  MONTHS,
  WEEKDAYS,
  CITIES,
  COUNTRIES.map(([name]) => name),
  PRODUCTS,
]

const CONTRACTIONS: readonly (readonly [short: string, long: string])[] = [
  ["don't", 'do not'],
  ["can't", 'cannot'],
  ["won't", 'will not'],
  ["isn't", 'is not'],
  ["aren't", 'are not'],
  ["I'm", 'I am'],
  ["you're", 'you are'],
  ["we're", 'we are'],
  ["they're", 'they are'],
  ["it's", 'it is'],
  ["he's", 'he is'],
  ["she's", 'she is'],
  ["I've", 'I have'],
  ["we've", 'we have'],
  ["didn't", 'did not'],
  ["doesn't", 'does not'],
  ["wasn't", 'was not'],
  ["I'll", 'I will'],
  ["we'll", 'we will'],
  ["couldn't", 'could not'],
  ["shouldn't", 'should not'],
  ["let's", 'let us'],
]
const AFTER = [
  'here',
  'late',
  'ready',
  'sure',
  'in the office',
  'at home',
  'happy',
  'on time',
  'waiting for it',
  'coming back',
  'the right one',
]

const clean = (text: string): string => text.toLowerCase().replaceAll(/[.?]/g, '')

/** Tasks that correct hastily typed or dictated text. */
export const TYPO_FAMILIES: readonly TaskFamily[] = [
  fixed('misspelled word', ['Correct the spelling', 'fix the typo', 'Right spelling', 'correct word'], (random) => {
    const word = random.pick(random.pick(VOCABULARIES))
    const wrong = word
      .split(' ')
      .map((part) => typo(random, part))
      .join(' ')
    return {
      input: random.chance(0.2) ? typo(random, wrong).toLowerCase() : random.chance(0.4) ? wrong.toLowerCase() : wrong,
      output: word,
    }
  }),
  fixed('misspelled sentence', ['Correct the spelling', 'fix the typos', 'Fix all spelling mistakes'], (random) => {
    const text = sentence(random)
    return { input: mistype(random, text, 0.35), output: text }
  }),
  fixed('misspelled message', ['Correct the message', 'fix typos'], (random) => {
    const { text } = message(random)
    return { input: mistype(random, text, 0.25), output: text }
  }),
  fixed('contractions', ['Write the contractions in full', 'no contractions', 'expand contractions'], (random) => {
    const [short, long] = random.pick(CONTRACTIONS)
    const rest = random.pick(AFTER)
    return { input: `${short} ${rest}`, output: `${long} ${rest}` }
  }),
  fixed('contract', ['Use contractions', 'contract the words'], (random) => {
    const [short, long] = random.pick(CONTRACTIONS)
    const rest = random.pick(AFTER)
    return { input: `${long} ${rest}`, output: `${short} ${rest}` }
  }),
  fixed('fillers', ['Remove the filler words', 'no um and uh', 'clean up the speech'], (random) => {
    const list = clean(sentence(random)).split(' ')
    return {
      input: list.map((word) => (random.chance(0.25) ? `${random.pick(FILLERS.slice(0, 4))} ${word}` : word)).join(' '),
      output: list.join(' '),
    }
  }),
  fixed('stutter', ['Remove repeated words', 'no word twice in a row'], (random) => {
    const list = clean(sentence(random))
      .split(' ')
      .filter((word, i, all) => word !== all[i - 1])
    return {
      input: list.map((word) => (random.chance(0.25) ? `${word} ${word}` : word)).join(' '),
      output: list.join(' '),
    }
  }),
  fixed('punctuate', ['Add capitals and punctuation', 'punctuate', 'Make it a proper sentence'], (random) => {
    const text = sentence(random)
    return { input: clean(text), output: text }
  }),
  fixed('leetspeak', ['Replace digits by letters', 'leet to plain'], (random) => {
    const word = random.pick(random.pick([OBJECTS, ADJECTIVES, ANIMALS]))
    const leet: Readonly<Record<string, string>> = { a: '4', e: '3', i: '1', o: '0', s: '5', t: '7' }
    return { input: Array.from(word, (c) => (random.chance(0.8) ? (leet[c] ?? c) : c)).join(''), output: word }
  }),
  fixed(
    'spoken symbols',
    ['Write the symbols', 'spoken address to text', 'Normalise the spoken e-mail or address'],
    (random) => {
      const [a, b] = [random.pick(COMMON_WORDS), random.pick(OBJECTS)]
      const domain = random.pick(['com', 'org', 'net', 'co.uk', 'info'])
      const dotted = (text: string): string => text.replaceAll('.', ' dot ')
      const input = random.chance(0.6)
        ? `${a} ${random.pick(['dot', 'underscore', 'dash'])} ${b} at mail dot ${dotted(domain)}`
        : `www dot ${a}${b} dot ${dotted(domain)}`
      const output = input
        .replaceAll(' dot ', '.')
        .replaceAll(' underscore ', '_')
        .replaceAll(' dash ', '-')
        .replaceAll(' at ', '@')
      return { input: random.chance(0.2) ? carelessCase(random, input) : input, output }
    },
  ),
]
