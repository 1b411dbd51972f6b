import { digits, identifier, pseudoWord } from '../language/noise.ts'
import { cardinal } from '../language/numbers.ts'
import type { Random } from '../random.ts'
import { FAMILY_NAMES, GIVEN_NAMES, JOBS } from '../words/people.ts'
import { CITIES } from '../words/places.ts'
import { COLOURS, OBJECTS, PRODUCTS } from '../words/things.ts'
import { fixed, type TaskFamily } from './task.ts'

type Row = readonly (readonly [key: string, value: string])[]

const COLUMNS: readonly (readonly [name: string, draw: (random: Random) => string])[] = [
  ['name', (random) => random.pick(GIVEN_NAMES)],
  ['surname', (random) => random.pick(FAMILY_NAMES)],
  ['age', (random) => String(random.between(18, 90))],
  ['city', (random) => random.pick(CITIES)],
  ['job', (random) => random.pick(JOBS)],
  ['id', identifier],
  ['colour', (random) => random.pick(COLOURS)],
  ['item', (random) => random.pick(OBJECTS)],
  ['price', (random) => `${random.between(1, 200)}.${digits(random, 2)}`],
  ['quantity', (random) => String(random.between(1, 50))],
  ['note', pseudoWord],
]

const row = (random: Random, names: readonly string[]): Row =>
  names.map((name) => [name, COLUMNS.find(([column]) => column === name)?.[1](random) ?? ''])

/** Ways to write a row of named values. */
const STYLES: readonly { readonly name: string; readonly write: (row: Row) => string }[] = [
  { name: 'JSON', write: (r) => JSON.stringify(Object.fromEntries(r)) },
  { name: 'name: value lines', write: (r) => r.map(([k, v]) => `${k}: ${v}`).join('\n') },
  { name: 'name=value', write: (r) => r.map(([k, v]) => `${k}=${v}`).join(' ') },
  { name: 'comma separated values', write: (r) => r.map(([, v]) => v).join(',') },
  { name: 'values with bars', write: (r) => r.map(([, v]) => v).join(' | ') },
  { name: 'name (value)', write: (r) => r.map(([k, v]) => `${k} (${v})`).join(', ') },
  { name: 'XML', write: (r) => r.map(([k, v]) => `<${k}>${v}</${k}>`).join('') },
]

const columns = (random: Random, count: number): readonly string[] =>
  random.sample(
    COLUMNS.map(([name]) => name),
    count,
  )

/** Tasks on rows of named values. */
export const RECORD_FAMILIES: readonly TaskFamily[] = [
  {
    name: 'record styles',
    task: (random) => {
      const named = STYLES.filter(({ name }) => name !== 'comma separated values' && name !== 'values with bars')
      const [from, to] = [random.pick(named), random.pick(STYLES)]
      const names = columns(random, random.between(2, 4))
      return {
        instructions: [`Write as ${to.name}`, to.name],
        make: (source) => {
          const drawn = row(source, names)
          return { input: from.write(drawn), output: to.write(drawn) }
        },
      }
    },
  },
  {
    name: 'value of a key',
    task: (random) => {
      const names = columns(random, random.between(2, 4))
      const [wanted, style] = [random.pick(names), random.pick(STYLES.filter(({ name }) => !name.includes('values')))]
      return {
        instructions: [`Value of ${wanted}`, `What is the ${wanted}?`],
        make: (source) => {
          const drawn = row(source, names)
          return { input: style.write(drawn), output: drawn.find(([key]) => key === wanted)?.[1] ?? '' }
        },
      }
    },
  },
  {
    name: 'column of a row',
    task: (random) => {
      const names = columns(random, random.between(2, 4))
      const at = random.below(names.length)
      const mark = random.pick([',', ';', ' | ', '\t', ' / '])
      return {
        instructions: [`${['First', 'Second', 'Third', 'Fourth'][at]} value`, `column ${at + 1}`],
        make: (source) => {
          const values = row(source, names).map(([, value]) => value)
          return { input: values.join(mark), output: values[at] ?? '' }
        },
      }
    },
  },
  {
    name: 'column order',
    task: (random) => {
      const names = columns(random, random.between(2, 4))
      const order = random.shuffle(names.map((_, i) => i))
      const [from, to] = [random.pick([',', ';', ' | ', ' ']), random.pick([', ', '; ', ' | ', ' - '])]
      return {
        instructions: [`Order of the columns: ${order.map((i) => i + 1).join(' ')}`],
        make: (source) => {
          const values = row(
            source,
            names.map((name) => (from === ' ' && name === 'city' ? 'name' : name)),
          ).map(([, value]) => value)
          return { input: values.join(from), output: order.map((i) => values[i]).join(to) }
        },
      }
    },
  },
  {
    name: 'filled template',
    task: (random) => {
      const frames: readonly (readonly [string, readonly string[]])[] = [
        ['{0} lives in {1}', ['name', 'city']],
        ['{0} works as a {1} in {2}', ['name', 'job', 'city']],
        ['Dear {0}, your order {1} is ready', ['name', 'id']],
        ['{1} x {0} at {2}', ['item', 'quantity', 'price']],
        ['{0} is {1} years old', ['name', 'age']],
        ['The {1} {0} costs {2}', ['item', 'colour', 'price']],
      ]
      const [frame, names] = random.pick(frames)
      return {
        instructions: [`Fill in: ${frame.replaceAll(/\{(\d)\}/g, (_, i: string) => `<${names[Number(i)]}>`)}`],
        make: (source) => {
          const drawn = row(source, names)
          return {
            input: drawn.map(([k, v]) => `${k}: ${v}`).join(', '),
            output: frame.replaceAll(/\{(\d)\}/g, (_, i: string) => drawn[Number(i)]?.[1] ?? ''),
          }
        },
      }
    },
  },
  fixed('dictated order', ['Write as JSON', 'order as JSON'], (random) => {
    const [n, product, city] = [random.between(1, 40), random.pick(PRODUCTS), random.pick(CITIES)]
    return {
      input: `${random.pick(['please send', 'I want', 'we need', 'order'])} ${random.chance(0.7) ? cardinal(n) : n} ${product} to ${city}`,
      output: JSON.stringify({ item: product, quantity: n, city }),
    }
  }),
]
