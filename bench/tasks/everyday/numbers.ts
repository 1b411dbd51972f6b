import { AMOUNTS, groupThousands } from '../sources.ts'
import { defineTask } from '../task.ts'

const ordinal = (n: number) =>
  `${n}${n % 100 >= 11 && n % 100 <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th')}`

const signed = [5, -3, 0, 12, -40, 7, -1, 33, -18, 2, 90, -6]
const big = [
  1_500_000, 2_300_000, 12_000_000, 4_750_000, 8_100_000, 1_000_000, 99_900_000, 3_250_000, 45_000_000, 7_700_000,
]
const shorthand = ['1.5K', '20K', '3.25K', '100K', '7K', '0.5K', '12K', '9.9K', '64K', '250K']
const books = [
  '(1,234.50)',
  '88.10',
  '(15.00)',
  '2,000.00',
  '(7.25)',
  '999.99',
  '(3,000.00)',
  '41.00',
  '(0.50)',
  '12.12',
]

/** More of what people do with numbers. */
export const everydayNumbers = [
  defineTask(
    'euro style',
    'numbers+',
    AMOUNTS,
    (n) => `${groupThousands(n, 2).replaceAll(',', '_').replace('.', ',').replaceAll('_', '.')} €`,
  ),
  defineTask('thousand shorthand', 'numbers+', shorthand, (t) => Number(t.slice(0, -1)) * 1000),
  defineTask('millions', 'numbers+', big, (n) => `${n / 1_000_000}M`),
  defineTask('accounting', 'numbers+', books, (t) =>
    t.startsWith('(') ? -Number(t.slice(1, -1).replaceAll(',', '')) : Number(t.replaceAll(',', '')),
  ),
  defineTask(
    'percent to fraction',
    'numbers+',
    ['12%', '7.5%', '100%', '3%', '45%', '0.5%', '88%', '61.25%', '9%', '20%'],
    (t) => Number(t.slice(0, -1)) / 100,
  ),
  defineTask(
    'currency swap',
    'numbers+',
    ['$5.00', '$12.50', '$1,250.00', '$0.99', '$77.10', '$3,000.00', '$15.25', '$8.00', '$640.40', '$19.95'],
    (t) => `${t.slice(1)} USD`,
  ),
  defineTask('ordinal', 'numbers+', [1, 2, 3, 4, 11, 12, 21, 22, 33, 40, 101, 113], ordinal),
  defineTask('signed', 'numbers+', signed, (n) => (n > 0 ? `+${n}` : String(n))),
  defineTask('sign word', 'numbers+', signed, (n) => (n > 0 ? 'positive' : n < 0 ? 'negative' : 'zero')),
  defineTask(
    'celsius text',
    'numbers+',
    ['20 C', '37 C', '100 C', '0 C', '-5 C', '12 C', '25 C', '-40 C', '31 C', '66 C'],
    (t) => `${Math.round(Number(t.split(' ')[0]) * 18 + 320) / 10} F`,
  ),
  defineTask('vat', 'numbers+', [100, 250, 19.5, 40, 8, 1200, 66, 5, 31, 72], (n) => Math.round(n * 0.19 * 100) / 100),
  defineTask(
    'discounted',
    'numbers+',
    [
      { price: 100, off: 10 },
      { price: 80, off: 25 },
      { price: 60, off: 50 },
      { price: 200, off: 5 },
      { price: 40, off: 20 },
      { price: 90, off: 30 },
      { price: 12, off: 25 },
      { price: 500, off: 40 },
      { price: 30, off: 15 },
      { price: 75, off: 4 },
    ],
    (r) => Math.round(r.price * (100 - r.off)) / 100,
  ),
  defineTask(
    'bmi',
    'numbers+',
    [
      { kg: 70, cm: 175 },
      { kg: 82, cm: 180 },
      { kg: 55, cm: 160 },
      { kg: 95, cm: 190 },
      { kg: 61, cm: 168 },
      { kg: 48, cm: 155 },
      { kg: 77, cm: 182 },
      { kg: 66, cm: 171 },
      { kg: 103, cm: 185 },
      { kg: 59, cm: 163 },
    ],
    (r) => (r.kg / (r.cm / 100) ** 2).toFixed(1),
  ),
  defineTask(
    'drop zeros',
    'numbers+',
    ['3.50', '12.00', '0.750', '8.10', '100.00', '7.125', '44.40', '9.00', '2.20', '15.05'],
    (t) => String(Number(t)),
  ),
  defineTask(
    'leading zeros away',
    'numbers+',
    ['00042', '00107', '00009', '01200', '00550', '00003', '09000', '00081', '00700', '00012'],
    (t) => String(Number(t)),
  ),
  defineTask('hex', 'numbers+', [255, 16, 10, 4096, 300, 77, 128, 1000, 31, 9], (n) => n.toString(16)),
  defineTask(
    'seconds to minutes',
    'numbers+',
    [125, 60, 59, 3600, 754, 90, 301, 42, 1000, 185],
    (n) => `${Math.floor(n / 60)}:${String(n % 60).padStart(2, '0')}`,
  ),
  defineTask('rating', 'numbers+', [4.5, 3.2, 5, 2.1, 4, 1.7, 3.9, 4.4, 2.6, 3], (n) => `${n.toFixed(1)}/5`),
]
