import { defineTask } from './task.ts'

const seconds = [18_745, 3_725, 40_001, 9_999, 86_000, 612, 7_384, 50_505]
const sales = [
  { cost: 42, price: 56 },
  { cost: 18, price: 31 },
  { cost: 75, price: 120 },
  { cost: 9, price: 11 },
  { cost: 64, price: 99 },
  { cost: 23, price: 47 },
  { cost: 130, price: 175 },
]
const stays = [
  { from: '2023-04-02', to: '2023-04-06' },
  { from: '2023-08-30', to: '2023-09-03' },
  { from: '2024-01-08', to: '2024-01-19' },
  { from: '2024-10-27', to: '2024-11-01' },
  { from: '2023-12-11', to: '2023-12-15' },
  { from: '2024-02-28', to: '2024-03-02' },
]
const days = ['2024-05-31', '2024-06-04', '2024-06-14', '2024-06-19', '2024-07-05', '2024-07-08', '2024-07-11']
const names = ['Ruth Ellen Baker', 'Omar Haddad', 'Ivy Louise Chen', 'Paul Novak', 'Nina Joan Price', 'Sam Ortiz']
const codes = ['ACCESS_DENIED', 'OUT_OF_MEMORY', 'CANCELLED', 'DISK_NEARLY_FULL', 'NOT_FOUND', 'LOW_BATTERY_WARNING']
const logs = [
  'FATAL kernel panic node4',
  'DEBUG cache hit node1',
  'ALERT cache full node9',
  'FATAL cache lost node2',
  'DEBUG kernel booted node7',
  'ALERT kernel slow node3',
]
const routes: Readonly<Record<string, string>> = { FATAL: 'wake', ALERT: 'mail', DEBUG: 'drop' }
const share = ({ cost, price }: { cost: number; price: number }) =>
  `${(Math.round(((price - cost) / price) * 1000) / 10).toFixed(1)}%`

function nextWorkday(day: string): string {
  const date = new Date(`${day}T00:00:00Z`)
  do date.setUTCDate(date.getUTCDate() + 1)
  while (date.getUTCDay() % 6 === 0)
  return date.toISOString().slice(0, 10)
}

function dayIn(day: string, withMonth: boolean): string {
  const date = new Date(`${day}T00:00:00Z`)
  const month = withMonth ? `${date.toLocaleString('en-US', { month: 'short', timeZone: 'UTC' })} ` : ''
  return month + String(date.getUTCDate())
}

/** Formulas and conditions that people mean, where others fit the same few rows. */
export const principleTasks = [
  defineTask(
    'hours minutes seconds',
    'principles',
    seconds,
    (n) =>
      `${Math.floor(n / 3600)}:${String(Math.floor(n / 60) % 60).padStart(2, '0')}:${String(n % 60).padStart(2, '0')}`,
  ),
  defineTask('gross margin', 'principles', sales, share),
  defineTask('parking fee', 'principles', [50, 135, 20, 200, 61, 90, 31, 170, 240], (n) => Math.ceil(n / 30) * 1.5),
  defineTask('row of 40', 'principles', [40, 41, 1, 80, 121, 200, 79, 161], (n) => `row ${Math.ceil(n / 40)}`),
  defineTask('in range', 'principles', [17, 18, 30, 31, 5, 24, 44, 29, 19], (n) => n >= 18 && n <= 30),
  defineTask(
    'megabytes',
    'principles',
    [734_003_200, 52_953_088, 391_118_848, 125_000_000, 871_262_208, 10_000_000],
    (n) => `${(Math.round((n / 1_048_576) * 10) / 10).toFixed(1)} MiB`,
  ),
  defineTask(
    'stay within a month',
    'principles',
    stays,
    ({ from, to }) => `${dayIn(from, true)} to ${dayIn(to, from.slice(0, 7) !== to.slice(0, 7))}`,
  ),
  defineTask('next workday', 'principles', days, nextWorkday),
  defineTask('middle initial', 'principles', names, (name) => name.replace(/ (\w)\w* (?=\w)/, ' $1. ')),
  defineTask('constant to sentence', 'principles', codes, (code) => {
    const words = code.toLowerCase().replaceAll('_', ' ')
    return words.charAt(0).toUpperCase() + words.slice(1)
  }),
  defineTask('log route', 'principles', logs, (line) => routes[line.split(' ')[0] ?? ''] ?? 'drop'),
]
