import { expect } from 'chai'
import type { Json } from '../../../../../core/kernel/json/json.ts'
import { answer } from '../first-answer.ts'

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
] as const
const two = (number: number): string => String(number).padStart(2, '0')

interface Day {
  readonly year: number
  readonly month: number
  readonly day: number
}

const dayOf = (seed: number): Day => ({
  year: 2021 + (seed % 4),
  month: 1 + ((seed * 7) % 10),
  day: 1 + ((seed * 11) % 28),
})
const iso = ({ year, month, day }: Day): string => `${year}-${two(month)}-${two(day)}`
const written = ({ year, month, day }: Day): string => `${day} ${MONTHS[month - 1] ?? ''} ${year}`

/** Solves from all rows but the last one, and answers that. */
function expectSolved(rows: readonly (readonly [Json, Json])[], workBudget?: number): void {
  const [input, output] = rows.at(-1) ?? [null, null]
  expect(answer(rows.slice(0, -1), input, workBudget)).to.deep.equal(output)
}

describe('extraction: values in another form', () => {
  const invoice = (seed: number, lines: number): string =>
    [
      ['Acme Ltd', 'Bolt GmbH', 'Cedar SA'][seed % 3],
      '',
      `Invoice no: ${['INV', 'RE', 'F'][seed % 3] ?? ''}-${2021 + (seed % 4)}-${1000 + seed * 389}`,
      `Invoice date: ${written(dayOf(seed))}`,
      `Due: ${written(dayOf(seed + 5))}`,
      '',
      ...Array.from(
        { length: lines + (seed % 3) },
        (_, i) => `${1 + ((seed + i) % 9)} x hinge    £${seed * 31 + i * 17}.00`,
      ),
      '',
      `Total due: £${seed * 71}.50`,
    ].join('\n')
  const seeds = [1, 2, 3, 4, 5, 6, 7]

  it('gives a date that a line of a long text writes by the name of its month', () => {
    expectSolved(seeds.map((seed) => [invoice(seed, 20), iso(dayOf(seed))]))
    expectSolved(seeds.map((seed) => [invoice(seed, 20), iso(dayOf(seed + 5))]))
  })

  it('gives a date out of a few lines', () => {
    expectSolved(seeds.map((seed) => [invoice(seed, 4), iso(dayOf(seed + 5))]))
  })

  it('gives a day with its time of twelve hours out of a sentence', () => {
    const hours = [0, 9, 13, 11, 22, 16, 12]
    expectSolved(
      seeds.map((seed, i) => {
        const [day, hour] = [dayOf(seed), hours[i] ?? 0]
        const clock = `${hour % 12 === 0 ? 12 : hour % 12}:${two((seed * 15) % 60)} ${hour < 12 ? 'AM' : 'PM'}`
        return [
          `Let us meet on ${MONTHS[day.month - 1] ?? ''} ${day.day}, ${day.year} at ${clock} in room ${seed * 3}.`,
          `${iso(day)} ${two(hour)}:${two((seed * 15) % 60)}`,
        ]
      }),
    )
  })

  it('gives the lines with one word out of a few', () => {
    const states = ['down', 'up', 'degraded']
    const hosts = (seed: number) =>
      Array.from({ length: 2 + (seed % 4) }, (_, i) => ({
        name: `${['web', 'db', 'cache'][(seed + i) % 3] ?? ''}${two((seed * 13 + i * 29) % 90)}`,
        state: states[(seed * 5 + i * i) % 3] ?? '',
      }))
    const rows = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13].map(
      (seed) =>
        [
          [
            `Status report ${iso(dayOf(seed))}`,
            ...hosts(seed).map(({ name, state }, i) => `* ${name}: ${state} (cpu ${(seed * 17 + i * 23) % 99}%)`),
            'End of report',
          ].join('\n'),
          hosts(seed).flatMap(({ name, state }) => (state === 'down' ? [name] : [])),
        ] as const,
    )
    expectSolved(rows, 200_000)
  })

  it('gives records with a member that they show in another form', () => {
    const entries = (seed: number) =>
      Array.from({ length: 12 + (seed % 4) }, (_, i) => ({
        at: iso(dayOf(seed + i)),
        code: `${['Disk', 'Net', 'Core'][(seed + i) % 3] ?? ''}${100 + ((seed * 7 + i) % 9)}`,
        pid: 100 + seed * 37 + i * 211,
      }))
    expectSolved(
      [1, 2, 3, 4].map((seed) => [
        entries(seed)
          .map(({ at, code, pid }) => `[${at}] ${code} has failed pid=${pid}`)
          .join('\n'),
        entries(seed).map(({ code, pid }) => ({ code: code.toUpperCase(), pid })),
      ]),
    )
  })
})
