import { defineTask } from '../task.ts'

const QUOTES = [
  { rope: 45, tent: 310, lamp: 28 },
  { boots: 160, socks: 9 },
  { stove: 88, mat: 35, axe: 52, mug: 6 },
  { knife: 41, map: 14, torch: 23 },
  { rope: 38, axe: 61, map: 17 },
  { tent: 270, mat: 44 },
].map((prices) => Object.entries(prices).map(([name, price]) => ({ name, price })))

const VISITS = [
  ['2023-05-04', '2021-12-01', '2024-02-29'],
  ['2020-08-15', '2020-08-14'],
  ['2018-03-03', '2022-10-10', '2017-06-21', '2019-09-09'],
  ['2025-01-20', '2026-04-02', '2025-11-30'],
  ['2016-07-07', '2015-02-11'],
  ['2021-01-31', '2021-03-01', '2020-12-24'],
]

const RACES = [
  { times: [41, 38, 55, 47], own: 47 },
  { times: [62, 59, 71], own: 59 },
  { times: [33, 36, 30, 39, 35], own: 39 },
  { times: [80, 77, 92, 85], own: 80 },
  { times: [50, 44, 61, 48, 57], own: 57 },
  { times: [29, 31], own: 31 },
]

const DEPOSITS = [
  { deposit: 500, years: 3 },
  { deposit: 1200, years: 1 },
  { deposit: 80, years: 6 },
  { deposit: 3400, years: 2 },
  { deposit: 950, years: 4 },
  { deposit: 7000, years: 5 },
  { deposit: 260, years: 7 },
]

const SHARES = [3, 5, 1, 4, 0, 2, 6]

/** Tables and records as spreadsheets hold them. */
export const spreadsheetTasks = [
  defineTask('names by price', 'spreadsheets', QUOTES, (quotes) =>
    quotes.toSorted((a, b) => a.price - b.price).map(({ name }) => name),
  ),
  defineTask('latest visit', 'spreadsheets', VISITS, (visits) => visits.toSorted().at(-1) ?? ''),
  defineTask(
    'place in a race',
    'spreadsheets',
    RACES,
    ({ times, own }) => times.filter((time) => time < own).length + 1,
  ),
  defineTask('day of a serial number', 'spreadsheets', [45_000, 44_197, 43_555, 46_022, 42_736, 45_657], (days) =>
    new Date((days - 25_569) * 86_400_000).toISOString().slice(0, 10),
  ),
  defineTask(
    'balance after years',
    'spreadsheets',
    DEPOSITS,
    ({ deposit, years }) => Math.round(deposit * 1.03 ** years * 100) / 100,
  ),
  defineTask('share as a bar', 'spreadsheets', SHARES, (share) => `[${'='.repeat(share)}${'.'.repeat(6 - share)}]`),
  defineTask(
    'weeks and days',
    'spreadsheets',
    [45, 17, 80, 39, 26, 61, 94, 12],
    (days) => `${Math.floor(days / 7)}w ${days % 7}d`,
  ),
]
