import { AMOUNTS, groupThousands } from './sources.ts'
import { defineTask } from './task.ts'

const texts = AMOUNTS.map((n) => groupThousands(n, 2))
const ints = [7, 42, 105, 3, 88, 1290, 56, 230, 9, 671, 14, 3005]
const fractions = [0.256, 0.5, 0.0789, 0.33333, 1.2, 0.995, 0.01, 0.667, 0.125, 0.8, 0.042, 0.3]
const temperatures = [20, 37, -5, 100, 0, 25, 12, -40, 31, 18, 66, 8]
const weights = [
  '12.5 kg',
  '3 kg',
  '0.75 kg',
  '140 kg',
  '8.25 kg',
  '61 kg',
  '2.2 kg',
  '19 kg',
  '5.05 kg',
  '77 kg',
  '0.1 kg',
  '33 kg',
]
const sizes = [2048, 1536, 10240, 5120, 512, 3072, 8192, 1024, 7680, 20480, 4096, 6144]
const euro = AMOUNTS.map((n) => groupThousands(n, 2).replaceAll(',', '_').replace('.', ',').replaceAll('_', '.'))
const scores = [12, 47, 33, 8, 50, 21, 39, 44, 5, 17, 28, 36]

/** Numbers: reading, writing, arithmetic. */
export const numberTasks = [
  defineTask('dollars', 'numbers', AMOUNTS, (n) => `$${groupThousands(n, 2)}`),
  defineTask('grouped whole', 'numbers', AMOUNTS, (n) => groupThousands(Math.round(n), 0)),
  defineTask('two decimals', 'numbers', AMOUNTS, (n) => (Math.round((n + Number.EPSILON) * 100) / 100).toFixed(2)),
  defineTask('read grouped', 'numbers', texts, (t) => Number(t.replaceAll(',', ''))),
  defineTask('drop grouping', 'numbers', texts, (t) => t.replaceAll(',', '')),
  defineTask(
    'read dollars',
    'numbers',
    texts.map((t) => `$${t}`),
    (t) => Number(t.slice(1).replaceAll(',', '')),
  ),
  defineTask(
    'read euro text',
    'numbers',
    euro.map((t) => `${t} EUR`),
    (t) => Number(t.slice(0, -4).replaceAll('.', '').replace(',', '.')),
  ),
  defineTask('percent', 'numbers', fractions, (n) => `${(Math.round(n * 1000) / 10).toFixed(1)}%`),
  defineTask('whole percent', 'numbers', fractions, (n) => `${Math.round(n * 100)}%`),
  defineTask('fahrenheit', 'numbers', temperatures, (n) => Math.round(n * 18 + 320) / 10),
  defineTask('double plus one', 'numbers', ints, (n) => n * 2 + 1),
  defineTask('square', 'numbers', ints, (n) => n * n),
  defineTask('grams', 'numbers', weights, (t) => `${Number(t.slice(0, -3)) * 1000} g`),
  defineTask('bytes to KB', 'numbers', sizes, (n) => `${(n / 1024).toFixed(1)} KB`),
  defineTask('text to number', 'numbers', ints.map(String), Number),
  defineTask('number to text', 'numbers', ints, String),
  defineTask('out of fifty', 'numbers', scores, (n) => `${Math.round((n / 50) * 100)}%`),
  defineTask('sign', 'numbers', [5, -3, 0, 12, -8, 40, -1, 0, 7, -22, 3, -6], (n) => Math.abs(n)),
  defineTask('odd or even', 'numbers', ints, (n) => (n % 2 === 0 ? 'even' : 'odd')),
  defineTask(
    'cents to dollars',
    'numbers',
    [1999, 250, 100045, 5, 7300, 62, 41010, 999, 8, 120000, 3333, 47],
    (n) => `$${(n / 100).toFixed(2)}`,
  ),
]

/** Rounding to decimals and to steps. */
export const roundingTasks = [
  defineTask('one decimal', 'rounding', AMOUNTS, (n) => Math.round(n * 10) / 10),
  defineTask('nearest whole', 'rounding', AMOUNTS, (n) => Math.round(n)),
  defineTask('floor', 'rounding', AMOUNTS, (n) => Math.floor(n)),
  defineTask('ceiling', 'rounding', AMOUNTS, (n) => Math.ceil(n)),
  defineTask('nearest five', 'rounding', ints, (n) => Math.round(n / 5) * 5),
  defineTask('down to ten', 'rounding', ints, (n) => Math.floor(n / 10) * 10),
  defineTask('up to hundred', 'rounding', ints, (n) => Math.ceil(n / 100) * 100),
  defineTask(
    'half steps',
    'rounding',
    [1.2, 3.26, 0.74, 5.5, 2.9, 4.1, 6.6, 7.75, 8.3, 9.05, 0.3, 2.2],
    (n) => Math.round(n * 2) / 2,
  ),
  defineTask('text rounded', 'rounding', AMOUNTS.map(String), (t) => String(Math.round(Number(t)))),
  defineTask(
    'quarter hours',
    'rounding',
    ['09:07', '13:38', '00:14', '23:29', '12:00', '18:52', '07:20', '11:11', '15:02', '20:46', '03:33', '16:16'],
    (c) => `${c.slice(0, 2)}:${String(Math.floor(Number(c.slice(3)) / 15) * 15).padStart(2, '0')}`,
  ),
  defineTask(
    'truncate to two',
    'rounding',
    [1.239, 4.567, 0.111, 9.999, 3.14159, 2.71828, 6.005, 7.7777, 8.8, 5.432, 0.019, 1.996],
    (n) => (Math.floor(n * 100) / 100).toFixed(2),
  ),
]

/** Ranges, buckets and grades. */
export const rangeTasks = [
  defineTask(
    'decade',
    'ranges',
    [37, 24, 61, 30, 45, 18, 59, 72, 83, 20, 96, 11],
    (n) => `${Math.floor(n / 10) * 10}-${Math.floor(n / 10) * 10 + 9}`,
  ),
  defineTask(
    'decade of year',
    'ranges',
    [1987, 2003, 1999, 2010, 1975, 1962, 2021, 1958, 2017, 1990, 1941, 2008],
    (n) => `${Math.floor(n / 10) * 10}s`,
  ),
  defineTask(
    'bucket of 25',
    'ranges',
    [37, 124, 61, 30, 5, 18, 159, 72, 83, 20, 296, 11],
    (n) => `${Math.floor(n / 25) * 25} to ${Math.floor(n / 25) * 25 + 25}`,
  ),
  defineTask('pass', 'ranges', [72, 45, 50, 49, 88, 31, 64, 12, 99, 51, 47, 56], (n) => (n >= 50 ? 'pass' : 'fail')),
  defineTask('grade', 'ranges', [95, 72, 85, 60, 90, 89, 70, 80, 79, 69, 99, 55, 81, 74, 92, 66], (n) =>
    n >= 90 ? 'A' : n >= 80 ? 'B' : n >= 70 ? 'C' : 'D',
  ),
  defineTask(
    'size by weight',
    'ranges',
    ['3 kg', '25 kg', '9 kg', '60 kg', '12 kg', '10 kg', '49 kg', '50 kg', '1 kg', '31 kg', '88 kg', '7 kg'],
    (t) => {
      const weight = Number(t.slice(0, -3))
      return weight < 10 ? 'small' : weight < 50 ? 'medium' : 'large'
    },
  ),
  defineTask('over limit', 'ranges', [120, 80, 101, 100, 300, 99, 45, 150, 20, 102, 98, 110], (n) => n > 100),
]
