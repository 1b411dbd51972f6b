import { capitalize, LONG_NAMES, PEOPLE, PHRASES } from './sources.ts'
import { defineTask } from './task.ts'

const camel = PHRASES.map((p) =>
  p
    .split(' ')
    .map((w, i) => (i === 0 ? w : capitalize(w)))
    .join(''),
)
const ACCOUNT_NUMBERS = [
  '883920114',
  '55012',
  '7741093826',
  '320988',
  '1200457',
  '90210777',
  '66554433',
  '10203040',
  '987654321',
  '445566',
  '78901',
  '31415926',
]
const snake = PHRASES.map((p) => p.replaceAll(' ', '_'))
const shouted = PEOPLE.map((p, i) => (i % 2 === 0 ? p.toUpperCase() : p.toLowerCase()))
const spaced = PHRASES.map(
  (p, i) => `${' '.repeat(i % 3)}${p.replace(' ', ' '.repeat(1 + (i % 4)))}${' '.repeat((i + 1) % 2)}`,
)
const numbers = [7, 42, 105, 3, 88, 1290, 56, 230, 9, 671, 14, 3005]

/** Casing of words and identifiers. */
export const casingTasks = [
  defineTask('upper', 'casing', PHRASES, (p) => p.toUpperCase()),
  defineTask('title', 'casing', PHRASES, (p) => p.split(' ').map(capitalize).join(' ')),
  defineTask('title from mixed', 'casing', shouted, (p) => p.split(' ').map(capitalize).join(' ')),
  defineTask('sentence', 'casing', PHRASES, capitalize),
  defineTask('snake', 'casing', PHRASES, (p) => p.replaceAll(' ', '_')),
  defineTask(
    'kebab from title',
    'casing',
    PHRASES.map((p) => p.split(' ').map(capitalize).join(' ')),
    (p) => p.toLowerCase().replaceAll(' ', '-'),
  ),
  defineTask('camel', 'casing', PHRASES, (p) =>
    p
      .split(' ')
      .map((w, i) => (i === 0 ? w : capitalize(w)))
      .join(''),
  ),
  defineTask('pascal', 'casing', PHRASES, (p) => p.split(' ').map(capitalize).join('')),
  defineTask('camel to snake', 'casing', camel, (c) => c.replace(/[A-Z]/g, (m) => `_${m.toLowerCase()}`)),
  defineTask('snake to title', 'casing', snake, (s) => s.split('_').map(capitalize).join(' ')),
  defineTask('constant case', 'casing', PHRASES, (p) => p.toUpperCase().replaceAll(' ', '_')),
  defineTask('initials', 'casing', LONG_NAMES, (n) =>
    n
      .split(' ')
      .map((w) => w.slice(0, 1).toUpperCase())
      .join(''),
  ),
  defineTask('dotted initials', 'casing', LONG_NAMES, (n) =>
    n
      .split(' ')
      .map((w) => `${w.slice(0, 1).toUpperCase()}.`)
      .join(''),
  ),
  defineTask('surname first', 'casing', PEOPLE, (n) => `${n.split(' ')[1]?.toUpperCase()}, ${n.split(' ')[0]}`),
  defineTask('user name', 'casing', PEOPLE, (n) => `${n.slice(0, 1)}${n.split(' ')[1]}`.toLowerCase()),
  defineTask('swap words', 'casing', PEOPLE, (n) => n.split(' ').toReversed().join(' ')),
]

/** Padding, trimming and cleaning. */
export const cleaningTasks = [
  defineTask('pad to 5', 'padding', numbers, (n) => String(n).padStart(5, '0')),
  defineTask('order id', 'padding', numbers, (n) => `ORD-${String(n).padStart(6, '0')}`),
  defineTask(
    'pad text digits',
    'padding',
    numbers.map((n) => `item ${n}`),
    (t) => `item ${t.slice(5).padStart(4, '0')}`,
  ),
  defineTask(
    'dots to ten',
    'padding',
    PHRASES.map((p) => p.split(' ')[0] ?? ''),
    (w) => w.padEnd(10, '.'),
  ),
  defineTask('collapse spaces', 'cleaning', spaced, (t) => t.trim().replace(/ +/g, ' ')),
  defineTask('trim', 'cleaning', spaced, (t) => t.trim()),
  defineTask(
    'digits only',
    'cleaning',
    [
      '(555) 201-8834',
      '555.990.1172',
      '+1 555 340 8876',
      '555-712-0034',
      '1-555-640-2209',
      '(555)8129930',
      '555 404 1188',
      '+1-555-230-9981',
      '555/610/4420',
      '(555) 333-2121',
      '555.119.8080',
      '1 555 222 6767',
    ],
    (t) => t.replace(/\D/g, ''),
  ),
  defineTask(
    'phone format',
    'cleaning',
    [
      '(555) 201-8834',
      '5556402209',
      '555 340 8876',
      '555.990.1172',
      '555-712-0034',
      '(555)8129930',
      '555 404 1188',
      '555-230-9981',
      '555/610/4420',
      '(555) 333-2121',
      '555.119.8080',
      '555 222 6767',
    ],
    (t) => {
      const digits = t.replace(/\D/g, '')
      return `${digits.slice(0, 3)}-${digits.slice(3, 6)}-${digits.slice(6)}`
    },
  ),
  defineTask(
    'strip punctuation',
    'cleaning',
    [
      'Hello, world!',
      'Wait... what?',
      'Stop; now.',
      'Yes: no, maybe.',
      'Good (very) good',
      'A "quoted" word',
      'End. Begin!',
      'Why? Because.',
      'One, two; three',
      'So-so: fine.',
      'Go! Go! Go!',
      'Half, full.',
    ],
    (t) => t.replace(/[^A-Za-z ]/g, ''),
  ),
  defineTask(
    'slug',
    'cleaning',
    [
      'Hello, World!',
      'Spring Sale 2024',
      'What is new?',
      'Top 10 Ideas',
      'Read me: first',
      'Tips & Tricks',
      'Go big (or home)',
      'A day in May',
      'Cold, hard facts',
      'Lost & Found!',
      'Who is who?',
      'Plan B: run',
    ],
    (t) =>
      t
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '-')
        .replace(/^-|-$/g, ''),
  ),
  defineTask('drop vowels', 'cleaning', PHRASES, (t) => t.replace(/[aeiou]/g, '')),
  defineTask(
    'reverse text',
    'cleaning',
    PHRASES.map((p) => p.split(' ')[1] ?? ''),
    (t) => t.split('').toReversed().join(''),
  ),
]

/** Masking of secrets. */
export const maskingTasks = [
  defineTask(
    'card',
    'masking',
    [
      '4539 1488 0343 6467',
      '5500 0055 5555 5559',
      '3400 0000 0000 0094',
      '6011 0009 9013 9424',
      '4024 0071 2345 9821',
      '5105 1051 0510 5100',
      '4111 2222 3333 4444',
      '4539 9999 1234 0001',
      '5432 1098 7654 3210',
      '6011 6011 6011 6611',
      '4000 1234 5678 9017',
      '5200 8282 8282 8210',
    ],
    (t) => `**** **** **** ${t.slice(-4)}`,
  ),
  defineTask('last four', 'masking', ACCOUNT_NUMBERS, (t) => `****${t.slice(-4)}`),
  defineTask('stars of same length', 'masking', ACCOUNT_NUMBERS, (t) => '*'.repeat(t.length - 4) + t.slice(-4)),
  defineTask(
    'mask digits',
    'masking',
    [
      'Call 555 201',
      'PIN 8841 set',
      'Room 12, bed 3',
      'Code A7B9',
      'Line 40',
      'Gate 7 at 19:30',
      'Order 90017',
      'Seat 14F',
      'Ext 204',
      'Bus 88 or 89',
      'No 5',
      'Flat 3, 2nd floor',
    ],
    (t) => t.replace(/\d/g, '#'),
  ),
  defineTask(
    'mask mail',
    'masking',
    [
      'ines.moreau@northwind.io',
      'tobias@lindqvist.se',
      'tanaka@kyoto-labs.jp',
      'sales@adeyemi-group.com',
      'greta_holm@fjord.no',
      'pavel.novak@example.org',
      'carla@benedetti.it',
      'support@haddad.co',
      'ruth.o@lagosnet.ng',
      'jonas.vogel@werk.de',
    ],
    (t) => `${t.slice(0, 1)}***@${t.split('@')[1]}`,
  ),
  defineTask('name with stars', 'masking', PEOPLE, (n) =>
    n
      .split(' ')
      .map((w) => `${w.slice(0, 1)}***`)
      .join(' '),
  ),
]
