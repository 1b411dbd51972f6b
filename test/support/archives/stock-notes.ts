import { createRandom, type Random } from '../../../core/model/random.ts'

/** Notes on goods to order, and the order line of each. */
export interface StockNote {
  readonly input: string
  readonly output: string
}

const GOODS = [
  'bolt',
  'hinge',
  'washer',
  'bracket',
  'gasket',
  'pulley',
  'clamp',
  'hose',
  'rivet',
  'nozzle',
  'bearing',
  'spring',
]
const COLOURS: readonly (readonly [name: string, ...others: string[]])[] = [
  ['black', 'blk', 'blck'],
  ['white', 'wht', 'wite'],
  ['green', 'grn', 'gren'],
  ['yellow', 'yel', 'yelow'],
  ['silver', 'slv', 'sliver'],
  ['orange', 'orng', 'ornage'],
]
const ONES =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  )
const TENS = '_ _ twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')
const LEADS = ['', '', 'need ', 'pls send ', 'we are short of ', 'get me ', 'ordr ', 'running low: ']
const TAILS = ['', '', ' asap', ' pls', ' for the van', ' thx', ' by friday']

const pick = <T>(random: Random, items: readonly T[]): T => {
  const item = items[random.below(items.length)]
  if (item === undefined) throw new RangeError('nothing to pick from')
  return item
}

function numberWords(value: number, joint: string): string {
  if (value < 20) return ONES[value] ?? ''
  const tens = TENS[Math.floor(value / 10)] ?? ''
  return value % 10 === 0 ? tens : `${tens}${joint}${ONES[value % 10]}`
}

function slip(random: Random, word: string): string {
  const at = 1 + random.below(word.length - 2)
  const [before, letter, next, after] = [word.slice(0, at), word[at] ?? '', word[at + 1] ?? '', word.slice(at + 2)]
  return pick(random, [before + next + letter + after, before + next + after, before + letter + letter + next + after])
}

function note(random: Random): StockNote {
  const count = 2 + random.below(98)
  const goods = pick(random, GOODS)
  const [colour, ...others] = pick(random, COLOURS)
  const amount = random.float() < 0.75 ? numberWords(count, pick(random, [' ', '-', ' '])) : String(count)
  const shade = random.float() < 0.5 ? colour : pick(random, others)
  const spelled = random.float() < 0.25 && goods.length > 3 ? slip(random, goods) : goods
  const many = `${spelled}s`
  const line = pick(random, [
    `${amount} ${shade} ${many}`,
    `${many} ${shade}, ${amount}`,
    `${amount} ${many} in ${shade}`,
    `${shade} ${many} x ${amount}`,
  ])
  const text = pick(random, LEADS) + line + pick(random, TAILS)
  return { input: text, output: `${count} x ${colour} ${goods}` }
}

/**
 * Jotted notes with the order lines that they mean, no input twice: short forms, slips of the keyboard, numbers in words,
 * parts in any order. "pls send forty two grn nozzels asap" means "42 x green nozzle". A program would have to
 * know the slips, and a classifier has no label to choose.
 */
export function stockNotes(count: number, seed = 1): readonly StockNote[] {
  const random = createRandom(seed, 'stock notes')
  const notes = new Map<string, StockNote>()
  while (notes.size < count) {
    const drawn = note(random)
    notes.set(drawn.input, drawn)
  }
  return [...notes.values()]
}
