import type { Split } from '../../../../core/compile/rows/split/split-report.ts'
import { splitApart, type SplitOptions } from '../../../../core/compile/rows/split/split-rows.ts'
import type { Row } from '../../../../core/compile/rows/task.ts'
import type { Json } from '../../../../core/kernel/json/json.ts'

/** Rows from pairs of input and output, with the ids that intake would give them. */
export function rowsOf(pairs: readonly (readonly [Json, Json])[]): readonly Row[] {
  return pairs.map(([input, output], i) => ({ id: `row_${i + 1}`, input, output }))
}

const DESKS = {
  garden: [
    'the tomato bed',
    'my rose bush',
    'the greenhouse door',
    'a bag of soil',
    'the garden hose',
    'the apple tree',
  ],
  kitchen: [
    'the oven light',
    'my frying pan',
    'the fridge shelf',
    'a soup ladle',
    'the kitchen sink',
    'the bread knife',
  ],
  garage: ['the spare tyre', 'my car battery', 'the engine oil', 'a bicycle pump', 'the garage gate', 'the tow rope'],
  office: ['the desk lamp', 'my printer ink', 'the paper tray', 'a stapler pin', 'the office chair', 'the ring binder'],
} as const
const PHRASES = [
  'Where do I find {}',
  'Somebody broke {} again',
  'Can you replace {} for me',
  '{} has gone missing',
] as const

/** Made-up questions for four desks: 96 rows that share their words within a desk and their phrases across desks. */
export function deskRows(): readonly Row[] {
  const pairs = PHRASES.flatMap((phrase) =>
    Object.entries(DESKS).flatMap(([desk, things]) =>
      things.map((thing) => [phrase.replace('{}', thing), desk] as const),
    ),
  )
  return rowsOf(pairs)
}

const NAMES = [
  'Ines Duarte',
  'Omar Haddad',
  'Lena Vogt',
  'Ravi Menon',
  'Paula Ortiz',
  'Sven Holm',
  'Aiko Mori',
  'Tom Reed',
  'Nora Quist',
  'Emil Kranz',
] as const

/** Names rewritten as last name, comma, initial. */
export function nameRows(): readonly Row[] {
  return rowsOf(
    NAMES.map((name) => {
      const [first = '', last = ''] = name.split(' ')
      return [name, `${last}, ${first.charAt(0)}.`] as const
    }),
  )
}

/** Rows that no rule explains: the output is unrelated digits. */
export function hopelessRows(count: number): readonly Row[] {
  return rowsOf(
    Array.from(
      { length: count },
      (_, i) => [`specimen ${i}`, `${(i * 7919 + 13) % 997}-${(i * i * 31 + 7) % 89}`] as const,
    ),
  )
}

/** The split of four fifths for a teacher or an adapter and a fifth that scores it. */
export function apart(rows: readonly Row[], options: SplitOptions = {}): Split {
  const split = splitApart(rows, options)
  if (split === null) throw new Error('too few rows')
  return split
}
