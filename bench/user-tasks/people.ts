import type { Random } from '../../core/model/random.ts'
import { between, digits, drawnTask, happens, oneOf, type DrawnTask } from '../small-sets/drawn-task.ts'
import { COMPANIES, FAMILY, GIVEN } from './words.ts'

const given = (random: Random): string => oneOf(random, GIVEN)
const family = (random: Random): string => oneOf(random, FAMILY)
const full = (random: Random): string => `${given(random)} ${family(random)}`
const withTitle = (random: Random): string => `${oneOf(random, ['Mr ', 'Mrs ', 'Dr ', ''])}${full(random)}`
const plain = (text: string): string => text.normalize('NFD').replace(/[\u0300-\u036f]/g, '')
const mail = (random: Random): string =>
  `${plain(full(random)).toLowerCase().replace(/ø/g, 'o').replace(/'/g, '').replace(' ', '.')}@${oneOf(random, COMPANIES).toLowerCase()}.${oneOf(random, ['com', 'de', 'co.uk', 'pl'])}`
const last = (text: string, by: string): string => text.split(by).at(-1) ?? ''
const first = (text: string, by: string): string => text.split(by)[0] ?? ''

/** Names and mail addresses as people write them. */
export const peopleTasks: readonly DrawnTask[] = [
  drawnTask('people', 'last name first', full, (n) => `${last(n, ' ')}, ${first(n, ' ')}`),
  drawnTask(
    'people',
    'initial and last name in capitals',
    full,
    (n) => `${n.charAt(0)}. ${last(n, ' ').toUpperCase()}`,
  ),
  drawnTask('people', 'without a title', withTitle, (n) => n.replace(/^(?:Mr|Mrs|Dr) /, '')),
  drawnTask(
    'people',
    'swap family, given',
    (r) => `${family(r).toUpperCase()}, ${given(r)}`,
    (n) => `${last(n, ', ')} ${first(n, ', ')}`,
  ),
  drawnTask(
    'people',
    'middle name dropped',
    (r) => (happens(r, 40) ? `${given(r)} ${given(r)} ${family(r)}` : full(r)),
    (n) => `${first(n, ' ')} ${last(n, ' ')}`,
  ),
  drawnTask(
    'people',
    'middle initial',
    (r) => `${given(r)} ${given(r)} ${family(r)}`,
    (n) => {
      const [a = '', b = '', c = ''] = n.split(' ')
      return `${a} ${b.charAt(0)}. ${c}`
    },
  ),
  drawnTask(
    'people',
    'who signs a mail header',
    (r) => (happens(r, 70) ? `${full(r)} <${mail(r)}>` : mail(r)),
    (m) => /<(.*)>/.exec(m)?.[1] ?? m,
  ),
  drawnTask(
    'people',
    'name of a mail header',
    (r) => `"${family(r)}, ${given(r)}" <${mail(r)}>`,
    (m) => {
      const [, b = '', a = ''] = /"(.*), (.*)"/.exec(m) ?? []
      return `${a} ${b}`
    },
  ),
  drawnTask('people', 'domain of a mail address', mail, (m) => last(m, '@')),
  drawnTask('people', 'hidden mail address', mail, (m) => `${m.slice(0, 2)}***@${last(m, '@')}`),
  drawnTask(
    'people',
    'mail address without its tag',
    (r) => {
      const [user = '', host = ''] = mail(r).split('@')
      return happens(r, 60) ? `${user}+${oneOf(r, ['news', 'shop', 'work'])}@${host}` : `${user}@${host}`
    },
    (m) => m.replace(/\+.*@/, '@'),
  ),
  drawnTask(
    'people',
    'user name with a number',
    (r) => ({ name: plain(full(r)), born: between(r, 1950, 2005) }),
    ({ name, born }) => `${first(name, ' ').toLowerCase()}${String(born).slice(2)}`,
  ),
  drawnTask(
    'people',
    'greeting by hour',
    (r) => ({ name: full(r), formal: happens(r, 50) }),
    ({ name, formal }) => (formal ? `Dear ${name},` : `Hi ${first(name, ' ')},`),
  ),
  drawnTask(
    'people',
    'staff number out of a badge',
    (r) => `${family(r)} ${given(r)} (${oneOf(r, ['IT', 'HR', 'OPS'])}-${digits(r, 5)})`,
    (t) => /-(\d+)\)/.exec(t)?.[1] ?? '',
  ),
]
