import { amountText, message, type Message } from '../language/messages.ts'
import { digits, identifier, mistype } from '../language/noise.ts'
import { sentence } from '../language/sentences.ts'
import type { Random } from '../random.ts'
import { MONTHS, WEEKDAYS } from '../words/common.ts'
import { FAMILY_NAMES, GIVEN_NAMES } from '../words/people.ts'
import { CITIES } from '../words/places.ts'
import { COLOURS, OBJECTS, PRODUCTS } from '../words/things.ts'
import { fixed, type TaskFamily } from './task.ts'

type Field = 'product' | 'order' | 'amount' | 'city' | 'name' | 'day'
const FIELDS: Readonly<Record<Field, readonly string[]>> = {
  product: ['Which product?', 'product', 'Name the product'],
  order: ['Order number', 'order', 'Which order?'],
  amount: ['How much money?', 'amount', 'Which amount?'],
  city: ['Which city?', 'city', 'place'],
  name: ['Which person?', 'name'],
  day: ['Which day?', 'day', 'When?'],
}
const FIELD_NAMES = Object.keys(FIELDS) as readonly Field[]

function messageWith(random: Random, field: Field): Message {
  for (;;) {
    const drawn = message(random)
    if (drawn[field] !== '') return drawn
  }
}

/** A fact with its name and its forms in a text. */
const FACTS: readonly {
  readonly name: string
  readonly draw: (random: Random) => string
  readonly frames: readonly string[]
}[] = [
  {
    name: 'e-mail',
    draw: (random) =>
      `${random.pick(GIVEN_NAMES)}${digits(random, random.below(3))}@${random.pick(['mail.com', 'post.net', 'work.co'])}`.toLowerCase(),
    frames: ['write to {}', 'my address is {}', '{}'],
  },
  {
    name: 'phone',
    draw: (random) => `${digits(random, 3)}-${digits(random, 4)}`,
    frames: ['call {}', 'tel {}', 'phone: {}'],
  },
  {
    name: 'person',
    draw: (random) => `${random.pick(GIVEN_NAMES)} ${random.pick(FAMILY_NAMES)}`,
    frames: ['ask for {}', '{} knows about it', 'I spoke to {}'],
  },
  { name: 'city', draw: (random) => random.pick(CITIES), frames: ['we are in {}', 'sent from {}', 'near {}'] },
  { name: 'price', draw: amountText, frames: ['it costs {}', 'I paid {}', 'price {}'] },
  { name: 'code', draw: identifier, frames: ['the code is {}', 'reference {}', 'ref. {}'] },
  { name: 'colour', draw: (random) => random.pick(COLOURS), frames: ['in {}', 'the {} one', 'colour {}'] },
  {
    name: 'date',
    draw: (random) => (random.chance(0.5) ? random.pick(WEEKDAYS) : `${random.between(1, 28)} ${random.pick(MONTHS)}`),
    frames: ['on {}', 'due {}', 'before {}'],
  },
  { name: 'product', draw: (random) => random.pick(PRODUCTS), frames: ['about the {}', 'for my {}', 'I want the {}'] },
  {
    name: 'count',
    draw: (random) => String(random.between(2, 60)),
    frames: ['{} of them', 'we need {}', 'quantity {}'],
  },
]

function facts(
  random: Random,
  count: number,
): { readonly text: string; readonly found: readonly (readonly [name: string, value: string])[] } {
  const found = random
    .sample(FACTS, count)
    .map(({ name, draw, frames }) => ({ name, value: draw(random), frame: random.pick(frames) }))
  const parts = found.map(({ frame, value }) => frame.replace('{}', () => value))
  if (random.chance(0.3)) parts.push(sentence(random).slice(0, -1))
  const text = random.shuffle(parts).join(random.pick([', ', '. ', ' - ', ' ']))
  return { text: mistype(random, text, 0), found: found.map(({ name, value }) => [name, value]) }
}

/** Tasks that find a part of a text. */
export const EXTRACTION_FAMILIES: readonly TaskFamily[] = [
  {
    name: 'field of a message',
    task: (random) => {
      const field = random.pick(FIELD_NAMES)
      return {
        instructions: FIELDS[field],
        make: (source) => {
          const drawn = messageWith(source, field)
          return { input: drawn.text, output: drawn[field] }
        },
      }
    },
  },
  {
    name: 'field or none',
    task: (random) => {
      const field = random.pick(FIELD_NAMES)
      return {
        instructions: FIELDS[field].map((text) => `${text} (none if missing)`),
        make: (source) => {
          const drawn = source.chance(0.5) ? messageWith(source, field) : message(source)
          return { input: drawn.text, output: drawn[field] === '' ? 'none' : drawn[field] }
        },
      }
    },
  },
  {
    name: 'fact of a note',
    task: (random) => {
      const wanted = random.pick(FACTS).name
      return {
        instructions: [`Find the ${wanted}`, wanted, `Which ${wanted}?`],
        make: (source) => {
          for (;;) {
            const { text, found } = facts(source, source.between(2, 4))
            const fact = found.find(([name]) => name === wanted)
            if (fact !== undefined) return { input: text, output: fact[1] }
          }
        },
      }
    },
  },
  {
    name: 'facts as lines',
    task: (random) => {
      const json = random.chance(0.5)
      return {
        instructions: json
          ? ['Write the facts as JSON', 'JSON of the facts']
          : ['List the facts as name: value', 'facts, one per line'],
        make: (source) => {
          const { text, found } = facts(source, source.between(1, 3))
          const ordered = found.toSorted(([a], [b]) => (a < b ? -1 : 1))
          return {
            input: text,
            output: json
              ? JSON.stringify(Object.fromEntries(ordered))
              : ordered.map(([name, value]) => `${name}: ${value}`).join('\n'),
          }
        },
      }
    },
  },
  {
    name: 'intent and field',
    task: (random) => {
      const field = random.pick(FIELD_NAMES)
      return {
        instructions: [`intent | ${field}`, `Write the intent and the ${field}`],
        make: (source) => {
          const drawn = messageWith(source, field)
          return { input: drawn.text, output: `${drawn.intent} | ${drawn[field]}` }
        },
      }
    },
  },
  fixed('quoted text', ['What is in quotes?', 'quoted part'], (random) => {
    const inside = random.chance(0.5) ? random.pick(PRODUCTS) : identifier(random)
    const text = sentence(random).split(' ')
    const at = random.below(text.length)
    return { input: [...text.slice(0, at), `"${inside}"`, ...text.slice(at)].join(' '), output: inside }
  }),
  fixed('in brackets', ['What is in brackets?', 'bracketed part'], (random) => {
    const inside = random.pick([random.pick(OBJECTS), identifier(random), random.pick(CITIES)])
    return { input: `${random.pick(PRODUCTS)} (${inside}) ${sentence(random).slice(0, 30)}`, output: inside }
  }),
]
