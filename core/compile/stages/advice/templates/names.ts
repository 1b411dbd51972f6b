import type { Template } from './template.ts'

const GIVEN = ['Ada', 'Bruno', 'Chen', 'Dalia', 'Emeka', 'Freya', 'Goran', 'Hana', 'Imran', 'Jonna', 'Kofi', 'Lucia']
const FAMILY = [
  'Okafor',
  'Lindqvist',
  'Marchetti',
  'Novak',
  'Petrov',
  'Quiroga',
  'Rahman',
  'Sato',
  'Tanaka',
  'Usman',
  'Vargas',
]

/** 48 made-up people; the two lists have no common factor in length, so no pair comes twice. */
const examples = Array.from({ length: 48 }, (_, index) => {
  const given = GIVEN[index % GIVEN.length] ?? ''
  const family = FAMILY[index % FAMILY.length] ?? ''
  return { input: `${given} ${family}`, output: `${family}, ${given.slice(0, 1)}.` }
})

export const NAMES: Template = {
  id: 'name-to-index-entry',
  name: 'Names as index entries',
  description: 'Full names become the family name, a comma, and the initial of the given name.',
  task: 'Write a name such as Ada Okafor in the form Okafor, A.',
  keywords: ['name', 'person', 'family', 'surname', 'initial', 'author', 'index', 'sort', 'first', 'last'],
  examples,
}
