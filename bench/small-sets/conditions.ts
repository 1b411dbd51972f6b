import type { Random } from '../../core/model/random.ts'
import { between, digits, drawnTask, happens, oneOf, type DrawnTask } from './drawn-task.ts'
import { CITIES, ITEMS, person } from './words.ts'

const parcel = (random: Random) => ({
  weight: between(random, 1, 60),
  country: oneOf(random, ['AT', 'DE', 'US', 'JP']),
  express: happens(random, 40),
})
const buyer = (random: Random) => {
  const { first, last } = person(random)
  return { name: `${first} ${last}`, age: between(random, 8, 90), member: happens(random, 50) }
}

/** Rules with conditions: thresholds, categories, parts that may be missing. */
export const conditionTasks: readonly DrawnTask[] = [
  drawnTask(
    'conditions',
    'grade of a score',
    (r) => between(r, 0, 1000) / 10,
    (s) => (s >= 80 ? 'A' : s >= 60 ? 'B' : s >= 40 ? 'C' : 'F'),
  ),
  drawnTask('conditions', 'adult or minor', buyer, ({ age }) => (age >= 18 ? 'adult' : 'minor')),
  drawnTask('conditions', 'member price', buyer, ({ age, member }) => (member ? 8 : age >= 65 ? 9 : 12)),
  drawnTask('conditions', 'shipping fee', parcel, ({ weight }) => (weight > 30 ? 25 : weight > 10 ? 12 : 5)),
  drawnTask('conditions', 'zone of a country', parcel, ({ country }) =>
    country === 'AT' || country === 'DE' ? 'home' : 'abroad',
  ),
  drawnTask(
    'conditions',
    'express is a flag',
    parcel,
    ({ express, weight }) => `${express ? 'FAST' : 'slow'} ${weight} kg`,
  ),
  drawnTask(
    'conditions',
    'region of a code',
    (r) => `${oneOf(r, ['N', 'S', 'E', 'W'])}-${digits(r, 4)}`,
    (c) => ({ N: 'north', S: 'south', E: 'east', W: 'west' })[c.charAt(0)] ?? '',
  ),
  drawnTask(
    'conditions',
    'stock message',
    (r) => ({ item: oneOf(r, ITEMS), stock: happens(r, 30) ? 0 : between(r, 1, 80) }),
    ({ item, stock }) => (stock === 0 ? `${item}: sold out` : `${item}: ${stock} left`),
  ),
  drawnTask(
    'conditions',
    'city or unknown',
    (r) => ({ id: between(r, 1, 9999), city: happens(r, 30) ? '' : oneOf(r, CITIES) }),
    ({ city }) => (city === '' ? 'unknown' : city),
  ),
  drawnTask(
    'conditions',
    'sign of a balance',
    (r) => between(r, -500, 500),
    (b) => (b < 0 ? `-$${-b}` : `$${b}`),
  ),
  drawnTask(
    'conditions',
    'even or odd',
    (r) => between(r, 1, 5000),
    (n) => (n % 2 === 0 ? 'even' : 'odd'),
  ),
  drawnTask(
    'conditions',
    'is a number of an order',
    (r) => (happens(r, 50) ? `ORD-${digits(r, 5)}` : `${oneOf(r, ITEMS)} ${digits(r, 3)}`),
    (t) => t.startsWith('ORD-'),
  ),
]
