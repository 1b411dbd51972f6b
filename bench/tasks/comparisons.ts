import { defineTask } from './task.ts'

const stock = [
  { item: 'bolts', held: 40, wanted: 25 },
  { item: 'nuts', held: 12, wanted: 30 },
  { item: 'pins', held: 9, wanted: 9 },
  { item: 'hooks', held: 70, wanted: 66 },
  { item: 'rods', held: 3, wanted: 5 },
  { item: 'caps', held: 50, wanted: 50 },
  { item: 'seals', held: 31, wanted: 28 },
  { item: 'rings', held: 18, wanted: 44 },
  { item: 'clips', held: 27, wanted: 26 },
  { item: 'tubes', held: 60, wanted: 61 },
]
const exams = [
  { right: 14, asked: 20 },
  { right: 8, asked: 20 },
  { right: 30, asked: 50 },
  { right: 26, asked: 50 },
  { right: 61, asked: 100 },
  { right: 5, asked: 10 },
  { right: 12, asked: 20 },
  { right: 29, asked: 50 },
  { right: 7, asked: 10 },
]
const tags = [
  { mine: 'Green', theirs: 'GREEN' },
  { mine: 'plum', theirs: 'pear' },
  { mine: 'Sand', theirs: 'sand' },
  { mine: 'teal', theirs: 'tell' },
  { mine: 'OAK', theirs: 'oak' },
  { mine: 'rust', theirs: 'dust' },
  { mine: 'ivory', theirs: 'Ivory' },
  { mine: 'lime', theirs: 'line' },
]
const answers = ['Yes', 'no', 'Y', 'NO', 'true', 'False', 'y', 'n', 'YES', 'TRUE']
const entries = ['17', 'n/a', '3.5', '20kg', '-4', 'ten', '0', 'v1.2', '88', '6-7']
const ranks = [3, 10, 14, 20, 27, 35, 40, 1, 58, 61, 70, 99]
const years = ['1815', '2004', '1989', '1701', '1250', '1900', '2024', '1492', '1066', '1666']
const mails = [
  'Refund for order 8',
  'Re: refund please',
  'Your REFUND is here',
  'Parcel is late',
  'late Parcel again',
  'PARCEL lost',
  'refund 12',
  'my parcel',
]
const titles = [
  'the call of the wild',
  'heart of darkness',
  'a room with a view',
  'north and south',
  'far from the madding crowd',
  'the turn of the screw',
  'of human bondage',
  'the war of the worlds',
]
const small = new Set(['the', 'of', 'a', 'and', 'from', 'with'])
const headline = (title: string) =>
  title
    .split(' ')
    .map((word, at) => (at > 0 && small.has(word) ? word : word.slice(0, 1).toUpperCase() + word.slice(1)))
    .join(' ')

/** Decisions that look at two columns, at letter case, or at what kind of text stands there; and ranges. */
export const comparisonTasks = [
  defineTask('stock state', 'comparisons', stock, ({ held, wanted }) =>
    held > wanted ? 'spare' : held < wanted ? 'short' : 'even',
  ),
  defineTask('passed by share', 'comparisons', exams, ({ right, asked }) =>
    right / asked >= 0.6 ? 'passed' : 'failed',
  ),
  defineTask(
    'same but for case',
    'comparisons',
    tags,
    ({ mine, theirs }) => mine.toLowerCase() === theirs.toLowerCase(),
  ),
  defineTask('said yes', 'comparisons', answers, (answer) => /^(?:y|yes|true)$/i.test(answer)),
  defineTask('is a number', 'comparisons', entries, (entry) => /^-?\d+(?:\.\d+)?$/.test(entry)),
  defineTask('tens from one', 'comparisons', ranks, (rank) => {
    const top = Math.ceil(rank / 10) * 10
    return `${top - 9}-${top}`
  }),
  defineTask('century', 'comparisons', years, (year) => {
    const century = Math.ceil(Number(year) / 100)
    return `${century}${century === 21 ? 'st' : 'th'} century`
  }),
  defineTask('topic in any case', 'comparisons', mails, (mail) => (/refund/i.test(mail) ? 'money' : 'delivery')),
  defineTask('headline', 'comparisons', titles, headline),
]
