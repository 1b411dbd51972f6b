import type { Row } from '../../../core/compile/rows/task.ts'
import type { Json } from '../../../core/kernel/json/json.ts'

/** A generator of numbers from 0 to 1 that gives the same ones for a seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const FIRST = ['Ines', 'Omar', 'Lena', 'Ravi', 'Paula', 'Sven', 'Aiko', 'Tom', 'Nora', 'Emil']
const LAST = ['Duarte', 'Haddad', 'Vogt', 'Menon', 'Ortiz', 'Holm', 'Mori', 'Reed', 'Quist', 'Kranz']
const THINGS = ['box', 'crate', 'pallet', 'bag', 'drum', 'roll']
const DESKS: Readonly<Record<string, readonly string[]>> = {
  garden: ['tomato bed', 'rose bush', 'greenhouse door', 'garden hose', 'apple tree', 'lawn mower'],
  kitchen: ['oven light', 'frying pan', 'fridge shelf', 'soup ladle', 'kitchen sink', 'bread knife'],
  garage: ['spare tyre', 'car battery', 'engine oil', 'bicycle pump', 'garage gate', 'tow rope'],
}

type Make = (random: () => number, row: number) => readonly [Json, Json]

const pick = <T>(list: readonly T[], random: () => number): T | undefined => list[Math.floor(random() * list.length)]

/** Tasks of several kinds of recipe; some rows have a wrong output, so that not every answer is right. */
const TASKS: readonly { readonly sizes: readonly number[]; readonly noise: number; readonly make: Make }[] = [
  {
    sizes: [5, 7, 12],
    noise: 0.1,
    make: (random, row) => {
      const number = Math.floor(random() * 9000) + row
      return [`item ${number}, ${pick(THINGS, random)}`, `${number}`]
    },
  },
  {
    sizes: [6, 9, 14],
    noise: 0,
    make: (random, row) => {
      const [first = '', last = ''] = [pick(FIRST, random), pick(LAST, random)]
      return [`${first} ${last} ${row}`, `${last}, ${first.slice(0, 1)}.`]
    },
  },
  {
    sizes: [8, 16],
    noise: 0.1,
    make: (random, row) => {
      const amount = Math.floor(random() * 100_000) / 100
      return [{ id: row, amount, unit: pick(THINGS, random) ?? '' }, amount]
    },
  },
  {
    sizes: [30, 40],
    noise: 0.05,
    make: (random, row) => {
      const desk = pick(Object.keys(DESKS), random) ?? 'garden'
      return [
        `Request ${row}: ${pick(['please repair', 'who broke', 'where is'], random)} the ${pick(DESKS[desk] ?? [], random)}`,
        desk,
      ]
    },
  },
]

/** Rows of a small task, the same for a seed: programs and classifiers, in folds and, for each fifth seed, with test rows. */
export function recomputeRows(seed: number): readonly Row[] {
  const random = randomOf(seed + 1)
  const task = TASKS[seed % TASKS.length]
  if (task === undefined) return []
  const count = pick(task.sizes, random) ?? 8
  const rows = Array.from({ length: count }, (_, i): Row => {
    const [input, output] = task.make(random, i)
    const isNoisy = random() < task.noise && i > 3
    const wrong =
      typeof output === 'number'
        ? output + 7
        : typeof output === 'string' && task.sizes[0] !== 30
          ? `${output}?`
          : 'garage'
    return { id: `row_${i + 1}`, input, output: isNoisy ? wrong : output }
  })
  const isMarked = seed % 5 === 4 && count >= 12
  return rows.map((row, i) => (isMarked && i % 4 === 1 ? { ...row, kind: 'test' } : row))
}
