import type { Random } from '../../core/model/random.ts'
import { between, drawnTask, oneOf, someOf, type DrawnTask } from './drawn-task.ts'
import { ITEMS, TAGS } from './words.ts'

const tags = (random: Random): readonly string[] => someOf(random, TAGS, between(random, 1, 5))
const numbers = (random: Random): number[] =>
  Array.from({ length: between(random, 2, 7) }, () => between(random, -20, 80))
const goods = (random: Random) =>
  someOf(random, ITEMS, between(random, 1, 4)).map((item) => ({ item, price: between(random, 1, 90) }))

/** Lists split, filtered, sorted and joined. */
export const listTasks: readonly DrawnTask[] = [
  drawnTask(
    'lists',
    'split at semicolons',
    (r) => tags(r).join('; '),
    (t) => t.split('; '),
  ),
  drawnTask(
    'lists',
    'upper case tags',
    (r) => tags(r).join(','),
    (t) => t.split(',').map((tag) => tag.toUpperCase()),
  ),
  drawnTask(
    'lists',
    'sorted tags',
    (r) => tags(r).join(' '),
    (t) => t.split(' ').toSorted().join(', '),
  ),
  drawnTask('lists', 'positive numbers', numbers, (list) => list.filter((one) => one > 0)),
  drawnTask('lists', 'largest number', numbers, (list) => Math.max(...list)),
  drawnTask('lists', 'names of goods', goods, (list) => list.map(({ item }) => item).join(', ')),
  drawnTask('lists', 'total of goods', goods, (list) => list.reduce((sum, { price }) => sum + price, 0)),
  drawnTask(
    'lists',
    'how many words',
    (r) => someOf(r, [...TAGS, ...ITEMS], between(r, 1, 9)).join(' '),
    (t) => t.split(' ').length,
  ),
  drawnTask(
    'lists',
    'last of a path',
    (r) => `/${someOf(r, [...TAGS, ...ITEMS], between(r, 1, 4)).join('/')}.${oneOf(r, ['txt', 'csv', 'png'])}`,
    (t) => t.split('/').at(-1) ?? '',
  ),
]
