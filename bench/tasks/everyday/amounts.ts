import { defineTask } from '../task.ts'

/** A written decimal as a whole number and its scale. */
function exactly(text: string): { readonly unscaled: bigint; readonly scale: number } {
  const [whole = '', fraction = ''] = text.split('.')
  return { unscaled: BigInt(whole + fraction), scale: fraction.length }
}

function written(unscaled: bigint, scale: number): string {
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString().padStart(scale + 1, '0')
  const text = scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`
  return unscaled < 0n ? `-${text}` : text
}

function sum(a: string, b: string, sign = 1n): string {
  const [left, right] = [exactly(a), exactly(b)]
  const scale = Math.max(left.scale, right.scale)
  const at = ({ unscaled, scale: own }: typeof left) => unscaled * 10n ** BigInt(scale - own)
  return written(at(left) + sign * at(right), scale)
}

function times(a: string, factor: bigint): string {
  const { unscaled, scale } = exactly(a)
  return written(unscaled * factor, scale)
}

const PAIRS: readonly (readonly [string, string])[] = [
  ['1.50', '0.25'],
  ['2.00', '3.00'],
  ['10.5', '0.125'],
  ['0.10', '0.20'],
  ['7', '1.50'],
  ['99.99', '0.01'],
  ['3.005', '2.1'],
  ['12.40', '7.60'],
  ['0.7', '0.1'],
  ['250.00', '18.5'],
  ['6.060', '4.04'],
  ['1.1', '2.20'],
]
const PRICES = ['2.00', '19.90', '0.35', '7.5', '110.00', '4.25', '3', '0.105', '12.30', '8.80', '99.99', '1.0']
const AMOUNTS = [1234.5, 987654.32, 12, 45678.9, 1000000, 305.07, 7654321.1, 88, 23456789.05, 999.9, 64000, 150250.75]
const WHOLE = [1234567, 45678, 912, 100000, 98765432, 5000, 76543, 3456789, 120, 250000, 10000000, 64999]

function fixed(n: number, decimals: number, group: (digits: string) => string, decimal: string): string {
  const [whole = '', fraction = ''] = n.toFixed(decimals).split('.')
  return group(whole) + (fraction === '' ? '' : decimal + fraction)
}

const by3 = (mark: string) => (digits: string) => digits.replace(/\B(?=(?:\d{3})+$)/g, mark)
const indian = (digits: string) => digits.replace(/\B(?=(?:\d\d)*\d{3}$)/g, ',')

/** Sums and products of written amounts, which keep their decimals. */
export const scaleTasks = [
  defineTask(
    'sum keeps decimals',
    'written scale',
    PAIRS.map(([a, b]) => ({ a, b })),
    ({ a, b }) => sum(a, b),
  ),
  defineTask(
    'sum in one text',
    'written scale',
    PAIRS.map(([a, b]) => `${a} + ${b}`),
    (t) => {
      const [a = '', b = ''] = t.split(' + ')
      return sum(a, b)
    },
  ),
  defineTask(
    'difference keeps decimals',
    'written scale',
    PAIRS.map(([a, b]) => ({ a, b })),
    ({ a, b }) => sum(a, b, -1n),
  ),
  defineTask(
    'price times quantity',
    'written scale',
    PRICES.map((price, i) => ({ price, quantity: [3, 2, 10, 4, 1, 6, 5, 7, 8, 12, 9, 20][i] ?? 1 })),
    ({ price, quantity }) => times(price, BigInt(quantity)),
  ),
  defineTask('twice a price', 'written scale', PRICES, (t) => times(t, 2n)),
  defineTask(
    'opposite sign',
    'written scale',
    ['3.20', '-1.0', '5', '-0.75', '12.500', '-8', '0.4', '-99.90', '7.25', '-3.0', '60.0', '2.10'],
    (t) => times(t, -1n),
  ),
  defineTask(
    'percent as a fraction',
    'written scale',
    ['12.50%', '7%', '0.5%', '100%', '33.3%', '8.25%', '45%', '2.00%', '19.6%', '62%', '3.125%', '10.0%'],
    (t) => {
      const { unscaled, scale } = exactly(t.slice(0, -1))
      return written(unscaled, scale + 2)
    },
  ),
  defineTask(
    'total of a list',
    'written scale',
    PAIRS.map(([a, b], i) => [a, b, PRICES[i] ?? '1']),
    ([a = '', b = '', c = '']) => sum(sum(a, b), c),
  ),
]

/** Digits before and after the mark, and marks between them. */
export const groupingTasks = [
  defineTask('indian groups', 'grouping', WHOLE, (n) => indian(String(n))),
  defineTask('indian rupees', 'grouping', AMOUNTS, (n) => `₹${fixed(n, 2, indian, '.')}`),
  defineTask('swiss groups', 'grouping', AMOUNTS, (n) => `CHF ${fixed(n, 2, by3("'"), '.')}`),
  defineTask('german groups', 'grouping', AMOUNTS, (n) => `${fixed(n, 2, by3('.'), ',')} €`),
  defineTask('french groups', 'grouping', AMOUNTS, (n) => `${fixed(n, 2, by3('\u202f'), ',')} €`),
  defineTask(
    'german from english',
    'grouping',
    AMOUNTS.map((n) => fixed(n, 2, by3(','), '.')),
    (t) => t.replaceAll(',', '_').replace('.', ',').replaceAll('_', '.'),
  ),
  defineTask(
    'read indian',
    'grouping',
    WHOLE.map((n) => indian(String(n))),
    (t) => Number(t.replaceAll(',', '')),
  ),
  defineTask(
    'read swiss',
    'grouping',
    AMOUNTS.map((n) => fixed(n, 2, by3("'"), '.')),
    (t) => Number(t.replaceAll("'", '')),
  ),
  defineTask(
    'read french',
    'grouping',
    AMOUNTS.map((n) => fixed(n, 2, by3('\u202f'), ',')),
    (t) => Number(t.replaceAll('\u202f', '').replace(',', '.')),
  ),
  defineTask(
    'plain from german',
    'grouping',
    AMOUNTS.map((n, i) => fixed(n, i % 3, by3('.'), ',')),
    (t) => t.replaceAll('.', '').replace(',', '.'),
  ),
  defineTask(
    'indian from english',
    'grouping',
    WHOLE.map((n) => by3(',')(String(n))),
    (t) => indian(t.replaceAll(',', '')),
  ),
  defineTask(
    'padded both sides',
    'padding',
    ['7.5', '12.25', '103', '0.5', '88.1', '9', '45.75', '1.2', '300.05', '64', '2.4', '19.9'],
    (t) => Number(t).toFixed(2).padStart(6, '0'),
  ),
  defineTask('three digits', 'padding', [7, 42, 105, 3, 88, 990, 56, 230, 9, 671, 14, 305], (n) =>
    String(n).padStart(3, '0'),
  ),
  defineTask(
    'at least three decimals',
    'padding',
    ['1.5', '2.25', '3.1415', '10', '0.007', '6.28318', '7.1', '8', '4.44', '5.0625', '12.3', '9.99'],
    (t) => {
      const { unscaled, scale } = exactly(t)
      return scale >= 3 ? t : written(unscaled * 10n ** BigInt(3 - scale), 3)
    },
  ),
]

const FINE = [
  '2.345',
  '1.255',
  '7.125',
  '0.335',
  '12.5151',
  '3.14159',
  '8.005',
  '4.4449',
  '9.875',
  '6.6651',
  '10.065',
  '5.5',
]
const HALVES = [2.5, 3.5, 1.2, 7.8, 4.5, 10.5, 0.5, 6.49, 8.51, 5.5, 12.5, 9.7]
const SIGNED = [1.2, -1.2, 3.7, -4.5, 0.01, -2.99, 5, -7.3, 8.5, -0.6, 12.4, -9.9]

function roundedEven(text: string, decimals: number): string {
  const { unscaled, scale } = exactly(text)
  if (scale <= decimals) return written(unscaled * 10n ** BigInt(decimals - scale), decimals)
  const under = 10n ** BigInt(scale - decimals)
  const [whole, rest] = [unscaled / under, unscaled % under]
  const isUp = rest * 2n > under || (rest * 2n === under && whole % 2n === 1n)
  return written(isUp ? whole + 1n : whole, decimals)
}

/** Rounding in other ways than to decimals half up. */
export const precisionTasks = [
  defineTask(
    'three significant digits',
    'precision',
    [12345, 0.0012345, 987.65, 4.5678, 65432.1, 0.098765, 120.49, 33.333, 7.0071, 555555, 0.45678, 1999],
    (n) => Number(n.toPrecision(3)),
  ),
  defineTask(
    'two significant digits as text',
    'precision',
    [1234, 0.0567, 98.7, 4.56, 65432, 0.987, 120, 33.3, 7.07, 55555, 0.0345, 1990],
    (n) => String(Number(n.toPrecision(2))),
  ),
  defineTask(
    'four significant digits, written',
    'precision',
    [12.3, 1.5, 987.654, 4.56789, 3.14159265, 45.6, 120.49, 33.333333, 7.0071, 555.5, 2.71828, 19.99],
    (n) => n.toPrecision(4),
  ),
  defineTask('half even to cents', 'precision', FINE, (t) => roundedEven(t, 2)),
  defineTask('half even to wholes', 'precision', HALVES, (n) => Number(roundedEven(String(n), 0))),
  defineTask('half down to wholes', 'precision', HALVES, (n) => Math.ceil(n - 0.5)),
  defineTask('away from zero', 'precision', SIGNED, (n) => Math.sign(n) * Math.ceil(Math.abs(n))),
  defineTask(
    'towards zero',
    'precision',
    SIGNED.map((n) => n.toFixed(2)),
    (t) => t.slice(0, -1),
  ),
  defineTask(
    'cash to five cents',
    'precision',
    [1.93, 2.02, 0.98, 12.47, 7.76, 3.33, 100.01, 59.99, 4.12, 8.88, 0.03, 6.54],
    (n) => (Math.round(n * 20) / 20).toFixed(2),
  ),
  defineTask(
    'up to charm price',
    'precision',
    [12.3, 45.1, 7.5, 99.2, 3.05, 18.7, 250.45, 61.9, 8.15, 33.6, 120.8, 5.4],
    (n) => Math.ceil(n) - 0.01,
  ),
  defineTask(
    'fewer decimals, half up',
    'precision',
    [
      '3.14159',
      '2.71828',
      '1.41421',
      '0.57721',
      '1.61803',
      '2.50290',
      '4.66920',
      '1.20205',
      '0.91596',
      '2.68545',
      '1.30357',
      '0.76422',
    ],
    (t) => Number(t).toFixed(2),
  ),
  defineTask(
    'steps of two and a half',
    'precision',
    [1, 3.9, 7.2, 11.3, 14.4, 19, 22.6, 6.1, 30.9, 41.2, 5, 9],
    (n) => Math.round(n / 2.5) * 2.5,
  ),
  defineTask(
    'thousands',
    'precision',
    [12345, 987654, 1499, 250500, 64200, 5820, 777777, 31950, 8400, 1200345, 45000, 99700],
    (n) => `${Math.round(n / 1000)}K`,
  ),
]
