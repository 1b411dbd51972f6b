import { defineTask } from '../task.ts'

const HOURS =
  '15:10 12:40 01:05 04:50 16:55 18:20 17:15 13:30 03:35 11:45 20:25 00:10 10:30 14:05 22:15 06:20 18:05 09:50'.split(
    ' ',
  )

const CODES =
  'LK440213 MR902817 55019284 TWE118203 B720918 ZS663501 NN140027 C00213 HHH12 QD385510 90217734 FX270948 VB117 JP600321 KLM44021 A1'.split(
    ' ',
  )

const USED = [
  [52, 200],
  [310, 240],
  [18, 150],
  [77, 90],
  [140, 60],
  [33, 220],
  [505, 300],
  [21, 45],
  [99, 50],
  [64, 150],
  [11, 70],
  [130, 120],
  [119, 120],
  [88, 210],
].map(([used = 0, limit = 1]) => ({ used, limit }))

const PLACES = [
  [48, 12, 36, 'N'],
  [22, 54, 9, 'S'],
  [35, 41, 27, 'N'],
  [8, 30, 45, 'S'],
  [59, 20, 18, 'N'],
  [37, 48, 54, 'S'],
  [1, 17, 9, 'N'],
  [54, 6, 27, 'S'],
  [64, 8, 45, 'N'],
  [12, 2, 36, 'S'],
  [41, 53, 24, 'N'],
  [33, 26, 51, 'S'],
].map(([degrees, minutes, seconds, side]) => `${degrees}°${minutes}'${seconds}"${side}`)

const STREETS =
  '14 N Mill St|90 Cedar Rd|312 S Birch Ave|5 Sterling St|77 N Queen Rd|48 Birch Ave|21 S Nash St|630 Avery Ave|19 Mill Rd|8 N Cedar Ave|204 S Rowan Rd|3 Stanton St'.split(
    '|',
  )
const SPELLED: Readonly<Record<string, string>> = { N: 'North', S: 'South', St: 'Street', Rd: 'Road', Ave: 'Avenue' }

const ORDERS = [
  ['home', 36.4],
  ['abroad', 41.2],
  ['home', 133.6],
  ['abroad', 155.1],
  ['abroad', 107.3],
  ['home', 148.9],
  ['abroad', 62.7],
  ['home', 21.8],
  ['abroad', 38.5],
  ['home', 171],
  ['home', 72.5],
  ['home', 99.9],
  ['home', 100],
  ['abroad', 12],
].map(([zone = '', order = 0]) => ({ zone, order: Number(order) }))

const DINNERS = [
  { amount: 64.3, tip: 15, guests: 3 },
  { amount: 128.75, tip: 10, guests: 4 },
  { amount: 47.9, tip: 20, guests: 2 },
  { amount: 210.15, tip: 18, guests: 6 },
  { amount: 83.6, tip: 15, guests: 5 },
  { amount: 36.45, tip: 10, guests: 2 },
  { amount: 154.2, tip: 12, guests: 7 },
  { amount: 92.85, tip: 18, guests: 4 },
  { amount: 71.2, tip: 12, guests: 3 },
  { amount: 305.5, tip: 20, guests: 8 },
  { amount: 58.95, tip: 15, guests: 2 },
  { amount: 119.4, tip: 10, guests: 6 },
  { amount: 27.85, tip: 18, guests: 2 },
  { amount: 176.3, tip: 15, guests: 5 },
]

function partOf(hour: number): string {
  return hour < 6 ? 'night' : hour < 12 ? 'morning' : hour < 18 ? 'afternoon' : 'evening'
}

/** Conditions and tables of an office that take ten rows to show. */
export const officeRuleTasks = [
  defineTask('part of the day', 'office rules', HOURS, (time) => partOf(Number(time.slice(0, 2)))),
  defineTask('valid code', 'office rules', CODES, (code) => /^[A-Z]{2}\d{6}$/.test(code)),
  defineTask('share of the quota', 'office rules', USED, ({ used, limit }) =>
    used > limit ? 'exceeded' : `${Math.floor((used * 100) / limit)}%`,
  ),
  defineTask('signed latitude', 'office rules', PLACES, (place) => {
    const [degrees = 0, minutes = 0, seconds = 0] = (place.match(/\d+/g) ?? []).map(Number)
    return (place.endsWith('S') ? -1 : 1) * Number((degrees + minutes / 60 + seconds / 3600).toFixed(4))
  }),
  defineTask('spelled street', 'office rules', STREETS, (street) =>
    street
      .split(' ')
      .map((word) => SPELLED[word] ?? word)
      .join(' '),
  ),
  defineTask('free delivery at home', 'office rules', ORDERS, ({ zone, order }) =>
    zone === 'abroad' ? 11.9 : order >= 100 ? 0 : 3.9,
  ),
  defineTask(
    'share of a dinner',
    'office rules',
    DINNERS,
    ({ amount, tip, guests }) => Math.round((amount * (100 + tip)) / guests) / 100,
  ),
]
