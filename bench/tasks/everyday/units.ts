import { defineTask } from '../task.ts'

const DISTANCES = [
  '12 km',
  '5 km',
  '42.2 km',
  '100 km',
  '8.5 km',
  '21 km',
  '3 km',
  '64 km',
  '250 km',
  '1.5 km',
  '33 km',
  '77.7 km',
]
const SPEEDS = [
  '100 km/h',
  '50 km/h',
  '130 km/h',
  '30 km/h',
  '87 km/h',
  '120 km/h',
  '65 km/h',
  '5 km/h',
  '210 km/h',
  '18 km/h',
  '72 km/h',
  '300 km/h',
]
const HEIGHTS = [
  '5 ft 11 in',
  '6 ft 2 in',
  '5 ft 4 in',
  '4 ft 10 in',
  '6 ft 0 in',
  '5 ft 8 in',
  '5 ft 1 in',
  '6 ft 7 in',
  '5 ft 9 in',
  '4 ft 7 in',
  '5 ft 0 in',
  '6 ft 4 in',
]
const MINUTES = ['1h 30m', '45m', '2h', '3h 5m', '15m', '10h 10m', '1h', '2h 45m', '5m', '4h 20m', '8h', '1h 1m']
const SECONDS = [5400, 3660, 7320, 900, 36000, 4500, 60, 10800, 8100, 19800, 3600, 1500]
const BYTES: readonly (readonly [number, string])[] = [
  [1.5, 'GiB'],
  [512, 'KiB'],
  [20, 'MiB'],
  [2, 'GiB'],
  [64, 'KiB'],
  [3.25, 'MiB'],
  [1, 'TiB'],
  [700, 'MiB'],
  [8, 'KiB'],
  [0.5, 'GiB'],
  [128, 'MiB'],
  [4, 'GiB'],
]
const BINARY: Readonly<Record<string, number>> = { KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3, TiB: 1024 ** 4 }
const LENGTHS = [
  '2 km',
  '300 m',
  '1.5 km',
  '45 cm',
  '12 m',
  '80 cm',
  '0.4 km',
  '7 m',
  '250 cm',
  '10 km',
  '5 mm',
  '90 m',
]
const METRES: Readonly<Record<string, number>> = { km: 1000, m: 1, cm: 0.01, mm: 0.001 }
const WEIGHTS = [
  '2 kg',
  '500 g',
  '1.25 kg',
  '80 g',
  '3 lb',
  '250 mg',
  '0.4 kg',
  '12 lb',
  '75 g',
  '10 kg',
  '900 mg',
  '5 lb',
]
const GRAMS: Readonly<Record<string, number>> = { kg: 1000, g: 1, mg: 0.001, lb: 453.59237 }
const SIZES = [
  '512 MB',
  '2 GB',
  '750 KB',
  '1.5 GB',
  '64 MB',
  '300 KB',
  '4 GB',
  '12 MB',
  '0.5 GB',
  '128 MB',
  '900 KB',
  '1 TB',
]
const MEGABYTES: Readonly<Record<string, number>> = { KB: 0.001, MB: 1, GB: 1000, TB: 1_000_000 }

function apart(text: string): { readonly amount: number; readonly unit: string } {
  const [amount = '', unit = ''] = text.split(' ')
  return { amount: Number(amount), unit }
}

const exact = (value: number) => Number(value.toPrecision(12))

/** Amounts with units. */
export const unitTasks = [
  defineTask('kilometres to miles', 'units', DISTANCES, (t) => `${(apart(t).amount / 1.609344).toFixed(1)} mi`),
  defineTask('speed in metres a second', 'units', SPEEDS, (t) => `${(apart(t).amount / 3.6).toFixed(1)} m/s`),
  defineTask('feet and inches', 'units', HEIGHTS, (t) => {
    const [feet, inches] = t.split(/ ft | in/).map(Number)
    return `${Math.round(((feet ?? 0) * 12 + (inches ?? 0)) * 2.54)} cm`
  }),
  defineTask(
    'fahrenheit text',
    'units',
    ['72 °F', '32 °F', '98 °F', '0 °F', '50 °F', '104 °F', '-4 °F', '65 °F', '212 °F', '41 °F', '86 °F', '14 °F'],
    (t) => `${(((apart(t).amount - 32) * 5) / 9).toFixed(1)} °C`,
  ),
  defineTask(
    'binary sizes',
    'units',
    BYTES.map(([n, unit]) => `${n} ${unit}`),
    (t) => apart(t).amount * (BINARY[apart(t).unit] ?? 1),
  ),
  defineTask('decimal sizes', 'units', SIZES, (t) => exact(apart(t).amount * (MEGABYTES[apart(t).unit] ?? 1))),
  defineTask('lengths in metres', 'units', LENGTHS, (t) => exact(apart(t).amount * (METRES[apart(t).unit] ?? 1))),
  defineTask('weights in grams', 'units', WEIGHTS, (t) => exact(apart(t).amount * (GRAMS[apart(t).unit] ?? 1))),
  defineTask(
    'weights in grams, written',
    'units',
    WEIGHTS,
    (t) => `${exact(apart(t).amount * (GRAMS[apart(t).unit] ?? 1))} g`,
  ),
  defineTask(
    'amount and unit apart',
    'units',
    LENGTHS.map((t) => ({ amount: apart(t).amount, unit: apart(t).unit })),
    ({ amount, unit }) => exact(amount * (METRES[unit] ?? 1)),
  ),
  defineTask(
    'millilitres',
    'units',
    [
      '250 ml',
      '1500 ml',
      '75 ml',
      '330 ml',
      '1000 ml',
      '20 ml',
      '4500 ml',
      '600 ml',
      '5 ml',
      '125 ml',
      '700 ml',
      '2250 ml',
    ],
    (t) => `${exact(apart(t).amount / 1000)} l`,
  ),
  defineTask(
    'ounces',
    'units',
    [
      '3 lb 4 oz',
      '1 lb 8 oz',
      '10 lb 0 oz',
      '2 lb 15 oz',
      '5 lb 1 oz',
      '7 lb 7 oz',
      '0 lb 9 oz',
      '12 lb 12 oz',
      '4 lb 6 oz',
      '6 lb 11 oz',
      '8 lb 2 oz',
      '9 lb 10 oz',
    ],
    (t) => {
      const [pounds, ounces] = t.split(/ lb | oz/).map(Number)
      return (pounds ?? 0) * 16 + (ounces ?? 0)
    },
  ),
  defineTask(
    'human sizes',
    'units',
    [1536, 20971520, 512, 3221225472, 65536, 734003200, 2048, 104857600, 900, 5368709120, 1048576, 10240],
    (n) => {
      const place = Math.floor(Math.log2(n) / 10)
      return place === 0 ? `${n} B` : `${(n / 1024 ** place).toFixed(1)} ${['', 'KiB', 'MiB', 'GiB'][place]}`
    },
  ),
]

/** Spans of time in words and in numbers. */
export const durationTasks = [
  defineTask(
    'minutes of a duration',
    'durations',
    MINUTES,
    (t) => 60 * Number(/(\d+)h/.exec(t)?.[1] ?? 0) + Number(/(\d+)m/.exec(t)?.[1] ?? 0),
  ),
  defineTask(
    'seconds of a duration',
    'durations',
    ['1h 30m', '45m 10s', '2h', '3h 5m', '15s', '10m', '1h 0m 30s', '2m 45s', '5s', '4h 20m', '8h 1s', '59m'],
    (t) =>
      3600 * Number(/(\d+)h/.exec(t)?.[1] ?? 0) +
      60 * Number(/(\d+)m/.exec(t)?.[1] ?? 0) +
      Number(/(\d+)s/.exec(t)?.[1] ?? 0),
  ),
  defineTask(
    'hours and minutes of seconds',
    'durations',
    SECONDS,
    (n) => `${Math.floor(n / 3600)}h ${Math.floor(n / 60) % 60}m`,
  ),
  defineTask(
    'clock of seconds',
    'durations',
    [5425, 3661, 7322, 905, 36000, 4509, 61, 10859, 8100, 19830, 3599, 1501],
    (n) =>
      [Math.floor(n / 3600), Math.floor(n / 60) % 60, n % 60].map((part) => String(part).padStart(2, '0')).join(':'),
  ),
  defineTask(
    'clock to seconds',
    'durations',
    [
      '01:30:25',
      '00:05:10',
      '12:00:00',
      '03:45:59',
      '00:00:42',
      '10:10:10',
      '02:15:00',
      '23:59:59',
      '07:07:07',
      '00:30:00',
      '05:00:05',
      '18:20:30',
    ],
    (t) => {
      const [h, m, s] = t.split(':').map(Number)
      return (h ?? 0) * 3600 + (m ?? 0) * 60 + (s ?? 0)
    },
  ),
  defineTask(
    'iso duration',
    'durations',
    ['PT1H30M', 'PT45M', 'PT2H', 'PT3H5M', 'PT15M', 'PT10H10M', 'PT1H', 'PT2H45M', 'PT5M', 'PT4H20M', 'PT8H', 'PT1H1M'],
    (t) => 60 * Number(/(\d+)H/.exec(t)?.[1] ?? 0) + Number(/(\d+)M/.exec(t)?.[1] ?? 0),
  ),
  defineTask(
    'minutes in words',
    'durations',
    [
      '90 min',
      '135 min',
      '60 min',
      '200 min',
      '75 min',
      '481 min',
      '122 min',
      '61 min',
      '305 min',
      '150 min',
      '89 min',
      '240 min',
    ],
    (t) => `${Math.floor(apart(t).amount / 60)} h ${apart(t).amount % 60} min`,
  ),
  defineTask('decimal hours', 'durations', MINUTES, (t) =>
    Number((Number(/(\d+)h/.exec(t)?.[1] ?? 0) + Number(/(\d+)m/.exec(t)?.[1] ?? 0) / 60).toFixed(2)),
  ),
]
