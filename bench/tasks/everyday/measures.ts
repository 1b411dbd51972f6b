import { defineTask } from '../task.ts'

const COLOURS = [
  '#1f8ac4',
  '#a0522d',
  '#07b39e',
  '#ff6347',
  '#2e0b57',
  '#d4af37',
  '#00c8f0',
  '#6b8e23',
  '#b1003c',
  '#4682b4',
]
const bytesOf = (colour: string) => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))
const paint = COLOURS.map((colour) => `rgb(${bytesOf(colour).join(', ')})`)

const ANGLES = [
  '48°08\'14"',
  '2°21\'07"',
  '51°30\'26"',
  '13°24\'18"',
  '40°42\'46"',
  '9°11\'24"',
  '35°41\'22"',
  '64°08\'48"',
]
const placeOf = (angle: string) => {
  const [degrees = 0, minutes = 0, seconds = 0] = (angle.match(/\d+/g) ?? []).map(Number)
  return Number((degrees + minutes / 60 + seconds / 3600).toFixed(4))
}
const hemispheres = ANGLES.map((angle, at) => `${angle} ${at % 3 === 1 ? 'S' : 'N'}`)

const RUNS = [
  { km: 10, minutes: 52 },
  { km: 5, minutes: 23 },
  { km: 21, minutes: 118 },
  { km: 8, minutes: 47 },
  { km: 42, minutes: 231 },
  { km: 12, minutes: 61 },
  { km: 3, minutes: 14 },
  { km: 15, minutes: 95 },
  { km: 7, minutes: 34 },
  { km: 18, minutes: 109 },
]
const watch = (seconds: number) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
const laps = RUNS.map(({ km, minutes }, at) => ({ time: watch(minutes * 60 + at * 7), km }))
const secondsOf = (time: string) => time.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)

const PEOPLE = [
  [82, 159],
  [53, 181],
  [118, 197],
  [64, 172],
  [70, 158],
  [49, 176],
  [88, 184],
  [101, 176],
  [58, 163],
  [93, 199],
  [77, 171],
  [55, 178],
  [66, 151],
  [110, 188],
  [72, 166],
  [61, 160],
  [84, 178],
  [47, 165],
].map(([kg = 0, cm = 0]) => ({ kg, cm }))
const classOf = ({ kg, cm }: { kg: number; cm: number }) => {
  const index = kg / (cm / 100) ** 2
  return index < 18.5 ? 'thin' : index < 25 ? 'normal' : index < 30 ? 'heavy' : 'very heavy'
}

const SCORES = [
  '21/40',
  '36/40',
  '15/40',
  '61/80',
  '16/20',
  '38/80',
  '28/50',
  '9/20',
  '65/80',
  '19/50',
  '7/10',
  '39/80',
  '23/50',
  '12/20',
]
const isPassed = (score: string) => {
  const [points = 0, most = 1] = score.split('/').map(Number)
  return points * 2 >= most
}

const LISTS = [
  '- [x] Buy milk\n- [ ] Call Anna',
  '- [ ] Send the report\n- [x] Fix the door\n- [ ] Water plants',
  '- [x] Pay rent\n- [x] Book train',
  '- [ ] Mow lawn\n- [ ] Sort mail\n- [x] Cook',
  '- [x] Read chapter 4\n- [ ] Write summary',
  '- [ ] Clean oven\n- [x] Buy 12 eggs\n- [x] Call Bob',
  '- [x] Plan trip\n- [ ] Renew passport\n- [ ] Pack bags\n- [x] Feed cat',
  '- [ ] Order paint',
]

/** Measures in places of sixty, bytes, counted things, labels by a ratio of two numbers, and items of lists by their marks. */
export const measureTasks = [
  defineTask('colour to numbers', 'measures', COLOURS, (colour) => `rgb(${bytesOf(colour).join(', ')})`),
  defineTask('colour to list', 'measures', COLOURS, bytesOf),
  defineTask('numbers to colour', 'measures', paint, (text) => COLOURS[paint.indexOf(text)] ?? ''),
  defineTask('angle to degrees', 'measures', ANGLES, placeOf),
  defineTask(
    'angle with a hemisphere',
    'measures',
    hemispheres,
    (angle) => (angle.endsWith('S') ? -1 : 1) * placeOf(angle),
  ),
  defineTask('pace of a run', 'measures', RUNS, ({ km, minutes }) => watch(Math.round((minutes * 60) / km))),
  defineTask('pace of a time', 'measures', laps, ({ time, km }) => `${watch(Math.round(secondsOf(time) / km))} min/km`),
  defineTask('counted items', 'measures', ['8', '13', '1', '16', '2', '21', '0', '5'], (count) =>
    count === '1' ? '1 item' : `${count} items`,
  ),
  defineTask(
    'people in a room',
    'measures',
    [4, 1, 12, 7, 3, 9, 2, 15, 30].map((guests) => ({ guests })),
    ({ guests }) => `${guests} ${guests === 1 ? 'person' : 'people'}`,
  ),
  defineTask('weight for height', 'measures', PEOPLE, classOf),
  defineTask('passed by a share in a text', 'measures', SCORES, (score) => (isPassed(score) ? 'pass' : 'fail')),
  defineTask('open boxes', 'measures', LISTS, (text) =>
    text
      .split('\n')
      .filter((line) => line.startsWith('- [ ]'))
      .map((line) => line.slice(6)),
  ),
  defineTask(
    'longest of three',
    'measures',
    [
      ['oak', 'willow', 'elm'],
      ['cedar', 'ash', 'yew'],
      ['fir', 'pine', 'hawthorn'],
      ['magnolia', 'birch', 'lime'],
      ['plum', 'chestnut', 'beech'],
      ['rowan', 'larch', 'sycamore'],
    ],
    (names) => names.reduce((longest, name) => (name.length > longest.length ? name : longest)),
  ),
  defineTask(
    'week of its year',
    'measures',
    [
      '2025-07-17',
      '2023-08-24',
      '2022-01-23',
      '2025-11-16',
      '2024-10-23',
      '2019-04-22',
      '2021-01-02',
      '2024-12-31',
      '2023-01-01',
    ],
    (text) => {
      const date = new Date(`${text}T00:00:00Z`)
      const thursday = new Date(date.getTime() + (4 - (date.getUTCDay() || 7)) * 86_400_000)
      const year = thursday.getUTCFullYear()
      const week = Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / 604_800_000) + 1
      return `${year}-W${String(week).padStart(2, '0')}`
    },
  ),
]
