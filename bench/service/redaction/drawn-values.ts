import { isCardNumber } from '../../../core/gateway/privacy/scan/cards.ts'
import type { Drawing } from './drawing.ts'

/** Parts of names and addresses. */
export const GIVEN = [
  'Jennifer',
  'Michael',
  'Aisha',
  'Priya',
  'Sergei',
  'Wolfgang',
  'Siobhan',
  'Mateo',
  'Giulia',
  'Hiroshi',
  'Emma',
  'Thomas',
  'Fatima',
  'Liam',
  'Zoe',
  'Stefan',
  'José',
  'Ingrid',
] as const
const WORDY = ['Grace', 'Mark', 'April', 'Will', 'Frank', 'Jordan', 'Bill', 'Paris'] as const
const FAMILY = [
  'Kowalczyk',
  'Oyelaran',
  'Haraldsen',
  'Smith',
  'Müller',
  "O'Rourke",
  'McAllister',
  'Tanaka',
  'García',
  'Lindqvist',
  'Vandermeer',
  'Patel',
  'Abernathy',
  'Nguyen',
  'Rossi',
  'Castellanos',
  'Zielinski',
  'Fitzwilliam',
] as const
const KNOWN_FAMILY = ['Smith', 'Johnson', 'Garcia', 'Miller', 'Wilson', 'Cooper', 'Hughes', 'Walker'] as const
export const STREETS = [
  'Maple',
  'Oak Hill',
  'Kensington',
  'Martin Luther King',
  'Sunset',
  'Baker',
  'North Pine',
  '5th',
  'Elm',
  'St. James'.replace('. ', ' '),
] as const
export const SUFFIXES = [
  'Street',
  'St.',
  'Avenue',
  'Ave',
  'Road',
  'Rd',
  'Boulevard',
  'Lane',
  'Drive',
  'Court',
  'Way',
  'Terrace',
  'Parkway',
] as const
export const DOMAINS = [
  'example.com',
  'mail.example.org',
  'acme-corp.co.uk',
  'uni-koeln.de',
  'sub.domain.io',
  'startup.ai',
] as const
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const

/** Two digits at least. */
export const two = (value: number): string => String(value).padStart(2, '0')

function withLuhn(digits: string, isRight = true): string {
  for (let check = 0; check < 10; check++) {
    if (isCardNumber(`${digits}${check}`)) return `${digits}${isRight ? check : (check + 1) % 10}`
  }
  return digits
}

/** Draws a card number, with a wrong check digit where it is not right. */
export function card(from: Drawing, isRight: boolean): string {
  const [prefix, length] = from.pick([
    ['4', 16],
    ['51', 16],
    ['55', 16],
    ['37', 15],
    ['34', 15],
    ['6011', 16],
    ['65', 16],
    ['2345', 16],
  ] as const)
  const digits = withLuhn(prefix + from.digits(length - 1 - prefix.length), isRight)
  if (length === 15) return from.chance(0.5) ? digits : digits.replace(/^(.{4})(.{6})/, '$1 $2 ')
  const separator = from.pick(['', ' ', '-'])
  return digits.replaceAll(/(.{4})(?!$)/g, `$1${separator}`)
}

/** Draws a German IBAN, whole or grouped. */
export function iban(from: Drawing): string {
  const bban = from.digits(18)
  const remainder = Array.from(`${bban}131400`).reduce((sum, digit) => (sum * 10 + Number(digit)) % 97, 0)
  const whole = `DE${two(98 - remainder)}${bban}`
  return from.chance(0.5) ? whole : whole.replaceAll(/(.{4})(?!$)/g, '$1 ')
}

/** Draws a date in one of six forms. */
export function date(from: Drawing): string {
  const [year, month, day] = [from.int(1930, 2015), from.int(1, 12), from.int(1, 28)]
  const name = MONTHS[month - 1] ?? ''
  return from.pick([
    `${year}-${two(month)}-${two(day)}`,
    `${two(month)}/${two(day)}/${year}`,
    `${two(day)}.${two(month)}.${year}`,
    `${name} ${day}, ${year}`,
    `${day} ${name} ${year}`,
    `${month}/${day}/${String(year).slice(2)}`,
  ])
}

/** Draws a person's name. */
export function person(from: Drawing): string {
  if (from.chance(0.15)) return `${from.pick(WORDY)} ${from.pick(KNOWN_FAMILY)}`
  if (from.chance(0.15))
    return `${from.pick(['Mr.', 'Mrs.', 'Dr.', 'Ms', 'Prof. Dr.', 'Herr', 'Frau'])} ${from.pick(FAMILY)}`
  const middle = from.chance(0.2) ? ` ${from.chars('ABCDEFGHJKLMNPRST', 1)}.` : ''
  return `${from.pick(GIVEN)}${middle} ${from.pick(FAMILY)}`
}

/** Draws a phone number. */
export function phone(from: Drawing): string {
  const [area, exchange, line] = [
    `${from.int(2, 9)}${from.digits(2)}`,
    `${from.int(2, 9)}${from.digits(2)}`,
    from.digits(4),
  ]
  return from.pick([
    `(${area}) ${exchange}-${line}`,
    `${area}-${exchange}-${line}`,
    `${area}.${exchange}.${line}`,
    `+1 ${area} ${exchange} ${line}`,
    `+1-${area}-${exchange}-${line}`,
    `+44 20 ${from.digits(4)} ${from.digits(4)}`,
    `+49 ${from.int(151, 179)} ${from.digits(7)}`,
    `+33 6 ${from.digits(2)} ${from.digits(2)} ${from.digits(2)} ${from.digits(2)}`,
    `0${from.int(20, 89)} ${from.digits(4)} ${from.digits(4)}`,
    `1-800-${exchange}-${line}`,
  ])
}
