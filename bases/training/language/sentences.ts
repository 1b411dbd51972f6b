import type { Random } from '../random.ts'
import { CONNECTIVES } from '../words/common.ts'
import { GIVEN_NAMES, JOBS } from '../words/people.ts'
import { CITIES, SITES } from '../words/places.ts'
import { ADJECTIVES, ANIMALS, COLOURS, MATERIALS, OBJECTS } from '../words/things.ts'
import { INTRANSITIVE, TRANSITIVE, type Verb } from '../words/verbs.ts'
import { cardinal } from './numbers.ts'
import { capitalised } from './noise.ts'

/** The parts of a simple sentence. */
export interface Clause {
  readonly subject: string
  /** "I", "you" and plurals take the base form in the present. */
  readonly plural: boolean
  readonly verb: Verb
  /** Empty for a verb without object. */
  readonly object: string
  /** Place or time, empty or led by a preposition. */
  readonly rest: string
}

const PLURALS: Readonly<Record<string, string>> = {
  mouse: 'mice',
  goose: 'geese',
  wolf: 'wolves',
  sheep: 'sheep',
  fish: 'fish',
  deer: 'deer',
  knife: 'knives',
  shelf: 'shelves',
  leaf: 'leaves',
  loaf: 'loaves',
  child: 'children',
  man: 'men',
  woman: 'women',
  foot: 'feet',
  tooth: 'teeth',
  person: 'people',
  postman: 'postmen',
}

/** The plural of a noun. */
export function plural(noun: string): string {
  const known = PLURALS[noun]
  if (known !== undefined) return known
  if (/(?:s|x|z|ch|sh)$/.test(noun) || noun === 'potato' || noun === 'tomato') return `${noun}es`
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`
}

/** "a" or "an" before a word. */
export const article = (word: string): string => (/^[aeiou]/i.test(word) && !/^(?:uni|use|eu)/i.test(word) ? 'an' : 'a')

/** A noun phrase for a thing: "the red lamp", "two old keys", "some rice". */
export function thing(random: Random): string {
  switch (random.below(7)) {
    case 0:
      return withArticle(random.pick(OBJECTS))
    case 1:
      return withArticle(`${random.pick(ADJECTIVES)} ${random.pick(OBJECTS)}`)
    case 2:
      return `the ${random.pick(COLOURS)} ${random.pick(OBJECTS)}`
    case 3:
      return `${cardinal(random.between(2, 12))} ${plural(random.pick(OBJECTS))}`
    case 4:
      return `some ${random.pick(MATERIALS)}`
    case 5:
      return `${random.pick(['my', 'your', 'his', 'her', 'our', 'their'])} ${random.pick(OBJECTS)}`
    default:
      return `the ${random.pick(OBJECTS)}`
  }
}

/** A word or phrase with its indefinite article. */
export const withArticle = (phrase: string): string => `${article(phrase)} ${phrase}`

const WHEN = [
  'today',
  'yesterday',
  'last week',
  'last night',
  'this morning',
  'on Monday',
  'on Friday',
  'in May',
  'at noon',
  'in the evening',
  'every day',
  'after lunch',
  'before dinner',
  'two days ago',
  'at the weekend',
  'in winter',
]
const PREPOSITIONS = ['in', 'near', 'behind', 'at', 'outside', 'inside', 'beside']

/** Returns a place or time: "in the kitchen", "last week". */
export function circumstance(random: Random): string {
  const roll = random.next()
  if (roll < 0.45) return `${random.pick(PREPOSITIONS)} the ${random.pick(SITES)}`
  return roll < 0.6 ? `in ${random.pick(CITIES)}` : random.pick(WHEN)
}

/** A random simple clause. */
export function clause(random: Random): Clause {
  const [subject, many] = who(random)
  const transitive = random.chance(0.7)
  return {
    subject,
    plural: many,
    verb: random.pick(transitive ? TRANSITIVE : INTRANSITIVE),
    object: transitive ? thing(random) : '',
    rest: random.chance(0.6) ? circumstance(random) : '',
  }
}

function who(random: Random): readonly [subject: string, plural: boolean] {
  switch (random.below(8)) {
    case 0:
    case 1:
      return [random.pick(GIVEN_NAMES), false]
    case 2:
      return [`the ${random.pick(JOBS)}`, false]
    case 3:
      return [`the ${random.chance(0.5) ? `${random.pick(ADJECTIVES)} ` : ''}${random.pick(ANIMALS)}`, false]
    case 4:
      return [`${random.pick(GIVEN_NAMES)} and ${random.pick(GIVEN_NAMES)}`, true]
    case 5:
      return [random.pick(['I', 'we', 'they', 'you']), true]
    case 6:
      return [`the ${plural(random.pick(JOBS))}`, true]
    default:
      return [random.pick(['he', 'she']), false]
  }
}

/** Tenses and moods that a clause can be put in. */
export type Tense = 'past' | 'present' | 'future' | 'progressive' | 'negative' | 'question' | 'perfect'

/** The words of a clause in a tense, without capital and stop. */
export function inTense({ subject, plural: many, verb, object, rest }: Clause, tense: Tense): string {
  const be = subject === 'I' ? 'am' : many ? 'are' : 'is'
  const tail = [object, rest].filter((part) => part !== '')
  switch (tense) {
    case 'past':
      return [subject, verb.past, ...tail].join(' ')
    case 'present':
      return [subject, many ? verb.base : verb.third, ...tail].join(' ')
    case 'future':
      return [subject, 'will', verb.base, ...tail].join(' ')
    case 'progressive':
      return [subject, be, verb.gerund, ...tail].join(' ')
    case 'negative':
      return [subject, 'did not', verb.base, ...tail].join(' ')
    case 'question':
      return ['did', subject, verb.base, ...tail].join(' ')
    case 'perfect':
      return [subject, many ? 'have' : 'has', verb.participle, ...tail].join(' ')
  }
}

/** Words as a sentence: a capital at the start, a stop at the end. */
export const asSentence = (text: string, end = '.'): string => `${capitalised(text)}${end}`

/** A random sentence of one or two clauses. */
export function sentence(random: Random): string {
  const tense = random.pick<Tense>([
    'past',
    'past',
    'past',
    'present',
    'future',
    'progressive',
    'negative',
    'question',
    'perfect',
  ])
  if (tense === 'question') return asSentence(inTense(clause(random), tense), '?')
  const first = inTense(clause(random), tense)
  if (random.chance(0.7)) return asSentence(first)
  return asSentence(`${first} ${random.pick(CONNECTIVES)} ${inTense(clause(random), tense)}`)
}
