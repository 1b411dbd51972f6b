import { cardinal } from '../language/numbers.ts'
import { plural } from '../language/sentences.ts'
import type { Random } from '../random.ts'
import { COLOURS, MATERIALS, OBJECTS } from '../words/things.ts'
import { fixed, type TaskFamily } from './task.ts'

/** Units: singular, plural, symbol, and other ways to write them. */
const UNITS: readonly (readonly [one: string, many: string, symbol: string, other: string])[] = [
  ['kilogram', 'kilograms', 'kg', 'kilos'],
  ['gram', 'grams', 'g', 'gr'],
  ['milligram', 'milligrams', 'mg', 'mgs'],
  ['litre', 'litres', 'l', 'liters'],
  ['millilitre', 'millilitres', 'ml', 'mls'],
  ['metre', 'metres', 'm', 'meters'],
  ['centimetre', 'centimetres', 'cm', 'cms'],
  ['millimetre', 'millimetres', 'mm', 'mms'],
  ['kilometre', 'kilometres', 'km', 'kms'],
  ['inch', 'inches', 'in', 'inch'],
  ['foot', 'feet', 'ft', 'foot'],
  ['mile', 'miles', 'mi', 'mile'],
  ['pound', 'pounds', 'lb', 'lbs'],
  ['ounce', 'ounces', 'oz', 'ozs'],
  ['percent', 'percent', '%', 'per cent'],
  ['degree', 'degrees', '°', 'deg'],
  ['volt', 'volts', 'V', 'volt'],
  ['watt', 'watts', 'W', 'watt'],
  ['megabyte', 'megabytes', 'MB', 'megs'],
  ['gigabyte', 'gigabytes', 'GB', 'gigs'],
]

const amount = (random: Random): number => random.between(1, random.pick([10, 20, 100, 500]))
const many = (n: number, one: string, other: string): string => (n === 1 ? one : other)

/** Short forms that order lists use, with their long forms. */
const SHORT_FORMS: readonly (readonly [short: string, long: string])[] = [
  ['lg', 'large'],
  ['sm', 'small'],
  ['med', 'medium'],
  ['blk', 'black'],
  ['wht', 'white'],
  ['grn', 'green'],
  ['yel', 'yellow'],
  ['w/', 'with'],
  ['w/o', 'without'],
  ['qty', 'quantity'],
  ['pcs', 'pieces'],
  ['pkg', 'package'],
  ['ea', 'each'],
  ['approx', 'approximately'],
  ['min', 'minimum'],
  ['max', 'maximum'],
  ['avg', 'average'],
  ['dept', 'department'],
  ['mgr', 'manager'],
  ['acct', 'account'],
  ['appt', 'appointment'],
  ['asap', 'as soon as possible'],
  ['btw', 'by the way'],
  ['pls', 'please'],
  ['thx', 'thanks'],
  ['u', 'you'],
  ['r', 'are'],
  ['ur', 'your'],
  ['msg', 'message'],
  ['tmrw', 'tomorrow'],
  ['bc', 'because'],
  ['ppl', 'people'],
  ['govt', 'government'],
  ['info', 'information'],
  ['temp', 'temperature'],
  ['apt', 'apartment'],
  ['bldg', 'building'],
  ['fl', 'floor'],
  ['rm', 'room'],
  ['no', 'number'],
  ['tel', 'telephone'],
  ['intl', 'international'],
  ['natl', 'national'],
  ['univ', 'university'],
  ['hosp', 'hospital'],
  ['est', 'estimated'],
  ['std', 'standard'],
  ['ref', 'reference'],
  ['incl', 'including'],
  ['excl', 'excluding'],
  ['esp', 'especially'],
  ['hr', 'hour'],
  ['wk', 'week'],
  ['yr', 'year'],
  ['mo', 'month'],
  ['yrs', 'years'],
  ['hrs', 'hours'],
  ['2nite', 'tonight'],
  ['gr8', 'great'],
  ['b4', 'before'],
  ['l8r', 'later'],
  ['plz', 'please'],
  ['cust', 'customer'],
  ['svc', 'service'],
  ['pmt', 'payment'],
  ['inv', 'invoice'],
  ['addr', 'address'],
  ['delv', 'delivery'],
  ['ord', 'order'],
  ['rcvd', 'received'],
  ['req', 'request'],
  ['rtn', 'return'],
  ['tix', 'tickets'],
]

const FRAMES = [
  '{} box of {o}',
  'the {o} {}',
  '{} {o} for the office',
  'need {} {o}',
  '{c} {o} {}',
  '{} and {}',
  '{} the {c} {o}',
  'my {o} {} {}',
]

const bothForms = (random: Random): readonly [short: string, long: string] => {
  const [object, colour] = [random.pick(OBJECTS), random.pick(COLOURS)]
  const chosen: (readonly [string, string])[] = []
  const frame = random.pick(FRAMES).replaceAll('{o}', object).replaceAll('{c}', colour)
  const text = frame.replaceAll('{}', () => {
    chosen.push(random.pick(SHORT_FORMS))
    return `{${chosen.length - 1}}`
  })
  const fill = (side: 0 | 1): string => text.replaceAll(/\{(\d+)\}/g, (_, i: string) => chosen[Number(i)]?.[side] ?? '')
  return [fill(0), fill(1)]
}

/** Tasks on units and short forms. */
export const UNIT_FAMILIES: readonly TaskFamily[] = [
  fixed('unit symbols', ['Write the amount with a unit symbol', 'short units', 'normalise the quantity'], (random) => {
    const [one, all, symbol, other] = random.pick(UNITS)
    const n = amount(random)
    const tenth = random.chance(0.2) ? random.between(1, 9) : 0
    const spoken = random.chance(0.6) ? cardinal(n, { and: random.chance(0.5), hyphen: random.chance(0.5) }) : String(n)
    const number = tenth === 0 ? spoken : spoken === String(n) ? `${n}.${tenth}` : `${spoken} point ${cardinal(tenth)}`
    return {
      input: `${number} ${random.chance(0.25) ? other : tenth > 0 ? all : many(n, one, all)}`,
      output: `${n}${tenth === 0 ? '' : `.${tenth}`} ${symbol}`,
    }
  }),
  fixed('unit names', ['Write the unit in full', 'expand the unit'], (random) => {
    const [one, all, symbol] = random.pick(UNITS)
    const n = amount(random)
    return { input: `${n}${random.chance(0.5) ? ' ' : ''}${symbol}`, output: `${n} ${many(n, one, all)}` }
  }),
  fixed(
    'quantity of goods',
    ['quantity, unit, item', 'Write as amount | unit | goods', 'split the order line'],
    (random) => {
      const [one, all, symbol] = random.pick(UNITS.slice(0, 5))
      const [n, what] = [amount(random), random.pick(MATERIALS)]
      const spoken = random.chance(0.5) ? cardinal(n) : String(n)
      return {
        input: random.pick([
          `${spoken} ${many(n, one, all)} of ${what}`,
          `${what}, ${spoken} ${many(n, one, all)}`,
          `${n}${symbol} ${what}`,
        ]),
        output: `${n} | ${symbol} | ${what}`,
      }
    },
  ),
  fixed('counts of things', ['Write as count x item', 'order line', 'count x thing'], (random) => {
    const lines = Array.from({ length: random.between(1, 3) }, () => ({
      n: random.between(1, 40),
      what: random.pick(OBJECTS),
    }))
    return {
      input: lines
        .map(({ n, what }) => `${random.chance(0.7) ? cardinal(n) : n} ${n === 1 ? what : plural(what)}`)
        .join(random.pick([' and ', ', ', ' plus '])),
      output: lines.map(({ n, what }) => `${n}x ${what}`).join(', '),
    }
  }),
  fixed(
    'expand abbreviations',
    ['Write the abbreviations in full', 'expand short forms', 'Expand', 'no abbreviations'],
    (random) => {
      const [input, output] = bothForms(random)
      return { input, output }
    },
  ),
  fixed('abbreviate', ['Use abbreviations', 'shorten the words'], (random) => {
    const [output, input] = bothForms(random)
    return { input, output }
  }),
  fixed('one abbreviation', ['What does it stand for?', 'Meaning of the abbreviation'], (random) => {
    const [input, output] = random.pick(SHORT_FORMS)
    return { input: random.chance(0.3) ? `${input}.` : input, output }
  }),
]
