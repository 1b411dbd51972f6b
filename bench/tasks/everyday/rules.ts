import { PEOPLE } from '../sources.ts'
import { defineTask } from '../task.ts'

const orders = PEOPLE.map((name, i) => ({
  name,
  nick: i % 3 === 0 ? null : (name.split(' ')[0] ?? '').slice(0, 3),
  total: 20 + i * 17,
  vip: i % 2 === 0,
  qty: i % 4,
  country: ['NO', 'US', 'DE'][i % 3] ?? '',
}))

/** More conditions and objects. */
export const everydayRules = [
  defineTask('nick or name', 'rules+', orders, (o) => o.nick ?? o.name),
  defineTask('vip price', 'rules+', orders, (o) => (o.vip ? Math.round(o.total * 90) / 100 : o.total)),
  defineTask('in stock', 'rules+', orders, (o) => (o.qty > 0 ? 'in stock' : 'sold out')),
  defineTask('is home', 'rules+', orders, (o) => o.country === 'NO'),
  defineTask('greeting', 'rules+', orders, (o) => (o.vip ? `Dear ${o.name}` : `Hi ${o.name.split(' ')[0]}`)),
  defineTask(
    'larger',
    'rules+',
    [
      { a: 3, b: 9 },
      { a: 12, b: 4 },
      { a: 7, b: 7 },
      { a: 1, b: 30 },
      { a: 55, b: 54 },
      { a: 0, b: 2 },
      { a: 19, b: 91 },
      { a: 80, b: 8 },
      { a: 6, b: 5 },
      { a: 10, b: 11 },
    ],
    (r) => Math.max(r.a, r.b),
  ),
  defineTask(
    'same or not',
    'rules+',
    [
      { a: 'x', b: 'x' },
      { a: 'y', b: 'z' },
      { a: 'k', b: 'k' },
      { a: 'm', b: 'n' },
      { a: 'q', b: 'q' },
      { a: 'r', b: 's' },
      { a: 't', b: 'u' },
      { a: 'v', b: 'v' },
      { a: 'w', b: 'w' },
      { a: 'a', b: 'b' },
    ],
    (r) => (r.a === r.b ? 'match' : 'differ'),
  ),
  defineTask(
    'totals over 100',
    'rules+',
    [
      { t: 99 },
      { t: 100 },
      { t: 101 },
      { t: 20 },
      { t: 180 },
      { t: 100.5 },
      { t: 45 },
      { t: 300 },
      { t: 88 },
      { t: 120 },
    ],
    (r) => (r.t > 100 ? 'large' : 'small'),
  ),
  defineTask(
    'object of strings',
    'rules+',
    orders.map((o) => ({ id: String(o.total), ok: o.vip ? 'yes' : 'no' })),
    (r) => ({ id: Number(r.id), ok: r.ok === 'yes' }),
  ),
  defineTask(
    'drop nulls',
    'rules+',
    orders.map((o) => ({ name: o.name, nick: o.nick })),
    (r) => (r.nick === null ? { name: r.name } : { name: r.name, nick: r.nick }),
  ),
  defineTask(
    'json text',
    'rules+',
    orders.map((o) => JSON.stringify({ user: o.name, total: o.total })),
    (t) => (JSON.parse(t) as { user: string }).user,
  ),
  defineTask('nested build', 'rules+', orders, (o) => ({
    customer: { name: o.name, country: o.country.toLowerCase() },
    amount: { value: o.total, text: `$${o.total}.00` },
  })),
  defineTask('tags', 'rules+', orders, (o) => [o.country, o.vip ? 'vip' : 'std']),
  defineTask(
    'pair list',
    'rules+',
    ['a:1,b:2', 'x:9', 'k:4,m:5,n:6', 'q:0,r:7', 'z:3', 'c:8,d:1', 'e:2', 'f:6,g:6,h:1', 'i:5', 'j:4,l:3'],
    (t) => t.split(',').map((p) => ({ key: p.split(':')[0] ?? '', value: Number(p.split(':')[1]) })),
  ),
  defineTask(
    'scores to grades',
    'rules+',
    [[95, 62], [81, 77, 90], [50], [88, 93], [70, 65, 99], [49, 91], [100], [85, 20], [90, 89], [33, 66]],
    (l) => l.map((n) => (n >= 90 ? 'top' : 'ok')),
  ),
]
