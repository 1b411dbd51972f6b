import { INTENTS, message, review } from '../language/messages.ts'
import { mistype } from '../language/noise.ts'
import { sentence } from '../language/sentences.ts'
import type { Random } from '../random.ts'
import { CITIES, COUNTRIES } from '../words/places.ts'
import { FAMILY_NAMES, GIVEN_NAMES } from '../words/people.ts'
import { KINDS, OBJECTS } from '../words/things.ts'
import { fixed, type Task, type TaskFamily } from './task.ts'

const NEUTRAL_LABELS = [
  ['A', 'B', 'C', 'D'],
  ['1', '2', '3', '4'],
  ['red', 'green', 'blue', 'yellow'],
  ['X', 'Y', 'Z', 'W'],
  ['one', 'two', 'three', 'four'],
]

/** Rules that single out a class of texts, with a way to draw texts of each class. */
const CLASSES: readonly {
  readonly question: string
  readonly draw: (random: Random) => readonly [text: string, label: string]
}[] = [
  {
    question: 'positive or negative?',
    draw: (random) => {
      const { text, positive } = review(random)
      return [text, positive ? 'positive' : 'negative']
    },
  },
  {
    question: 'good or bad?',
    draw: (random) => {
      const { text, positive } = review(random)
      return [text, positive ? 'good' : 'bad']
    },
  },
  {
    question: 'city or country?',
    draw: (random) => (random.chance(0.5) ? [random.pick(CITIES), 'city'] : [random.pick(COUNTRIES)[0], 'country']),
  },
  {
    question: 'person or thing?',
    draw: (random) =>
      random.chance(0.5)
        ? [`${random.pick(GIVEN_NAMES)} ${random.pick(FAMILY_NAMES)}`, 'person']
        : [random.pick(OBJECTS), 'thing'],
  },
  {
    question: 'even or odd?',
    draw: (random) => {
      const n = random.below(1000)
      return [String(n), n % 2 === 0 ? 'even' : 'odd']
    },
  },
  {
    question: 'long or short?',
    draw: (random) => {
      const text = sentence(random)
        .split(' ')
        .slice(0, random.pick([2, 3, 7, 8, 9]))
      return [text.join(' '), text.length > 4 ? 'long' : 'short']
    },
  },
  {
    question: 'capitals or small?',
    draw: (random) => {
      const text = sentence(random)
      const up = random.chance(0.5)
      return [up ? text.toUpperCase() : text.toLowerCase(), up ? 'capitals' : 'small']
    },
  },
]

const asTask = (random: Random): Task => {
  const { question, draw } = random.pick(CLASSES)
  return {
    instructions: [question],
    make: (source) => {
      const [input, output] = draw(source)
      return { input, output }
    },
  }
}

/** Tasks whose answer is one of a few labels. */
export const LABEL_FAMILIES: readonly TaskFamily[] = [
  { name: 'two classes', task: asTask },
  fixed('sentiment', ['Is the review positive or negative?', 'sentiment', 'positive or negative?'], (random) => {
    const { text, positive } = review(random)
    return { input: mistype(random, text, 0.05), output: positive ? 'positive' : 'negative' }
  }),
  fixed(
    'customer intent',
    ['What does the customer want?', 'intent of the message', 'Topic of the message', 'intent'],
    (random) => {
      const { text, intent } = message(random)
      return { input: mistype(random, text, 0.05), output: intent }
    },
  ),
  {
    name: 'intent of a few',
    task: (random) => {
      const options = random.sample(INTENTS, random.between(2, 4))
      return {
        instructions: [`${options.join(', ')}?`, `Choose one: ${options.join(', ')}`],
        make: (source) => {
          const intent = source.pick(options)
          return { input: message(source, intent).text, output: intent }
        },
      }
    },
  },
  {
    name: 'intent by letter',
    task: (random) => {
      const options = random.sample(INTENTS, random.between(2, 4))
      const labels = random.pick(NEUTRAL_LABELS)
      return {
        instructions: [options.map((intent, i) => `${labels[i]}: ${intent}`).join('; ')],
        make: (source) => {
          const i = source.below(options.length)
          return { input: message(source, options[i]).text, output: labels[i] ?? '' }
        },
      }
    },
  },
  {
    name: 'kind by label',
    task: (random) => {
      const kinds = random.sample(Object.entries(KINDS), random.between(2, 3))
      const labels = random.pick(NEUTRAL_LABELS)
      return {
        instructions: [kinds.map(([kind], i) => `${kind} is ${labels[i]}`).join(', ')],
        make: (source) => {
          const i = source.below(kinds.length)
          return { input: source.pick(kinds[i]?.[1] ?? []), output: labels[i] ?? '' }
        },
      }
    },
  },
  fixed('kind of thing', ['What kind of thing is it?', 'kind', 'category of the word'], (random) => {
    const [kind, members] = random.pick(Object.entries(KINDS))
    return { input: random.pick(members), output: kind }
  }),
  fixed('same intent', ['Do both want the same? yes or no', 'same topic? yes or no'], (random) => {
    const first = message(random)
    const second = message(random, random.chance(0.5) ? first.intent : random.pick(INTENTS))
    return { input: `${first.text}\n${second.text}`, output: first.intent === second.intent ? 'yes' : 'no' }
  }),
  {
    name: 'contains a word',
    task: (random) => {
      const word = random.pick(OBJECTS)
      return {
        instructions: [`Does it contain "${word}"? yes or no`, `yes if "${word}" is in the text, no if not`],
        make: (source) => {
          const text = sentence(source)
          const input = source.chance(0.5)
            ? text.replace(/\b(?:the|a|an|some|my|his|her|our|their|your) [a-z]+/, `the ${word}`)
            : text
          return { input, output: input.includes(word) ? 'yes' : 'no' }
        },
      }
    },
  },
]
