import { romanText } from '../../../core/compile/language/primitives/numbers/number-words.ts'
import { cardinal, ordinal, ordinalDigits, spokenDigits, withCommas, type Spoken } from '../language/numbers.ts'
import { digits } from '../language/noise.ts'
import { plural, sentence } from '../language/sentences.ts'
import type { Random } from '../random.ts'
import { OBJECTS } from '../words/things.ts'
import { fixed, type TaskFamily } from './task.ts'

const spoken = (random: Random): Spoken => ({ and: random.chance(0.5), hyphen: random.chance(0.5) })

/** A whole number, small ones more often. */
function number(random: Random): number {
  const size = random.pick([10, 20, 100, 100, 1000, 1000, 10_000, 1_000_000])
  return random.below(size)
}

const perhapsZeros = (random: Random, value: number): number =>
  random.chance(0.3) && value > 100 ? Math.round(value / 100) * 100 : value

/** Tasks on numbers in words and digits. */
export const NUMBER_FAMILIES: readonly TaskFamily[] = [
  fixed(
    'words to number',
    ['Write the number in digits', 'digits', 'number words to digits', 'Convert to a number'],
    (random) => {
      const value = perhapsZeros(random, number(random))
      return { input: cardinal(value, spoken(random)), output: String(value) }
    },
  ),
  fixed(
    'number to words',
    ['Write the number in words', 'spell out the number', 'digits to words', 'Say it in words'],
    (random) => {
      const value = perhapsZeros(random, number(random))
      return { input: random.chance(0.3) ? withCommas(value) : String(value), output: cardinal(value) }
    },
  ),
  fixed(
    'numbers in sentence',
    ['Write all numbers as digits', 'replace number words by digits', 'Use digits for the numbers'],
    (random) => {
      const parts = Array.from(
        { length: random.between(1, 3) },
        () => [number(random) + 1, plural(random.pick(OBJECTS))] as const,
      )
      const say = (show: (value: number) => string): string =>
        parts.map(([n, what]) => `${show(n)} ${what}`).join(' and ')
      const how = spoken(random)
      const [head, tail] = random.pick([
        ['we need ', ' by Friday'],
        ['I bought ', ''],
        ['', ' please'],
        ['send ', ' to the office'],
        ['there are ', ' in the shop'],
      ])
      return { input: head + say((n) => cardinal(n, how)) + tail, output: head + say(String) + tail }
    },
  ),
  fixed(
    'spoken digits',
    ['Write the digits', 'phone number spoken to digits', 'Digits of the spoken number', 'transcribe the number'],
    (random) => {
      const text = digits(random, random.between(3, 11))
      return { input: spokenDigits(text, random.pick(['zero', 'oh', 'o']), random.chance(0.5)), output: text }
    },
  ),
  fixed('digits to speech', ['Spell the digits', 'say each digit', 'Read the digits one by one'], (random) => {
    const text = digits(random, random.between(2, 7))
    return { input: text, output: spokenDigits(text, 'zero', false) }
  }),
  fixed('ordinal digits', ['Write as an ordinal number', 'ordinal in digits', 'Short ordinal'], (random) => {
    const value = random.between(1, random.pick([12, 31, 120]))
    return { input: random.chance(0.6) ? ordinal(value, spoken(random)) : String(value), output: ordinalDigits(value) }
  }),
  fixed('ordinal words', ['Write the ordinal in words', 'spell the ordinal'], (random) => {
    const value = random.between(1, random.pick([12, 31, 100]))
    return { input: ordinalDigits(value), output: ordinal(value) }
  }),
  fixed('decimals', ['Write the decimal number', 'spoken decimal to digits', 'Decimal in digits'], (random) => {
    const [whole, fraction] = [random.below(random.pick([10, 100, 1000])), digits(random, random.between(1, 3))]
    const minus = random.chance(0.15)
    return {
      input: `${minus ? 'minus ' : ''}${cardinal(whole, spoken(random))} point ${spokenDigits(fraction, random.pick(['zero', 'oh']), false)}`,
      output: `${minus ? '-' : ''}${whole}.${fraction}`,
    }
  }),
  fixed(
    'money',
    ['Write the amount in digits', 'normalise the amount', 'Amount of money in figures', 'price in digits'],
    (random) => {
      const [name, cent, sign] = random.pick([
        ['dollars', 'cents', '$'],
        ['euros', 'cents', '€'],
        ['pounds', 'pence', '£'],
      ])
      const [whole, small] = [
        random.between(2, random.pick([20, 99, 999, 9999])),
        random.chance(0.5) ? random.between(1, 99) : 0,
      ]
      const how = spoken(random)
      const [tail, cents] = [
        small === 0 ? '' : ` ${random.pick(['and ', ''])}${cardinal(small, how)} ${cent}`,
        small === 0 ? '.00' : `.${String(small).padStart(2, '0')}`,
      ]
      return { input: `${cardinal(whole, how)} ${name}${tail}`, output: `${sign}${whole}${cents}` }
    },
  ),
  fixed('large amounts', ['Write the number in full', 'expand the short number', 'full number'], (random) => {
    const [short, zeros] = random.pick([
      ['k', 3],
      ['m', 6],
      [' thousand', 3],
      [' million', 6],
      [' hundred', 2],
    ])
    const [whole, tenth] = [
      random.between(1, random.pick([9, 99, 999])),
      random.chance(0.4) && zeros > 2 ? random.between(1, 9) : 0,
    ]
    return {
      input: `${whole}${tenth === 0 ? '' : `.${tenth}`}${short}`,
      output: String(Math.round((whole + tenth / 10) * 10 ** zeros)),
    }
  }),
  fixed('thousands separators', ['Remove the commas from the number', 'plain number'], (random) => {
    const value = random.between(1000, 99_999_999)
    return { input: withCommas(value), output: String(value) }
  }),
  fixed('group thousands', ['Put commas between the thousands', 'format the number with commas'], (random) => {
    const value = random.between(1000, 9_999_999)
    return { input: String(value), output: withCommas(value) }
  }),
  fixed('roman numerals', ['Write in Roman numerals', 'to Roman'], (random) => {
    const value = random.between(1, random.pick([10, 20, 50]))
    return { input: String(value), output: romanText(value) ?? '' }
  }),
  fixed('small sums', ['Add the numbers', 'What is the sum?', 'sum'], (random) => {
    const [a, b] = [random.below(random.pick([10, 50])), random.below(random.pick([10, 50]))]
    return { input: random.chance(0.5) ? `${a} + ${b}` : `${cardinal(a)} and ${cardinal(b)}`, output: String(a + b) }
  }),
  fixed('numbers in text', ['Which numbers are in the text?', 'List the numbers', 'extract all numbers'], (random) => {
    const found = Array.from({ length: random.between(1, 3) }, () => String(number(random)))
    const text = found
      .map((n) => `${sentence(random).replace(/[.?]$/, '')} ${n} ${plural(random.pick(OBJECTS))}`)
      .join(', ')
    return { input: text.slice(0, 160), output: found.filter((n) => text.slice(0, 160).includes(` ${n} `)).join(', ') }
  }),
]
