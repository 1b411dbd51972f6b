import type { Random } from '../random.ts'
import { COMMON_WORDS } from '../words/common.ts'
import { GIVEN_NAMES } from '../words/people.ts'
import { CITIES } from '../words/places.ts'
import { ANIMALS, COLOURS, KINDS, OBJECTS } from '../words/things.ts'
import { identifier, pseudoWord } from '../language/noise.ts'
import { fixed, mapped, type TaskFamily } from './task.ts'

const LISTS = [COMMON_WORDS, GIVEN_NAMES, CITIES, ANIMALS, COLOURS, OBJECTS]

function items(random: Random): readonly string[] {
  const count = random.between(2, 6)
  if (random.chance(0.2))
    return Array.from({ length: count }, () => (random.chance(0.5) ? pseudoWord(random) : identifier(random)))
  return random.sample(random.pick(LISTS), count)
}

const commas = (list: readonly string[]): string => list.join(', ')
const spoken = (list: readonly string[]): string =>
  list.length < 2 ? commas(list) : `${commas(list.slice(0, -1))} and ${list.at(-1)}`
const byLetter = (a: string, b: string): number => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)

/** Tasks on lists: order, members, separators. */
export const LIST_FAMILIES: readonly TaskFamily[] = [
  mapped('members of a list', items, commas, [
    { instructions: ['First item', 'Which comes first?'], output: (list) => list[0] ?? '' },
    { instructions: ['Last item', 'Which comes last?'], output: (list) => list.at(-1) ?? '' },
    { instructions: ['Second item'], output: (list) => list[1] ?? '' },
    { instructions: ['First and last item'], output: (list) => `${list[0]}, ${list.at(-1)}` },
    { instructions: ['How many items?', 'Count the items'], output: (list) => String(list.length) },
    { instructions: ['Reverse the list', 'in reverse order'], output: (list) => commas(list.toReversed()) },
    { instructions: ['Without the first', 'Drop the first item'], output: (list) => commas(list.slice(1)) },
    { instructions: ['Without the last', 'Drop the last item'], output: (list) => commas(list.slice(0, -1)) },
    {
      instructions: ['Move the first item to the end'],
      output: (list) => commas([...list.slice(1), ...list.slice(0, 1)]),
    },
    {
      instructions: ['Swap the first two items'],
      output: (list) => commas([list[1] ?? '', list[0] ?? '', ...list.slice(2)]),
    },
  ]),
  mapped('separators', items, commas, [
    { instructions: ['Separate by semicolons'], output: (list) => list.join('; ') },
    { instructions: ['Separate by bars'], output: (list) => list.join(' | ') },
    { instructions: ['One item per line', 'as lines'], output: (list) => list.join('\n') },
    { instructions: ['Bulleted list', 'with dashes'], output: (list) => list.map((item) => `- ${item}`).join('\n') },
    {
      instructions: ['Numbered list', 'number the items'],
      output: (list) => list.map((item, i) => `${i + 1}. ${item}`).join('\n'),
    },
    { instructions: ['JSON array', 'as JSON'], output: (list) => JSON.stringify(list) },
    { instructions: ['List with and', 'Join with commas and "and"'], output: spoken },
    { instructions: ['Put every item in quotes'], output: (list) => list.map((item) => `"${item}"`).join(', ') },
    { instructions: ['Join with plus signs'], output: (list) => list.join(' + ') },
  ]),
  fixed('list items', ['Separate the items by commas', 'make a list'], (random) => {
    const list = items(random)
    return {
      input: random.pick([
        spoken(list),
        list.join('; '),
        list.join(' / '),
        list.join(' and '),
        list.join('\n'),
        list.map((item) => `- ${item}`).join('\n'),
      ]),
      output: commas(list),
    }
  }),
  fixed('sorted', ['Sort the words', 'in alphabetical order', 'sort'], (random) => {
    const list = random.sample(random.pick(LISTS), random.between(2, 4))
    return { input: commas(list), output: commas(list.toSorted(byLetter)) }
  }),
  fixed('sorted numbers', ['Sort the numbers', 'smallest first'], (random) => {
    const list = Array.from({ length: random.between(2, 4) }, () => random.below(100))
    return { input: commas(list.map(String)), output: commas(list.toSorted((a, b) => a - b).map(String)) }
  }),
  mapped(
    'extremes',
    (random) => Array.from({ length: random.between(2, 4) }, () => random.below(random.pick([20, 100, 1000]))),
    (list) => commas(list.map(String)),
    [
      { instructions: ['Largest number', 'maximum'], output: (list) => String(Math.max(...list)) },
      { instructions: ['Smallest number', 'minimum'], output: (list) => String(Math.min(...list)) },
    ],
  ),
  fixed('duplicates', ['Remove duplicates', 'each item once'], (random) => {
    const list = items(random)
    const doubled = list.flatMap((item) => (random.chance(0.35) ? [item, item] : [item]))
    return { input: commas(doubled), output: commas(list) }
  }),
  fixed('odd one out', ['Which one does not belong?', 'odd one out'], (random) => {
    const [kind, other] = random.sample(Object.values(KINDS), 2)
    const stranger = random.pick(other ?? [])
    return {
      input: commas(random.shuffle([...random.sample(kind ?? [], random.between(2, 3)), stranger])),
      output: stranger,
    }
  }),
  {
    name: 'members of a kind',
    task: (random) => {
      const [kind, members] = random.pick(Object.entries(KINDS))
      return {
        instructions: [`Which of them is a ${kind}?`, `Find the ${kind}`],
        make: (source) => {
          const wanted = source.pick(members)
          const others = Object.entries(KINDS)
            .filter(([name]) => name !== kind)
            .map(([, list]) => source.pick(list))
          return {
            input: commas(source.shuffle([wanted, ...source.sample(others, source.between(1, 3))])),
            output: wanted,
          }
        },
      }
    },
  },
  fixed('in or not', ['Is it in the list? yes or no', 'yes if the word is in the list, else no'], (random) => {
    const list = items(random)
    const inside = random.chance(0.5)
    const word = inside ? random.pick(list) : random.pick(random.pick(LISTS))
    return { input: `${word}: ${commas(list)}`, output: list.includes(word) ? 'yes' : 'no' }
  }),
]
