import { cardinal, ordinal, ordinalDigits, spokenYear } from '../language/numbers.ts'
import type { Random } from '../random.ts'
import { MONTHS, WEEKDAYS } from '../words/common.ts'
import { fixed, mapped, type TaskFamily } from './task.ts'

interface Day {
  readonly day: number
  readonly month: number
  readonly year: number
}

const pad = (value: number): string => String(value).padStart(2, '0')
const draw = (random: Random): Day => ({
  day: random.between(1, 28),
  month: random.between(1, 12),
  year: random.between(1950, 2035),
})
const monthName = ({ month }: Day): string => MONTHS[month - 1] ?? ''
const shortMonth = (day: Day): string => monthName(day).slice(0, 3)

const FORMATS: readonly { readonly instructions: readonly string[]; readonly output: (day: Day) => string }[] = [
  {
    instructions: ['Write the date as YYYY-MM-DD', 'ISO date', 'normalise the date to ISO 8601'],
    output: (d) => `${d.year}-${pad(d.month)}-${pad(d.day)}`,
  },
  {
    instructions: ['Write the date as DD/MM/YYYY', 'day/month/year'],
    output: (d) => `${pad(d.day)}/${pad(d.month)}/${d.year}`,
  },
  {
    instructions: ['Write the date as MM/DD/YYYY', 'US date'],
    output: (d) => `${pad(d.month)}/${pad(d.day)}/${d.year}`,
  },
  {
    instructions: ['Write the month by name, then the day and year', 'long date'],
    output: (d) => `${monthName(d)} ${d.day}, ${d.year}`,
  },
  { instructions: ['day, short month, year'], output: (d) => `${d.day} ${shortMonth(d)} ${d.year}` },
  { instructions: ['Only the year', 'Which year?'], output: (d) => String(d.year) },
  { instructions: ['Only the month', 'Which month?'], output: monthName },
]

const WRITTEN: readonly ((day: Day, random: Random) => string)[] = [
  (d) => `${d.day} ${monthName(d)} ${d.year}`,
  (d) => `${monthName(d)} ${d.day}, ${d.year}`,
  (d) => `${shortMonth(d)} ${d.day} ${d.year}`,
  (d) => `${ordinalDigits(d.day)} of ${monthName(d)} ${d.year}`,
  (d) => `${monthName(d).toLowerCase()} ${ordinalDigits(d.day)} ${d.year}`,
  (d) => `the ${ordinal(d.day)} of ${monthName(d)} ${spokenYear(d.year)}`,
  (d, random) =>
    `${monthName(d).toLowerCase()} ${ordinal(d.day, { and: false, hyphen: random.chance(0.5) })} ${spokenYear(d.year, { and: random.chance(0.5), hyphen: random.chance(0.5) })}`,
  (d) => `${d.year}-${pad(d.month)}-${pad(d.day)}`,
  (d) => `${d.year}/${pad(d.month)}/${pad(d.day)}`,
  (d) => `${d.day}.${d.month}.${d.year}`,
]

interface Clock {
  readonly hour: number
  readonly minute: number
}

const clock = (random: Random): Clock => ({
  hour: random.below(24),
  minute: random.chance(0.7) ? random.pick([0, 15, 30, 45, 10, 20, 5, 50]) : random.below(60),
})
const twelve = (hour: number): number => (hour % 12 === 0 ? 12 : hour % 12)
const half = (hour: number): string => (hour < 12 ? 'am' : 'pm')

/** A time of day as it is spoken. */
function spokenTime({ hour, minute }: Clock, random: Random): string {
  const part = random.chance(0.5)
    ? half(hour)
    : hour < 12
      ? 'in the morning'
      : hour < 18
        ? 'in the afternoon'
        : 'in the evening'
  const name = cardinal(twelve(hour))
  const next = cardinal(twelve(hour + 1))
  if (minute === 0) return random.chance(0.5) ? `${name} o'clock ${part}` : `${name} ${part}`
  if (minute === 30 && random.chance(0.7)) return `half past ${name} ${part}`
  if (minute === 15 && random.chance(0.7)) return `quarter past ${name} ${part}`
  if (minute === 45 && hour % 12 !== 11 && random.chance(0.7)) return `quarter to ${next} ${part}`
  if (minute < 30 && minute % 5 === 0 && random.chance(0.5)) return `${cardinal(minute)} past ${name} ${part}`
  return `${name} ${minute < 10 ? `oh ${cardinal(minute)}` : cardinal(minute)} ${part}`
}

/** Tasks on dates, times and lengths of time. */
export const DATE_FAMILIES: readonly TaskFamily[] = [
  {
    name: 'date formats',
    task: (random) => {
      const { instructions, output } = random.pick(FORMATS)
      return {
        instructions,
        make: (source) => {
          const day = draw(source)
          return { input: source.pick(WRITTEN)(day, source), output: output(day) }
        },
      }
    },
  },
  fixed('spoken date', ['Write the date as YYYY-MM-DD', 'ISO date', 'spoken date to ISO'], (random) => {
    const day = draw(random)
    return {
      input: (WRITTEN[random.pick([5, 6, 6, 4])] ?? WRITTEN[6] ?? String)(day, random),
      output: `${day.year}-${pad(day.month)}-${pad(day.day)}`,
    }
  }),
  fixed(
    'spoken time',
    ['Write the time as HH:MM', '24 hour time', 'time in digits', 'Convert to 24-hour clock'],
    (random) => {
      const time = clock(random)
      return { input: spokenTime(time, random), output: `${pad(time.hour)}:${pad(time.minute)}` }
    },
  ),
  mapped('clock formats', clock, ({ hour, minute }) => `${twelve(hour)}:${pad(minute)} ${half(hour)}`, [
    {
      instructions: ['Write in the 24-hour clock', '24 hours'],
      output: ({ hour, minute }) => `${pad(hour)}:${pad(minute)}`,
    },
    { instructions: ['Only the hour'], output: ({ hour }) => String(twelve(hour)) },
    { instructions: ['Morning or afternoon?'], output: ({ hour }) => (hour < 12 ? 'morning' : 'afternoon') },
  ]),
  mapped('12-hour clock', clock, ({ hour, minute }) => `${pad(hour)}:${pad(minute)}`, [
    {
      instructions: ['Write with am or pm', '12-hour clock'],
      output: ({ hour, minute }) => `${twelve(hour)}:${pad(minute)} ${half(hour)}`,
    },
  ]),
  mapped(
    'weekdays',
    (random) => random.below(7),
    (day) => WEEKDAYS[day] ?? '',
    [
      { instructions: ['Which day comes next?', 'next day'], output: (day) => WEEKDAYS[(day + 1) % 7] ?? '' },
      { instructions: ['Which day was before?', 'previous day'], output: (day) => WEEKDAYS[(day + 6) % 7] ?? '' },
      { instructions: ['Abbreviate the day'], output: (day) => (WEEKDAYS[day] ?? '').slice(0, 3) },
      { instructions: ['Weekend or weekday?'], output: (day) => (day > 4 ? 'weekend' : 'weekday') },
    ],
  ),
  mapped(
    'months',
    (random) => random.below(12),
    (month) => MONTHS[month] ?? '',
    [
      { instructions: ['Number of the month', 'month as a number'], output: (month) => pad(month + 1) },
      { instructions: ['Which month comes next?'], output: (month) => MONTHS[(month + 1) % 12] ?? '' },
      { instructions: ['Abbreviate the month'], output: (month) => (MONTHS[month] ?? '').slice(0, 3) },
    ],
  ),
  fixed('short weekday', ['Write the day in full', 'full name of the day'], (random) => {
    const day = random.pick(WEEKDAYS)
    return {
      input: random.pick([
        day.slice(0, 3),
        day.slice(0, 3).toLowerCase(),
        `${day.slice(0, 3)}.`,
        day.slice(0, 4).toLowerCase(),
      ]),
      output: day,
    }
  }),
  fixed(
    'durations',
    ['Write the length of time in short form', 'short duration', 'normalise the duration'],
    (random) => {
      const units = [
        ['hour', 'h'],
        ['minute', 'min'],
        ['second', 's'],
        ['day', 'd'],
        ['week', 'w'],
      ] as const
      const from = random.between(0, 3)
      const chosen = [units[from], random.chance(0.6) && from !== 2 ? units[from + 1] : undefined].filter(
        (unit) => unit !== undefined,
      )
      const parts = chosen.map(([long, short]) => ({ n: random.between(1, 59), long, short }))
      return {
        input: parts
          .map(({ n, long }) => `${random.chance(0.7) ? cardinal(n) : n} ${long}${n === 1 ? '' : 's'}`)
          .join(random.pick([' and ', ' ', ', '])),
        output: parts.map(({ n, short }) => `${n}${short}`).join(' '),
      }
    },
  ),
]
