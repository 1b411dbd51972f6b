import type { Json } from '../../core/kernel/json/json.ts'
import { createRandom, type Random } from '../../core/model/random.ts'

/** A task to calibrate on: rows to compile, and many more of the same kind. */
export interface RiskSet {
  readonly name: string
  readonly train: readonly { readonly input: Json; readonly output: Json }[]
  readonly population: readonly { readonly input: Json; readonly output: Json }[]
  /** Rows of one calibration with held-out rows. */
  readonly calibration: number
}

const POPULATION = 8000
const CALIBRATION = 400

function pick(words: readonly string[], random: Random): string {
  return words[random.below(words.length)] ?? ''
}

/** Three classes of points that overlap. */
function blob(random: Random) {
  const label = random.below(3)
  const centre = [0, 1.6, 3.2][label] ?? 0
  const input = {
    x: Number((centre + random.normal()).toFixed(3)),
    y: Number((centre / 2 + random.normal()).toFixed(3)),
    z: Number(random.normal().toFixed(3)),
  }
  return { input, output: ['low', 'middle', 'high'][label] ?? 'low' }
}

/** A table whose label is turned for one row in twenty-five, whatever its members say. */
function noisy(random: Random) {
  const age = 18 + random.below(60)
  const debts = random.below(5000)
  const plan = pick(['free', 'team', 'scale'], random)
  const isRisky = debts > 2500 + (plan === 'scale' ? 1500 : 0) || (age < 25 && debts > 1000)
  const isTurned = random.below(25) === 0
  return { input: { age, debts, plan }, output: isRisky === isTurned ? 'accept' : 'refer' }
}

const FIRST = ['Ada', 'Grace', 'Alan', 'Edsger', 'Barbara', 'Donald', 'Frances', 'John', 'Radia', 'Tony'] as const
const LAST = [
  'Lovelace',
  'Hopper',
  'Turing',
  'Dijkstra',
  'Liskov',
  'Knuth',
  'Allen',
  'Backus',
  'Perlman',
  'Hoare',
] as const

/** Names to initials; one name in eight has a second given name, which goes, and one in thirty the family name first. */
function names(random: Random) {
  const first = `${pick(FIRST, random)}${random.below(10_000).toString(36)}`
  const last = `${pick(LAST, random)}${random.below(10_000).toString(36)}`
  const output = `${first[0]}. ${last}`
  if (random.below(30) === 0) return { input: `${last}, ${first}`, output }
  const middle = random.below(8) === 0 ? ` ${pick(FIRST, random)}` : ''
  return { input: `${first}${middle} ${last}`, output }
}

/** Sets of our own: two tables with labels, and texts that a program answers but for rare ones. */
export function madeSets(): readonly RiskSet[] {
  return [
    { name: 'blobs', make: blob, rows: 300 },
    { name: 'noisy table', make: noisy, rows: 300 },
    { name: 'names', make: names, rows: 12 },
  ].map(({ name, make, rows }) => {
    const random = createRandom(3, name)
    const distinct = new Map<string, { input: Json; output: Json }>()
    while (distinct.size < rows + POPULATION) {
      const one = make(random)
      distinct.set(JSON.stringify(one.input), one)
    }
    const all = [...distinct.values()]
    return { name, train: all.slice(0, rows), population: all.slice(rows), calibration: CALIBRATION }
  })
}
