import { createRandom, type Random } from '../../../core/model/random.ts'

/** An input with its right output. */
export interface GkdRow {
  readonly input: string
  readonly output: string
}

/** A task of the benchmark: rows without end, each from its own draw. */
export interface GkdTask {
  readonly name: string
  readonly row: (random: Random) => GkdRow
}

const NUMBERS = ['two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'twelve', 'fifteen', 'twenty']
const FIGURES = [2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20]
const GOODS = ['hoses', 'nozzles', 'valves', 'filters', 'pumps', 'seals']
const CODES = ['HS', 'NZ', 'VL', 'FL', 'PM', 'SL']
const COLOURS = ['green', 'blue', 'red', 'grey', 'black']
const TOWNS = ['Lyon', 'Graz', 'Turin', 'Ghent', 'Porto', 'Malmo', 'Brno', 'Cork']
const PLEAS = ['pls send', 'need', 'we want', 'order for', 'could we get', 'please add']
const MONTHS = ['January', 'March', 'April', 'June', 'July', 'August', 'October', 'December']
const MONTH_NUMBERS = ['01', '03', '04', '06', '07', '08', '10', '12']

function pick<T>(random: Random, items: readonly T[], fallback: T): T {
  return items[random.below(items.length)] ?? fallback
}

function place(random: Random, items: readonly unknown[]): number {
  return random.below(items.length)
}

/** Lines of orders into codes: a lookup for each word. */
const orderLines: GkdTask = {
  name: 'order lines',
  row(random) {
    const [number, goods, colour] = [place(random, NUMBERS), place(random, GOODS), place(random, COLOURS)]
    const text = [pick(random, PLEAS, ''), NUMBERS[number], COLOURS[colour], GOODS[goods]].join(' ')
    return { input: text, output: `${FIGURES[number]} x ${CODES[goods]}-${COLOURS[colour]?.slice(0, 3).toUpperCase()}` }
  },
}

/** Messages about deliveries into a record: parts are copied and rewritten. */
const deliveries: GkdTask = {
  name: 'deliveries',
  row(random) {
    const [month, day] = [place(random, MONTHS), 1 + random.below(28)]
    const [town, goods] = [pick(random, TOWNS, ''), pick(random, GOODS, '')]
    const forms = [
      `the ${goods} go to ${town} on ${day} ${MONTHS[month]}`,
      `${town} expects the ${goods} on ${MONTHS[month]} ${day}`,
      `deliver on ${day} ${MONTHS[month]}: ${goods} for ${town}`,
    ]
    return {
      input: pick(random, forms, ''),
      output: `${town} | ${goods} | ${MONTH_NUMBERS[month]}-${String(day).padStart(2, '0')}`,
    }
  },
}

const TOPICS: Readonly<Record<string, readonly string[]>> = {
  delay: ['my parcel is still not here', 'the delivery is late again', 'when will the order finally arrive'],
  damage: ['the pump arrived broken', 'two of the seals are cracked', 'the box was torn and wet'],
  invoice: ['the bill has a wrong amount', 'please send the invoice again', 'I was charged twice'],
  return: ['I want to send the hoses back', 'how do I return a filter', 'the valves do not fit, take them back'],
}
const TAILS = ['', ', thanks', '. please answer', '. this is the second time', ' since monday']
const GREETINGS = ['', 'hi, ', 'hello: ', 'good day. ', 'dear team, ', 'a question: ']

/** Messages into one of four topics. */
const topics: GkdTask = {
  name: 'topics',
  row(random) {
    const topic = pick(random, Object.keys(TOPICS), 'delay')
    const text = `${pick(random, GREETINGS, '')}${pick(random, TOPICS[topic] ?? [], '')}${pick(random, TAILS, '')}`
    return { input: random.below(2) === 0 ? text : `${text} (order ${1000 + random.below(9000)})`, output: topic }
  },
}

/** The tasks. */
export const GKD_TASKS: readonly GkdTask[] = [orderLines, deliveries, topics]

/** Draws rows with different inputs, none of them in `taken`. Adds their inputs to `taken`. */
export function drawRows(task: GkdTask, count: number, seed: number, taken: Set<string>): readonly GkdRow[] {
  const random = createRandom(seed, task.name)
  const rows: GkdRow[] = []
  for (let attempt = 0; rows.length < count && attempt < 100 * count; attempt++) {
    const row = task.row(random)
    if (taken.has(row.input)) continue
    taken.add(row.input)
    rows.push(row)
  }
  return rows
}
