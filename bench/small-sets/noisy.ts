import type { Json } from '../../core/kernel/json/json.ts'
import { CLASSIFICATION } from './calibration/classification.ts'
import { between, digits, drawnTask, happens, oneOf, type DrawnTask } from './drawn-task.ts'
import { labelTasks } from './labels.ts'
import { CITIES, ITEMS } from './words.ts'

/** Of a hundred rows, those whose label is drawn anew. */
const WRONG_PERCENT = 10

/** The task with one of its other labels in one of ten rows. */
function withWrongLabels(task: DrawnTask, labels: readonly Json[]): DrawnTask {
  return {
    name: `${task.name}, wrong labels`,
    subject: 'noisy',
    draw: (random) => {
      const row = task.draw(random)
      if (!happens(random, WRONG_PERCENT)) return row
      return {
        ...row,
        output: oneOf(
          random,
          labels.filter((label) => label !== row.output),
        ),
      }
    },
  }
}

const bands = drawnTask(
  'noisy',
  'age group',
  (r) => ({ age: between(r, 0, 99), visits: between(r, 0, 40) }),
  ({ age }) => (age < 18 ? 'child' : age < 65 ? 'adult' : 'senior'),
)
const stars = drawnTask(
  'noisy',
  'stars of a rating',
  (r) => ({ wait_minutes: between(r, 0, 60), price: between(r, 5, 90), kind: oneOf(r, ['cafe', 'bar', 'hotel']) }),
  ({ wait_minutes: wait, price }) => Math.max(1, 5 - Math.floor(wait / 20) - (price > 60 ? 1 : 0)),
)
const orders = drawnTask(
  'noisy',
  'number of an order, mistyped',
  (r) =>
    `${oneOf(r, ['Order', 'Parcel', 'Return'])} ORD-${digits(r, 5)} of a ${oneOf(r, ITEMS)} from ${oneOf(r, CITIES)}`,
  (text) => /ORD-\d+/.exec(text)?.[0] ?? '',
)
/** An output that one in ten rows has mistyped. */
const mistyped: DrawnTask = {
  ...orders,
  draw: (random) => {
    const row = orders.draw(random)
    return happens(random, WRONG_PERCENT) ? { ...row, output: `ORD-${digits(random, 5)}` } : row
  },
}

const labelsOf: Readonly<Record<string, readonly Json[]>> = {
  'support desks': ['delivery', 'payment', 'defect', 'account'],
  'tone of a review': ['praise', 'complaint', 'question'],
  'cause of an alert': ['network', 'disk', 'memory'],
  'priority of a ticket': ['high', 'normal'],
  'shape of a code': ['account', 'article', 'postcode'],
  'risk of a loan': ['high', 'medium', 'low'],
  'desk of a message': ['billing', 'shipping', 'repair'],
  'mood of a review': ['positive', 'negative'],
  'topic of a headline': ['sport', 'weather', 'money', 'arts'],
  'age group': ['child', 'adult', 'senior'],
  'stars of a rating': [1, 2, 3, 4, 5],
}

/** Tasks in which one in ten rows has a wrong answer: no recipe can be right on these. */
export const NOISY_TASKS: readonly DrawnTask[] = [
  ...[...CLASSIFICATION, ...labelTasks, bands, stars].flatMap((task) => {
    const labels = labelsOf[task.name]
    return labels === undefined ? [] : [withWrongLabels(task, labels)]
  }),
  mistyped,
]
