import type { Random } from '../../core/model/random.ts'
import { between, drawnTask, oneOf, type DrawnTask } from './drawn-task.ts'
import { ITEMS } from './words.ts'

const cents = (random: Random): number => {
  const most = 10 ** between(random, 3, 7)
  return between(random, 5, most) / 100
}
const grouped = (value: number): string =>
  value.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
const rounded = (value: number): number => Math.round(value * 100 + 1e-7) / 100

/** Amounts and what is counted from them. */
export const amountTasks: readonly DrawnTask[] = [
  drawnTask('amounts', 'dollars with groups', cents, (a) => `$${grouped(a)}`),
  drawnTask(
    'amounts',
    'text to number',
    (r) => `USD ${grouped(cents(r))}`,
    (t) => Number(t.slice(4).replaceAll(',', '')),
  ),
  drawnTask(
    'amounts',
    'european to number',
    (r) => `${grouped(cents(r)).replaceAll(',', '_').replace('.', ',').replaceAll('_', '.')} EUR`,
    (t) => Number(t.replace(' EUR', '').replaceAll('.', '').replace(',', '.')),
  ),
  drawnTask(
    'amounts',
    'line total',
    (r) => ({ item: oneOf(r, ITEMS), price: between(r, 1, 400), quantity: between(r, 1, 20) }),
    ({ price, quantity }) => price * quantity,
  ),
  drawnTask(
    'amounts',
    'gross of net',
    (r) => ({ net: between(r, 100, 90_000) / 100 }),
    ({ net }) => rounded(net * 1.2),
  ),
  drawnTask(
    'amounts',
    'percent of two',
    (r) => {
      const all = between(r, 5, 400)
      return { done: between(r, 0, all), all }
    },
    ({ done, all }) => `${Math.round((100 * done) / all)}%`,
  ),
  drawnTask(
    'amounts',
    'sum of a list',
    (r) => Array.from({ length: between(r, 2, 6) }, () => between(r, 1, 99)),
    (list) => list.reduce((sum, one) => sum + one, 0),
  ),
  drawnTask(
    'amounts',
    'minutes to hours',
    (r) => between(r, 5, 1400),
    (m) => `${Math.floor(m / 60)}h ${m % 60}m`,
  ),
  drawnTask(
    'amounts',
    'celsius to fahrenheit',
    (r) => between(r, -200, 900),
    (c) => rounded(c * 1.8 + 32),
  ),
  drawnTask(
    'amounts',
    'cents to euros',
    (r) => between(r, 1, 250_000),
    (c) => `${(c / 100).toFixed(2)} EUR`,
  ),
]
