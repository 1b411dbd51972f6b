import { capitals, digits, identifier, pseudoWord } from '../language/noise.ts'
import { sentence } from '../language/sentences.ts'
import type { Random } from '../random.ts'
import { COMMON_WORDS } from '../words/common.ts'
import { GIVEN_NAMES } from '../words/people.ts'
import { COLOURS, OBJECTS } from '../words/things.ts'
import { anyWord } from './spelling.ts'
import { fixed, type TaskFamily } from './task.ts'

const several = (random: Random, low: number, high: number): readonly string[] =>
  Array.from({ length: random.between(low, high) }, () =>
    random.chance(0.3) ? pseudoWord(random) : random.pick(COMMON_WORDS),
  )

/** A text of any kind: words, a sentence, an identifier or made-up words. */
const anyText = (random: Random): string =>
  random.pick([
    (): string => sentence(random),
    (): string => several(random, 2, 7).join(' '),
    (): string => identifier(random),
    (): string => `${capitals(random, random.between(2, 6))} ${digits(random, random.between(2, 6))}`,
    (): string => Array.from({ length: random.between(2, 5) }, () => pseudoWord(random)).join(' '),
  ])()

/** Tasks with an invented rule: only the instruction or the examples can convey it. */
export const RULE_FAMILIES: readonly TaskFamily[] = [
  fixed('copy', ['Repeat the text', 'copy', 'Write the same', 'echo'], (random) => {
    const text = anyText(random)
    return { input: text, output: text }
  }),
  {
    name: 'wrapped',
    task: (random) => {
      const [before, after] = random.pick([
        ['<', '>'],
        ['[', ']'],
        ['"', '"'],
        ['(', ')'],
        ['*', '*'],
        ['-> ', ''],
        ['', '!'],
        ['Note: ', ''],
        ['', ' (end)'],
      ])
      return {
        instructions: [`Put ${before}${after} around it`, `${before}text${after}`],
        make: (source) => {
          const text = anyText(source)
          return { input: text, output: before + text + after }
        },
      }
    },
  },
  {
    name: 'word replaced',
    task: (random) => {
      const [from = '', to = ''] = random.sample(OBJECTS, 2)
      return {
        instructions: [`Replace ${from} by ${to}`, `${to} instead of ${from}`],
        make: (source) => {
          const list = several(source, 2, 6)
          const at = source.below(list.length + 1)
          const write = (word: string): string => [...list.slice(0, at), word, ...list.slice(at)].join(' ')
          return { input: write(from), output: write(to) }
        },
      }
    },
  },
  {
    name: 'private words',
    task: (random) => {
      const names = random
        .sample([...COLOURS, ...OBJECTS], random.between(2, 4))
        .map((word) => [word, pseudoWord(random)] as const)
      return {
        instructions: [names.map(([word, name]) => `${word} is ${name}`).join(', ')],
        make: (source) => {
          const chosen = source.sample(names, source.between(1, names.length))
          return { input: chosen.map(([word]) => word).join(' '), output: chosen.map(([, name]) => name).join(' ') }
        },
      }
    },
  },
  {
    name: 'looked up',
    task: () => ({
      instructions: ['Look up the value', 'Answer from the table'],
      make: (random) => {
        const table = random
          .sample(GIVEN_NAMES, random.between(2, 5))
          .map(
            (name) => [name, random.chance(0.5) ? digits(random, random.between(2, 4)) : random.pick(OBJECTS)] as const,
          )
        const [name, value] = random.pick(table)
        return { input: `${table.map((pair) => pair.join(': ')).join(', ')}\n${name}?`, output: value }
      },
    }),
  },
  {
    name: 'word order',
    task: (random) => {
      const count = random.between(2, 4)
      const order = random.shuffle(Array.from({ length: count }, (_, i) => i))
      return {
        instructions: [`Order of the words: ${order.map((i) => i + 1).join(' ')}`],
        make: (source) => {
          const list = Array.from({ length: count }, () => anyWord(source))
          return { input: list.join(' '), output: order.map((i) => list[i]).join(' ') }
        },
      }
    },
  },
  {
    name: 'word dropped',
    task: (random) => {
      const at = random.below(3)
      return {
        instructions: [`Leave out the ${['first', 'second', 'third'][at]} word`],
        make: (source) => {
          const list = several(source, 3, 6)
          return { input: list.join(' '), output: list.filter((_, i) => i !== at).join(' ') }
        },
      }
    },
  },
  {
    name: 'character replaced',
    task: (random) => {
      const [from = '', to = ''] = random.sample(['-', '_', '/', '.', ':', ' ', '+', '#'], 2)
      return {
        instructions: [`Replace "${from}" by "${to}"`],
        make: (source) => {
          const list = several(source, 2, 5)
          return { input: list.join(from), output: list.join(to) }
        },
      }
    },
  },
  {
    name: 'masked',
    task: (random) => {
      const [mark, shown] = [random.pick(['*', '#', 'x', 'X']), random.between(2, 4)]
      return {
        instructions: [`Hide all but the last ${shown} digits with ${mark}`],
        make: (source) => {
          const text = digits(source, source.between(6, 12))
          return { input: text, output: mark.repeat(text.length - shown) + text.slice(-shown) }
        },
      }
    },
  },
  {
    name: 'grouped digits',
    task: (random) => {
      const [size, mark] = [random.between(2, 4), random.pick([' ', '-', '.', '/'])]
      return {
        instructions: [`Groups of ${size} with "${mark}"`],
        make: (source) => {
          const text = digits(source, size * source.between(2, 4))
          return { input: text, output: (text.match(new RegExp(`.{${size}}`, 'g')) ?? []).join(mark) }
        },
      }
    },
  },
  fixed('repeated', ['Write it twice', 'two times'], (random) => {
    const word = anyWord(random)
    return { input: word, output: `${word} ${word}` }
  }),
]
