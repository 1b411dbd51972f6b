import type { Random } from '../../core/model/random.ts'
import { between, digits, drawnTask, oneOf, two, type DrawnTask } from './drawn-task.ts'
import { CITIES, FIRMS, ITEMS, person, STREETS } from './words.ts'

const contact = (random: Random): string => {
  const { first, last } = person(random)
  const address = `${first}@${oneOf(random, FIRMS)}.com`.toLowerCase()
  return `${first} ${last} <${address}> ${digits(random, 3)}-${digits(random, 4)}`
}
const line = (random: Random): string =>
  [
    oneOf(random, ITEMS),
    between(random, 1, 40),
    (between(random, 100, 9000) / 100).toFixed(2),
    oneOf(random, CITIES),
  ].join(';')
const log = (random: Random): string =>
  `2025-${two(between(random, 1, 12))}-${two(between(random, 1, 28))} ${oneOf(random, ['ERROR', 'WARN', 'INFO'])} [${oneOf(random, FIRMS)}] code=${between(random, 100, 599)}`
const post = (random: Random): string =>
  `${between(random, 1, 220)} ${oneOf(random, STREETS)}, ${oneOf(random, CITIES)} ${digits(random, 5)}`
const order = (random: Random) => {
  const { first, last } = person(random)
  return {
    customer: `${first} ${last}`,
    item: oneOf(random, ITEMS),
    price: between(random, 2, 300),
    quantity: between(random, 1, 12),
  }
}

/** Objects of several members, out of texts and out of other objects. */
export const objectTasks: readonly DrawnTask[] = [
  drawnTask('objects', 'contact line', contact, (t) => {
    const [name = '', rest = ''] = t.split(' <')
    const [email = '', phone = ''] = rest.split('> ')
    return { name, email, phone }
  }),
  drawnTask('objects', 'line of fields', line, (t) => {
    const [item = '', quantity = '', price = '', city = ''] = t.split(';')
    return { item, quantity: Number(quantity), price: Number(price), city }
  }),
  drawnTask('objects', 'log line', log, (t) => {
    const [date = '', level = '', source = '', code = ''] = t.split(' ')
    return { date, level: level.toLowerCase(), source: source.slice(1, -1), code: Number(code.slice(5)) }
  }),
  drawnTask('objects', 'postal address', post, (t) => {
    const [street = '', rest = ''] = t.split(', ')
    const at = street.indexOf(' ')
    return { number: street.slice(0, at), street: street.slice(at + 1), city: rest.slice(0, -6), zip: rest.slice(-5) }
  }),
  drawnTask('objects', 'order summary', order, ({ customer, item, price, quantity }) => ({
    name: customer.split(' ')[0] ?? '',
    total: price * quantity,
    note: `${quantity} x ${item}`,
  })),
  drawnTask('objects', 'order with a flag', order, ({ customer, price, quantity }) => ({
    last: (customer.split(' ')[1] ?? '').toUpperCase(),
    total: price * quantity,
    large: price * quantity >= 500,
  })),
  drawnTask('objects', 'nested parts', order, ({ customer, item, price }) => ({
    buyer: { first: customer.split(' ')[0] ?? '', last: customer.split(' ')[1] ?? '' },
    goods: { item: item.toUpperCase(), price },
  })),
  drawnTask(
    'objects',
    'query to object',
    (r) => `id=${between(r, 1, 9999)}&lang=${oneOf(r, ['en', 'de', 'fr', 'pt'])}&page=${between(r, 1, 50)}`,
    (t) => {
      const query = new URLSearchParams(t)
      return { id: Number(query.get('id')), lang: query.get('lang'), page: Number(query.get('page')) }
    },
  ),
]
