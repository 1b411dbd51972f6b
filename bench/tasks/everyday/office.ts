import { defineTask } from '../task.ts'

const ACCOUNTS = [
  'SE4550000000058398257466',
  'PL61109010140000071219812874',
  'PT50000201231234567890154',
  'NO9386011117947',
  'CZ6508000000192000145399',
  'IE29AIBK93115212345678',
  'SK3112000000198742637541',
  'LU280019400644750000',
]

const SCORES = [
  [71, 64, 88],
  [90, 52, 67, 75],
  [48, 81, 59, 66, 93],
  [77, 70],
  [85, 62, 91, 58, 74, 69],
  [55, 97, 80],
  [63, 60, 72, 99],
  [82, 41, 76, 68, 87],
]

const MEMBERS = [
  'Ingrid Solberg',
  'Otto Brandt',
  'Camille Roy',
  'Mateo Iglesias',
  'Aoife Quinn',
  'Jun Watanabe',
  'Selma Lindqvist',
  'Ravi Rao',
]

const LOADS = ['48V', '2.5  kW', '16  A', '230 V', '1.2kW', '400V', '10 A', '7.5 kW', '63A']

const SHIFTS = [
  { start: '21:30', end: '05:45' },
  { start: '06:00', end: '14:15' },
  { start: '23:00', end: '07:30' },
  { start: '13:45', end: '22:00' },
  { start: '19:15', end: '03:15' },
  { start: '08:30', end: '12:45' },
  { start: '22:45', end: '06:15' },
  { start: '10:00', end: '18:30' },
]

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return hours * 60 + minutes
}

function middleOf(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  const [low = 0, high = 0] = [sorted[(numbers.length - 1) >> 1], sorted[numbers.length >> 1]]
  return (low + high) / 2
}

/** Lists and tables of an office. */
export const everydayOffice = [
  defineTask('account in groups', 'office', ACCOUNTS, (account) => account.match(/.{1,4}/g)?.join(' ') ?? ''),
  defineTask('account to blocks', 'office', ACCOUNTS, (account) => account.match(/.{1,5}/g) ?? []),
  defineTask('median score', 'office', SCORES, middleOf),
  defineTask('check remainder', 'office', [83_512, 4096, 77_177, 120_034, 958, 66_401, 31_330, 500_009], (n) => n % 89),
  defineTask('covered surname', 'office', MEMBERS, (name) => {
    const [first = '', last = ''] = name.split(' ')
    return `${first} ${last.charAt(0)}${'*'.repeat(last.length - 1)}`
  }),
  defineTask('number and unit', 'office', LOADS, (load) => load.replace(/^([\d.]+) *(\D+)$/, '$1 $2')),
  defineTask(
    'hours of a shift',
    'office',
    SHIFTS,
    ({ start, end }) => ((minutesOf(end) - minutesOf(start) + 1440) % 1440) / 60,
  ),
]
