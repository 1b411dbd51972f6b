import type { Random } from '../../core/model/random.ts'
import { between, digits, drawnTask, happens, oneOf, type DrawnTask } from '../small-sets/drawn-task.ts'
import { TOWNS } from './words.ts'

const grouped = (digitsOnly: string, sizes: readonly number[]): string => {
  let at = 0
  return sizes.map((size) => digitsOnly.slice(at, (at += size))).join(' ')
}
const german = (random: Random): string => {
  const area = oneOf(random, ['030', '040', '089', '0221', '0351'])
  const rest = digits(random, between(random, 6, 8))
  return oneOf(random, [`${area}/${rest}`, `${area} ${rest}`, `(${area}) ${rest}`, `${area}-${rest}`])
}
const onlyDigits = (text: string): string => text.replace(/\D/g, '')
const street = (random: Random): string =>
  `${oneOf(random, ['Lindenstraße', 'Am Markt', 'Hauptstr.', 'Bergweg', 'Alte Gasse'])} ${between(random, 1, 140)}${happens(random, 25) ? 'a' : ''}`
const address = (random: Random): string => {
  const town = oneOf(random, TOWNS)
  return `${street(random)}, ${town.post} ${town.name}`
}
const american = (random: Random): string =>
  `${between(random, 1, 9999)} ${oneOf(random, ['Elm St', 'Ocean Ave', 'N 5th St', 'Sunset Blvd'])}, ${oneOf(random, ['Austin', 'San Jose', 'New York', 'Boise'])}, ${oneOf(random, ['TX', 'CA', 'NY', 'ID'])} ${digits(random, 5)}`
const outward = (random: Random): string =>
  oneOf(random, ['SW1A', 'M1', 'EC2V', 'B33', 'LS11', 'CF10', 'G12']) +
  ' ' +
  digits(random, 1) +
  oneOf(random, ['AA', 'BX', 'QT'])

/** Phone numbers and addresses of several countries. */
export const contactTasks: readonly DrawnTask[] = [
  drawnTask('contacts', 'German number with country code', german, (p) => `+49${onlyDigits(p).slice(1)}`),
  drawnTask('contacts', 'German number, area and rest', german, (p) => {
    const [, area = '', rest = ''] = /^\(?(\d+)\)?[^\d](\d+)$/.exec(p.replace(') ', ')').replace(')', ' ')) ?? []
    return `${area}-${rest}`
  }),
  drawnTask(
    'contacts',
    'French number in pairs',
    (r) => `0${digits(r, 9)}`,
    (p) => grouped(p, [2, 2, 2, 2, 2]),
  ),
  drawnTask(
    'contacts',
    'French number abroad',
    (r) => grouped(`0${digits(r, 9)}`, [2, 2, 2, 2, 2]),
    (p) => `+33 ${p.slice(1)}`,
  ),
  drawnTask(
    'contacts',
    'British mobile',
    (r) => `07${digits(r, 9)}`,
    (p) => `+44 ${p.slice(1, 5)} ${p.slice(5, 8)} ${p.slice(8)}`,
  ),
  drawnTask(
    'contacts',
    'number without 00 or plus',
    (r) => `${oneOf(r, ['+', '00'])}${oneOf(r, ['41', '43', '39'])}${digits(r, 8)}`,
    (p) => p.replace(/^(?:\+|00)/, ''),
  ),
  drawnTask('contacts', 'last four digits', german, (p) => `xxxx${onlyDigits(p).slice(-4)}`),
  drawnTask('contacts', 'town of a German address', address, (a) => /\d{5} (.*)$/.exec(a)?.[1] ?? ''),
  drawnTask('contacts', 'post code of a German address', address, (a) => /\d{5}/.exec(a)?.[0] ?? ''),
  drawnTask('contacts', 'house number', address, (a) => / (\d+a?),/.exec(a)?.[1] ?? ''),
  drawnTask('contacts', 'state of an American address', american, (a) => /, ([A-Z]{2}) \d{5}$/.exec(a)?.[1] ?? ''),
  drawnTask('contacts', 'town and state', american, (a) => {
    const [, town = '', state = ''] = /, ([^,]+), ([A-Z]{2}) /.exec(a) ?? []
    return `${town} (${state})`
  }),
  drawnTask('contacts', 'address on two lines', american, (a) => a.replace(', ', '\n')),
  drawnTask('contacts', 'outward part of a British post code', outward, (p) => p.split(' ')[0] ?? ''),
  drawnTask(
    'contacts',
    'British post code with its space',
    (r) => outward(r).replace(' ', '').toLowerCase(),
    (p) => `${p.slice(0, -3)} ${p.slice(-3)}`.toUpperCase(),
  ),
]
