import { groupThousands, PEOPLE } from './sources.ts'
import { defineTask } from './task.ts'

const rows = PEOPLE.map((name, i) => ({
  first: name.split(' ')[0] ?? '',
  last: name.split(' ')[1] ?? '',
  city: ['Oslo', 'Lima', 'Kyoto', 'Accra', 'Bergen', 'Turin'][i % 6] ?? '',
  phone: i % 3 === 1 ? '' : `555-0${100 + i * 37}`,
  price: [19.99, 4.5, 120, 7.25, 33, 250][i % 6] ?? 0,
  quantity: [3, 12, 1, 400, 2, 9][(i * 5) % 6] ?? 0,
}))
const titles = [
  'Mr. Jonas Vogel',
  'Greta Holm',
  'Mrs. Ruth Okafor',
  'Samir Haddad',
  'Dr. Mei Tanaka',
  'Carla Benedetti',
  'Ms. Ines Moreau',
  'Pavel Novak',
  'Mr. Tobias Lindqvist',
  'Lucia Ferreira',
  'Dr. Amira Khalil',
  'Yuki Sato',
]
const files = [
  'report.pdf',
  'photo.jpg',
  'clip.mp4',
  'notes.pdf',
  'song.jpg',
  'intro.mp4',
  'scan.pdf',
  'cat.jpg',
  'tour.mp4',
  'bill.pdf',
  'dog.jpg',
  'demo.mp4',
]
const orders = [
  'order 88 shipped',
  'order 12 cancelled',
  'order 7 shipped',
  'order 450 cancelled',
  'order 31 shipped',
  'order 99 cancelled',
  'order 6 shipped',
  'order 1002 cancelled',
  'order 20 shipped',
  'order 5 cancelled',
]
const mixedPhones = [
  '+44 20 7946 0018',
  '0207 946 1234',
  '+44 161 496 0777',
  '0161 496 1000',
  '+44 29 2018 0500',
  '0292 018 0999',
  '+44 131 496 0111',
  '0131 496 0222',
  '+44 28 9018 0333',
  '0289 018 0444',
]
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'Jan', 'Feb', 'Mar', 'Apr', 'Jan', 'Apr', 'Mar', 'Feb', 'Jan', 'Feb']
const messages: readonly (readonly [string, string])[] = [
  ['The oven door will not close', 'repair'],
  ['I want my money back for the lamp', 'refund'],
  ['Do you have the chair in stock', 'sales'],
  ['My heater is broken again', 'repair'],
  ['Please refund the second charge', 'refund'],
  ['Is the table in stock this week', 'sales'],
  ['The broken handle fell off', 'repair'],
  ['A refund would be fair', 'refund'],
  ['When is the sofa back in stock', 'sales'],
  ['Screen is broken after a day', 'repair'],
  ['Refund my order please', 'refund'],
  ['Any mugs in stock', 'sales'],
  ['It arrived broken', 'repair'],
  ['How long does a refund take', 'refund'],
  ['Is blue paint in stock', 'sales'],
  ['A wheel came broken', 'repair'],
  ['Still waiting for the refund', 'refund'],
  ['Are boots in stock', 'sales'],
  ['Hinge broken on the box', 'repair'],
  ['Can I get a refund', 'refund'],
  ['Is size nine in stock', 'sales'],
  ['One leg is broken', 'repair'],
  ['They promised a refund', 'refund'],
  ['Will it be in stock soon', 'sales'],
]

/** Conditions: missing parts, variants of a format, rules. */
export const conditionTasks = [
  defineTask('phone or dash', 'conditionals', rows, (r) => (r.phone === '' ? 'no phone' : r.phone)),
  defineTask('drop title', 'conditionals', titles, (t) => t.replace(/^(Mr|Mrs|Ms|Dr)\. /, '')),
  defineTask('kind of file', 'conditionals', files, (f) =>
    f.endsWith('.pdf') ? 'document' : f.endsWith('.jpg') ? 'image' : 'video',
  ),
  defineTask('order mark', 'conditionals', orders, (o) =>
    o.endsWith('shipped') ? `OK ${o.split(' ')[1]}` : `X ${o.split(' ')[1]}`,
  ),
  defineTask('bulk price', 'conditionals', rows, (r) => (r.quantity >= 10 ? 'bulk' : 'single')),
  defineTask('country code', 'conditionals', mixedPhones, (p) => (p.startsWith('+') ? 'international' : 'national')),
  defineTask(
    'middle name',
    'conditionals',
    [
      'Ana Lucia Prado',
      'Erik Johansson',
      'Maria Carmen Ortiz',
      'Wei Chen',
      'Jean Paul Roche',
      'Amira Khalil',
      'Peter John Moss',
      'Yuki Sato',
      'Nora Lee Hart',
      'Ivan Petrov',
    ],
    (n) => (n.split(' ').length === 3 ? (n.split(' ')[1] ?? '') : ''),
  ),
  defineTask(
    'late fee',
    'conditionals',
    [
      { days: 3 },
      { days: 40 },
      { days: 30 },
      { days: 31 },
      { days: 12 },
      { days: 55 },
      { days: 1 },
      { days: 90 },
      { days: 29 },
      { days: 33 },
    ],
    (r) => (r.days > 30 ? 'late' : 'on time'),
  ),
  defineTask(
    'add scheme',
    'conditionals',
    [
      'https://fjord.no',
      'werk.de',
      'http://mar.pt',
      'example.org',
      'https://a.io',
      'lagosnet.ng',
      'http://b.io',
      'zavod.ru',
      'https://mar.pt',
      'haddad.co',
    ],
    (u) => (/^https?:/.test(u) ? u : `https://${u}`),
  ),
  defineTask('plural', 'conditionals', [1, 4, 2, 1, 9, 12, 1, 3, 30, 1], (n) => (n === 1 ? '1 item' : `${n} items`)),
  defineTask('null when blank', 'conditionals', ['a7', '', 'k2', '', 'p9', 'zz', '', 'b4', '', 'm1'], (t) =>
    t === '' ? null : t,
  ),
  defineTask(
    'optional suite',
    'conditionals',
    [
      { street: '12 Elm', unit: '4B' },
      { street: '9 Oak', unit: '' },
      { street: '77 Pine', unit: '12' },
      { street: '3 Ash', unit: '' },
      { street: '8 Fir', unit: 'C' },
      { street: '41 Bay', unit: '' },
      { street: '6 Low', unit: '9' },
      { street: '2 Top', unit: '7A' },
      { street: '19 Sea', unit: '' },
      { street: '5 Mid', unit: '1' },
    ],
    (r) => (r.unit === '' ? r.street : `${r.street}, Unit ${r.unit}`),
  ),
]

/** Several columns into one value. */
export const columnTasks = [
  defineTask('full name', 'columns', rows, (r) => `${r.first} ${r.last}`),
  defineTask('last, first (city)', 'columns', rows, (r) => `${r.last}, ${r.first} (${r.city})`),
  defineTask('mail', 'columns', rows, (r) => `${r.first}.${r.last}@example.com`.toLowerCase()),
  defineTask('initials', 'columns', rows, (r) => r.first.slice(0, 1) + r.last.slice(0, 1)),
  defineTask('total', 'columns', rows, (r) => Math.round(r.price * r.quantity * 100) / 100),
  defineTask('total text', 'columns', rows, (r) => `$${groupThousands(r.price * r.quantity, 2)}`),
  defineTask('receipt line', 'columns', rows, (r) => `${r.quantity} x $${r.price.toFixed(2)}`),
  defineTask('with tax', 'columns', rows, (r) => (r.price * 1.2).toFixed(2)),
  defineTask(
    'code',
    'columns',
    rows,
    (r) => `${r.city.slice(0, 3).toUpperCase()}-${String(r.quantity).padStart(3, '0')}`,
  ),
  defineTask(
    'average',
    'columns',
    PEOPLE.map((_, i) => ({ a: i * 3 + 2, b: 40 - i, c: (i * 7) % 11 })),
    (r) => ((r.a + r.b + r.c) / 3).toFixed(1),
  ),
  defineTask(
    'area',
    'columns',
    PEOPLE.map((_, i) => ({ width: 3 + i, height: 12 - (i % 5) })),
    (r) => `${r.width * r.height} m2`,
  ),
  defineTask(
    'share',
    'columns',
    PEOPLE.map((_, i) => ({ part: 3 + i * 2, whole: 40 + i * 5 })),
    (r) => `${((r.part / r.whole) * 100).toFixed(1)}%`,
  ),
]

/** Small tables and labels. */
export const labelTasks = [
  defineTask('month number', 'lookup', months, (m) => ['Jan', 'Feb', 'Mar', 'Apr'].indexOf(m) + 1),
  defineTask(
    'city code',
    'lookup',
    rows.map((r) => r.city),
    (c) => ({ Oslo: 'OSL', Lima: 'LIM', Kyoto: 'UKY', Accra: 'ACC', Bergen: 'BGO', Turin: 'TRN' })[c] ?? '',
  ),
  { name: 'ticket desk', category: 'labels', examples: messages.map(([input, output]) => ({ input, output })) },
]
