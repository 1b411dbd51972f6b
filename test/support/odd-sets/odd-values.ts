import type { Random } from '../../../core/model/random.ts'

/** One of the items, each as likely. Throws `RangeError` for none. */
export function oneOf<T>(random: Random, items: readonly T[]): T {
  if (items.length === 0) throw new RangeError('there is no item to choose from')
  return items[random.below(items.length)] as T
}

/** So many values. */
export function many<T>(count: number, make: (place: number) => T): T[] {
  return Array.from({ length: count }, (_, place) => make(place))
}

const PLAIN = ['alpha', 'Beta', 'gamma7', 'DELTA', 'e', 'Zeta Eta', 'theta-iota', 'kappa_lambda', 'mu.nu', 'xi/omicron']
const META = [
  'a.b*c',
  '(x)',
  '[y]',
  '{1,2}',
  'a|b',
  '^start',
  'end$',
  '\\d+',
  '?+*',
  '$&',
  '$1',
  '\\',
  '/',
  '((((',
  ']]]]',
  '{{}}',
  '.*',
  'a{99999}',
]
const UNICODE = [
  'e\u0301te\u0301',
  'ﬁne',
  'İstanbul',
  'straße',
  'ǅ',
  '👩‍👩‍👧‍👦',
  '🇩🇪🇫🇷',
  '\u202Eabc\u202C',
  'שלום',
  'مرحبا ١٢٣',
  '\u0000',
  'a\u0000b',
  '\u0001\u0002',
  '\uFEFFbom',
  'line\u2028sep',
  'tab\tand\nnew\r\nline',
  '\u00A0',
  '\u200B',
  '𝒳𝒴',
  '\u{10FFFF}',
  '①②③',
  'Ⅷ',
  '½',
  'ｆｕｌｌ',
  '한국어',
  'นี่',
  '\uFFFD',
  '\uFFFF',
  'a\u0300\u0301\u0302\u0303\u0304',
  'ΣΊΣΥΦΟΣ',
  'ŉ',
  '\u0345',
]
const LONE = ['\uD800', 'a\uDC00b', '\uD83D']
const NUMBERS = [
  '0',
  '-0',
  '007',
  '1e5',
  '1e999',
  '-1E-400',
  '.5',
  '5.',
  '1,234.56',
  '1.234,56',
  '٣',
  'NaN',
  'Infinity',
  '0x1F',
  '1'.repeat(40),
  '9007199254740993',
  '12%',
  '$ 3',
  '(5)',
  'MMXXIV',
  'one hundred',
  '1/2',
  '--3',
  '1 000 000',
]
const DATES = [
  '0000-00-00',
  '0001-01-01',
  '9999-12-31',
  '10000-01-01',
  '2024-02-29',
  '2023-02-29',
  '1900-02-29',
  '275760-09-13',
  '-000001-01-01',
  '13/13/2020',
  '31/04/2021',
  '1 January 1',
  'Feb 30, 2020',
  '2020-W53-7',
  '24:00',
  '25:61',
  '12:60:60',
  '1970-01-01T00:00:00Z',
  '2024-06-30T23:59:60Z',
  '99/99/99',
  '00/00/00',
  'Monday',
  'Sept 31st',
]

/** A short text of any kind; `withLone` adds texts that are no Unicode, which intake refuses. */
export function oddText(random: Random, withLone: boolean): string {
  const pools = [
    PLAIN,
    PLAIN,
    META,
    UNICODE,
    NUMBERS,
    DATES,
    ['', ' ', '  ', '\n', ',', '-', '""', "''", '\\n'],
    ...(withLone ? [LONE] : []),
  ]
  return oneOf(random, oneOf(random, pools))
}

/** A text of so many characters out of an odd piece. */
export function longText(random: Random, length: number): string {
  const piece = oneOf(random, [
    'x',
    'ab',
    'word ',
    '.',
    '(',
    '\\',
    '1',
    '1,',
    '[a]',
    'é',
    '👍',
    '2024-01-01 ',
    'A.B ',
    '\u0301',
    '0',
  ])
  const text = piece.repeat(Math.ceil(length / piece.length)).slice(0, length)
  return text.isWellFormed() ? text : `${text.slice(0, -1)}x`
}

/** A number of any size that intake takes, or one that it refuses. */
export function oddNumber(random: Random): number {
  return oneOf(random, [
    0,
    -0,
    1,
    -1,
    0.1,
    1e-300,
    5e-324,
    -1e-7,
    2 ** 53 - 1,
    -(2 ** 53 - 1),
    2 ** 31,
    2 ** 32,
    1.005,
    99.995,
    1e15,
    123456789.123456,
    3,
    7,
    10,
    100,
    1000,
    random.below(100),
    random.below(1_000_000) / 100,
    -random.below(5000),
    ...(random.below(40) === 0 ? [1e308, Number.MAX_VALUE] : []),
  ])
}

/** Texts, numbers and member names that programs and databases stumble over. */
export const ODD_NAMES = [
  '__proto__',
  'constructor',
  'toString',
  '',
  ' ',
  'a.b',
  'a"b',
  '0',
  'length',
  'é',
  '\u0000',
  'x'.repeat(300),
  'hasOwnProperty',
  'input',
  'output',
  'op',
  '$ref',
]
