import { asSentence, clause, inTense, plural, withArticle, type Tense } from '../language/sentences.ts'
import { COMMON_WORDS } from '../words/common.ts'
import { GIVEN_NAMES, JOBS } from '../words/people.ts'
import { ADJECTIVES, ANIMALS, OBJECTS, OPPOSITES } from '../words/things.ts'
import { INTRANSITIVE, TRANSITIVE } from '../words/verbs.ts'
import { fixed, mapped, type TaskFamily } from './task.ts'

const VERBS = [...TRANSITIVE, ...INTRANSITIVE]
const NOUNS = [...OBJECTS, ...ANIMALS, ...JOBS]

const TENSE_WAYS: readonly (readonly [Tense, readonly string[]])[] = [
  ['past', ['Put it in the past', 'past tense', 'It happened yesterday']],
  ['present', ['Put it in the present', 'present tense']],
  ['future', ['Put it in the future', 'future tense', 'It will happen']],
  ['progressive', ['Use the progressive form', 'It is happening now']],
  ['negative', ['Negate the past', 'Say that it did not happen', 'negative']],
  ['question', ['Ask whether it happened', 'Make a question']],
  ['perfect', ['Use the perfect tense', 'present perfect']],
]

/** Tasks on the grammar of English. */
export const GRAMMAR_FAMILIES: readonly TaskFamily[] = [
  {
    name: 'tenses',
    task: (random) => {
      const [tense, instructions] = random.pick(TENSE_WAYS)
      const end = (wanted: Tense): string => (wanted === 'question' ? '?' : '.')
      return {
        instructions,
        make: (source) => {
          const drawn = clause(source)
          const from = source.pick<Tense>(['past', 'past', 'present', 'future', 'progressive', 'perfect'])
          return {
            input: asSentence(inTense(drawn, from), end(from)),
            output: asSentence(inTense(drawn, tense), end(tense)),
          }
        },
      }
    },
  },
  mapped(
    'verb forms',
    (random) => random.pick(VERBS),
    ({ base }) => base,
    [
      { instructions: ['Past tense of the verb', 'past form'], output: ({ past }) => past },
      { instructions: ['ing form', 'gerund'], output: ({ gerund }) => gerund },
      { instructions: ['he, she, it form', 'third person'], output: ({ third }) => third },
      { instructions: ['past participle'], output: ({ participle }) => participle },
    ],
  ),
  fixed('base forms', ['Base form of the verb', 'infinitive', 'dictionary form'], (random) => {
    const { base, past, third, gerund } = random.pick(VERBS)
    return { input: random.pick([past, third, gerund]), output: base }
  }),
  mapped('nouns', (random) => random.pick(NOUNS), String, [
    { instructions: ['Plural', 'more than one', 'plural of the noun'], output: plural },
    { instructions: ['With a or an', 'Put the article'], output: withArticle },
  ]),
  mapped('singular', (random) => random.pick(NOUNS), plural, [
    { instructions: ['Singular', 'only one', 'singular of the noun'], output: String },
  ]),
  fixed('opposites', ['Opposite', 'antonym', 'the contrary'], (random) => {
    const [a, b] = random.pick(OPPOSITES)
    return { input: a, output: b }
  }),
  {
    name: 'word kinds',
    task: () => ({
      instructions: ['noun, verb or adjective?', 'kind of word'],
      make: (random) => {
        const [kind, list] = random.pick([
          ['noun', OBJECTS],
          ['adjective', ADJECTIVES],
          ['verb', VERBS.map(({ base }) => base)],
        ] as const)
        return { input: random.pick(list), output: kind }
      },
    }),
  },
  fixed('who did it', ['Who did it?', 'subject of the sentence', 'Who?'], (random) => {
    const drawn = clause(random)
    return { input: asSentence(inTense(drawn, 'past')), output: drawn.subject }
  }),
  fixed('what was it', ['What thing is it about?', 'object of the sentence', 'What?'], (random) => {
    let drawn = clause(random)
    while (drawn.object === '') drawn = clause(random)
    return {
      input: asSentence(inTense(drawn, random.pick<Tense>(['past', 'future', 'progressive']))),
      output: drawn.object,
    }
  }),
  fixed('where or when', ['Where or when?', 'place or time'], (random) => {
    let drawn = clause(random)
    while (drawn.rest === '') drawn = clause(random)
    return { input: asSentence(inTense(drawn, 'past')), output: drawn.rest }
  }),
  fixed('sentence kinds', ['question or statement?', 'Is it a question?'], (random) => {
    const asks = random.chance(0.5)
    const text = inTense(clause(random), asks ? 'question' : 'past')
    return { input: text, output: asks ? 'question' : 'statement' }
  }),
  fixed('persons swapped', ['Replace the name by they', 'Say they for the name'], (random) => {
    const name = random.pick(GIVEN_NAMES)
    const rest = inTense({ ...clause(random), subject: '', plural: false }, 'past').trim()
    return { input: `${name} ${rest}`, output: `they ${rest}` }
  }),
  fixed('last word', ['Last word', 'final word'], (random) => {
    const list = random.sample(COMMON_WORDS, random.between(3, 8))
    return { input: list.join(' '), output: list.at(-1) ?? '' }
  }),
]
