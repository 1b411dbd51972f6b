import { between, drawnTask, happens, oneOf, type DrawnTask } from './drawn-task.ts'
import { FIRMS, FIRST_NAMES, person, TLDS } from './words.ts'
import type { Random } from '../../core/model/random.ts'

const fullName = (random: Random): string => {
  const { first, last } = person(random)
  return `${first} ${last}`
}
const longName = (random: Random): string => {
  const { first, last } = person(random)
  return happens(random, 50) ? `${first} ${oneOf(random, FIRST_NAMES)} ${last}` : `${first} ${last}`
}
const titled = (random: Random): string => {
  const title = oneOf(random, ['Dr. ', 'Prof. ', 'Ms. ', 'Mr. ', '', ''])
  return `${title}${fullName(random)}`
}
const address = (random: Random): string => {
  const { first, last } = person(random)
  return `${first}.${last}@${oneOf(random, FIRMS)}.${oneOf(random, TLDS)}`.toLowerCase()
}
const capital = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1)
const lastOf = (name: string): string => name.split(' ').at(-1) ?? ''
const firstOf = (name: string): string => name.split(' ')[0] ?? ''

/** Names of people and their addresses. */
export const nameTasks: readonly DrawnTask[] = [
  drawnTask('names', 'last, initial', fullName, (n) => `${lastOf(n)}, ${n.charAt(0)}.`),
  drawnTask('names', 'initials of two or three', longName, (n) =>
    n
      .split(' ')
      .map((w) => w.charAt(0))
      .join(''),
  ),
  drawnTask('names', 'first and last of a long name', longName, (n) => `${firstOf(n)} ${lastOf(n)}`),
  drawnTask('names', 'drop the title', titled, (n) => n.replace(/^(?:Dr|Prof|Ms|Mr)\. /, '')),
  drawnTask('names', 'login from a name', fullName, (n) => `${n.charAt(0)}${lastOf(n)}`.toLowerCase()),
  drawnTask('names', 'name from an address', address, (a) => (a.split('@')[0] ?? '').split('.').map(capital).join(' ')),
  drawnTask('names', 'firm from an address', address, (a) => capital((a.split('@')[1] ?? '').split('.')[0] ?? '')),
  drawnTask(
    'names',
    'greeting with a number',
    (r) => `${fullName(r)} #${between(r, 1, 900)}`,
    (t) => `Dear ${firstOf(t)}, your number is ${t.split('#')[1] ?? ''}.`,
  ),
  drawnTask(
    'names',
    'upper last name first',
    longName,
    (n) => `${lastOf(n).toUpperCase()} ${n.split(' ').slice(0, -1).join(' ')}`,
  ),
]
