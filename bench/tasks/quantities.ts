import { defineTask } from './task.ts'

const waits = ['1h 10m', '25m', '4h', '2h 5m', '50m', '6h', '3h 35m', '9m', '10h 1m', '1h', '12h 59m', '7m']
const volumes = ['2.5k', '1M', '420', '18k', '0.75M', '96', '6.2M', '700k', '33', '5M', '1.05k', '250']
const readings = ['4.1e3', '2e2', '9.5E1', '3.25e-1', '7e0', '1.2e-2', '8.8e4', '6E3', '5.05e1', '1e-3', '2.2e2', '9e5']
const colours = ['x2f', 'xa0', 'x07', 'xff', 'x1c', 'x80', 'xbe', 'x33', 'xd4', 'x09', 'xe1', 'x5a']
const chapters = [
  'Part II',
  'Part IV',
  'Part IX',
  'Part XI',
  'Part I',
  'Part VII',
  'Part XX',
  'Part XIV',
  'Part VI',
  'Part XXX',
]
const romans = new Map(
  ['I', 'II', 'III', 'IV', 'V', 'VI', 'VII', 'VIII', 'IX', 'X', 'XI', 'XII', 'XIII', 'XIV'].map((text, at) => [
    text,
    at + 1,
  ]),
)
const seconds = [95, 130, 61, 7, 244, 600, 359, 1205, 48, 900, 77, 181]
const bytes = [2048, 1000, 5120, 700, 9999, 131_072, 4500, 1024, 65_000, 20_480]
const readHex = (text: string) => Number.parseInt(text.slice(1), 16)
const readRoman = (text: string) => (text === 'XX' ? 20 : text === 'XXX' ? 30 : (romans.get(text) ?? 0))
const minutesOf = (text: string) => {
  const [, hours = '0'] = /(\d+)h/.exec(text) ?? []
  const [, minutes = '0'] = /(\d+)m/.exec(text) ?? []
  return Number(hours) * 60 + Number(minutes)
}
const volumeOf = (text: string) => {
  const factor = text.endsWith('k') ? 1000 : text.endsWith('M') ? 1_000_000 : 1
  return Number((Number.parseFloat(text) * factor).toPrecision(12))
}
const counts = [12, 200, 7, 255, 64, 99, 31, 128, 3, 180, 45, 90]
const balances = [120, -45.5, 6.25, -1300.75, -8, 70.1, 2500, -19.99, 300.4, -7100, 15_000, 0.5]
const money = (value: number) => {
  const text = Math.abs(value)
    .toFixed(2)
    .replace(/\B(?=(?:\d{3})+\.)/g, ',')
  return value < 0 ? `(${text})` : text
}
const halves = [1.5, 2.5, 6.2, 4.5, 7.8, 3.5, 0.5, 8.5, 12.5, 9.5]
const halfEven = (value: number) => (value % 1 === 0.5 ? 2 * Math.round(value / 2) : Math.round(value))

/** Quantities in the ways that people write them: durations, multiples, other bases, brackets for less than nothing. */
export const quantityTasks = [
  defineTask('waiting time in minutes', 'quantities', waits, minutesOf),
  defineTask('k and M', 'quantities', volumes, volumeOf),
  defineTask('scientific', 'quantities', readings, Number),
  defineTask('hex byte', 'quantities', colours, readHex),
  defineTask('part number', 'quantities', chapters, (text) => `Part ${readRoman(text.slice(5))}`),
  defineTask(
    'minutes and seconds',
    'quantities',
    seconds,
    (value) => `${Math.floor(value / 60)}:${String(value % 60).padStart(2, '0')}`,
  ),
  defineTask('kibibytes', 'quantities', bytes, (value) => `${(value / 1024).toFixed(1)} KiB`),
  defineTask('bits', 'quantities', counts, (value) => value.toString(2).padStart(8, '0')),
  defineTask('hex upper', 'quantities', counts, (value) => `#${value.toString(16).toUpperCase()}`),
  defineTask('brackets for debts', 'quantities', balances, money),
  defineTask('half to even', 'quantities', halves, halfEven),
]
