import { capitalize, EMAILS, LONG_NAMES, PEOPLE } from './sources.ts'
import { defineTask } from './task.ts'

const words = [
  'pear,fig,apple',
  'oak,elm',
  'red,blue,green,red',
  'tin,zinc,iron',
  'cat,dog',
  'ham,egg,ham',
  'x,b,m,a',
  'nut,bolt',
  'sun,sky,sea',
  'tea,tea,milk',
  'one,two,three,four',
  'z,y',
]
const lists = words.map((text) => text.split(','))
const numberLists = [
  [3, 1, 2],
  [10, 20],
  [5, 5, 7, 1],
  [8],
  [2, 4, 6, 8],
  [9, 0, 3],
  [100, 50],
  [7, 7, 7],
  [1, 2, 3, 4],
  [42, 17, 25],
  [6, 1],
  [12, 11, 10],
]
const carts = PEOPLE.map((name, i) => ({
  id: 100 + i * 7,
  customer: { name, email: EMAILS[i] ?? '', vip: i % 3 === 0 },
  items: Array.from({ length: 1 + (i % 3) }, (_, j) => ({
    sku: `P${i}${j}`,
    qty: 1 + ((i + j) % 4),
    price: 5 + i * 2 + j,
  })),
}))

const stocks = PEOPLE.map((_, i) => ({
  items: Array.from({ length: 2 + (i % 3) }, (__, j) => ({
    name: `part ${i}${j}`,
    price: (i * 31 + j * 47) % 90,
    listed: (i + j) % 2 === 0,
  })),
}))

/** Lists in and out. */
export const listTasks = [
  defineTask('split', 'lists', words, (t) => t.split(',')),
  defineTask(
    'split spaced',
    'lists',
    words.map((t) => t.replaceAll(',', ', ')),
    (t) => t.split(', '),
  ),
  defineTask('join', 'lists', lists, (l) => l.join(' | ')),
  defineTask('sort words', 'lists', words, (t) => t.split(',').toSorted().join(',')),
  defineTask('unique words', 'lists', words, (t) => [...new Set(t.split(','))].join(',')),
  defineTask('sorted list', 'lists', lists, (l) => l.toSorted()),
  defineTask('unique list', 'lists', lists, (l) => [...new Set(l)]),
  defineTask('upper list', 'lists', lists, (l) => l.map((w) => w.toUpperCase())),
  defineTask('first', 'lists', lists, (l) => l[0] ?? null),
  defineTask('last', 'lists', lists, (l) => l.at(-1) ?? null),
  defineTask('count', 'lists', lists, (l) => l.length),
  defineTask('count in text', 'lists', words, (t) => t.split(',').length),
  defineTask('sum', 'lists', numberLists, (l) => l.reduce((a, b) => a + b, 0)),
  defineTask('largest', 'lists', numberLists, (l) => Math.max(...l)),
  defineTask('average text', 'lists', numberLists, (l) => (l.reduce((a, b) => a + b, 0) / l.length).toFixed(1)),
  defineTask('doubled', 'lists', numberLists, (l) => l.map((n) => n * 2)),
  defineTask('descending', 'lists', numberLists, (l) => l.toSorted((a, b) => b - a)),
  defineTask('initials list', 'lists', LONG_NAMES, (n) => n.split(' ').map((w) => w.slice(0, 1))),
  defineTask('bullets', 'lists', lists, (l) => l.map((w) => `- ${w}`).join('\n')),
  defineTask(
    'numbers in text',
    'lists',
    [
      'a 12 b 7',
      'x3y44',
      '5 and 60 and 7',
      'no 8',
      '1-2-3',
      'page 4 of 90',
      '77',
      'k9 unit 2',
      '10/20/30',
      'v1.2',
      '6 7',
      'a1b2c3',
    ],
    (t) => (t.match(/\d+/g) ?? []).map(Number),
  ),
  defineTask('reverse list', 'lists', lists, (l) => l.toReversed()),
  defineTask('title words', 'lists', words, (t) => t.split(',').map(capitalize).join(', ')),
  defineTask('long words', 'lists', lists, (l) => l.filter((w) => w.length > 3)),
]

/** Objects in and out. */
export const objectTasks = [
  defineTask('pick', 'objects', carts, (c) => ({ id: c.id, name: c.customer.name })),
  defineTask('nested mail', 'objects', carts, (c) => c.customer.email),
  defineTask(
    'rename',
    'objects',
    PEOPLE.map((name, i) => ({ full_name: name, age: 20 + i })),
    (p) => ({ name: p.full_name, years: p.age }),
  ),
  defineTask('split name', 'objects', PEOPLE, (n) => ({ first: n.split(' ')[0] ?? '', last: n.split(' ')[1] ?? '' })),
  defineTask('flatten', 'objects', carts, (c) => ({
    order: `#${c.id}`,
    customer: c.customer.name.toUpperCase(),
    lines: c.items.length,
  })),
  defineTask('skus', 'objects', carts, (c) => c.items.map((item) => item.sku)),
  defineTask('quantity', 'objects', carts, (c) => c.items.reduce((sum, item) => sum + item.qty, 0)),
  defineTask('order total', 'objects', carts, (c) => c.items.reduce((sum, item) => sum + item.qty * item.price, 0)),
  defineTask('mail parts', 'objects', EMAILS, (e) => ({ user: e.split('@')[0] ?? '', domain: e.split('@')[1] ?? '' })),
  defineTask('listed names', 'objects', stocks, (s) => s.items.filter((item) => item.listed).map((item) => item.name)),
  defineTask('dearest', 'objects', stocks, (s) => s.items.toSorted((a, b) => b.price - a.price)[0]?.name ?? null),
  defineTask('listed count', 'objects', stocks, (s) => s.items.filter((item) => item.listed).length),
  defineTask('first sku', 'objects', carts, (c) => c.items[0]?.sku ?? null),
  defineTask('label', 'objects', carts, (c) => `${c.customer.name} <${c.customer.email}>`),
  defineTask('vip', 'objects', carts, (c) => (c.customer.vip ? 'priority' : 'normal')),
  defineTask('line objects', 'objects', carts, (c) =>
    c.items.map((item) => ({ code: item.sku, total: item.qty * item.price })),
  ),
]
