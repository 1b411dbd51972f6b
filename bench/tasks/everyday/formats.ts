import { capitalize, EMAILS, groupThousands, ISO_DATES, monthName, PEOPLE, PHRASES } from '../sources.ts'
import { defineTask } from '../task.ts'

const phones = [
  '5552018834',
  '5559901172',
  '5553408876',
  '5557120034',
  '5556402209',
  '5558129930',
  '5554041188',
  '5552309981',
  '5556104420',
  '5553332121',
]
const pairs = PEOPLE.map((_, i) => ({ before: 40 + i * 7, after: 52 + i * 5 }))
const parcels = PEOPLE.map((_, i) => ({ kind: ['letter', 'parcel', 'crate'][i % 3] ?? '', kg: 1 + ((i * 5) % 9) }))
const cents = ['1,50', '12,00', '0,99', '120,75', '7,25', '33,10', '250,00', '18,40', '5,05', '64,80']
const sizes = ['2 KB', '10 KB', '1.5 KB', '64 KB', '0.5 KB', '7 KB', '128 KB', '3 KB', '20 KB', '9 KB']
const stays = ISO_DATES.map((d, i) => ({
  from: d,
  to: `${d.slice(0, 8)}${String(Math.min(28, Number(d.slice(8)) + 2 + (i % 3))).padStart(2, '0')}`,
}))
const dayMonth = (d: string) => `${monthName(Number(d.slice(5, 7))).slice(0, 3)} ${Number(d.slice(8))}`
const durations = [
  '01:02:03',
  '00:10:00',
  '02:00:30',
  '00:00:45',
  '10:15:20',
  '00:59:59',
  '01:00:00',
  '03:30:00',
  '00:05:05',
  '12:12:12',
]

/** Formats of everyday data: phones, cards, measures, spans, rates. */
export const everydayFormats = [
  defineTask('phone with brackets', 'formats', phones, (p) => `(${p.slice(0, 3)}) ${p.slice(3, 6)}-${p.slice(6)}`),
  defineTask('country code', 'formats', phones, (p) => `+1${p}`),
  defineTask(
    'groups of four',
    'formats',
    [
      '4539148803436467',
      '5500005555555559',
      '3400000000000094',
      '6011000990139424',
      '4024007123459821',
      '5105105105105100',
      '4111222233334444',
      '4539999912340001',
      '5432109876543210',
      '6011601160116611',
    ],
    (c) => c.replace(/(\d{4})(?=\d)/g, '$1 '),
  ),
  defineTask(
    'hidden number',
    'formats',
    [
      '123-45-6789',
      '987-65-4321',
      '555-12-3434',
      '111-22-3333',
      '222-33-4444',
      '666-77-8888',
      '321-54-9876',
      '444-55-6666',
      '777-88-9999',
      '888-99-0000',
    ],
    (t) => `***-**-${t.slice(-4)}`,
  ),
  defineTask('percent change', 'formats', pairs, (r) => `${(((r.after - r.before) / r.before) * 100).toFixed(1)}%`),
  defineTask('difference', 'formats', pairs, (r) => r.after - r.before),
  defineTask('ratio', 'formats', pairs, (r) => (r.after / r.before).toFixed(2)),
  defineTask('comma cents', 'formats', cents, (t) => Number(t.replace(',', '.'))),
  defineTask('comma to point', 'formats', cents, (t) => `$${t.replace(',', '.')}`),
  defineTask('kilobytes', 'formats', sizes, (t) => Number(t.split(' ')[0]) * 1024),
  defineTask('date span', 'formats', stays, (s) => `${dayMonth(s.from)} - ${dayMonth(s.to)}`),
  defineTask('nights', 'formats', stays, (s) => `${Number(s.to.slice(8)) - Number(s.from.slice(8))} nights`),
  defineTask('seconds', 'formats', durations, (t) => {
    const [h = 0, m = 0, s = 0] = t.split(':').map(Number)
    return h * 3600 + m * 60 + s
  }),
  defineTask('postage', 'formats', parcels, (p) =>
    p.kind === 'letter' ? p.kg * 2 : p.kind === 'parcel' ? p.kg * 5 : p.kg * 9,
  ),
  defineTask(
    'camel to title',
    'formats',
    PHRASES.map((p) =>
      p
        .split(' ')
        .map((w, i) => (i === 0 ? w : capitalize(w)))
        .join(''),
    ),
    (c) => capitalize(c.replace(/[A-Z]/g, (m) => ` ${m}`).slice(0, 1)) + c.replace(/[A-Z]/g, (m) => ` ${m}`).slice(1),
  ),
  defineTask(
    'pascal to kebab',
    'formats',
    PHRASES.map((p) => p.split(' ').map(capitalize).join('')),
    (c) => c.replace(/[A-Z]/g, (m, at: number) => `${at > 0 ? '-' : ''}${m.toLowerCase()}`),
  ),
  defineTask(
    'no accents',
    'formats',
    ['José', 'Zoë', 'François', 'Müller', 'Ángel', 'Søren'.replace('ø', 'ö'), 'Renée', 'Björn', 'Chloé', 'Íñigo'],
    (t) => t.normalize('NFD').replace(/\p{M}/gu, ''),
  ),
  defineTask(
    'name and mail',
    'formats',
    PEOPLE.map((n, i) => `${n} <${EMAILS[i]}>`),
    (t) => t.slice(t.indexOf('<') + 1, -1),
  ),
  defineTask(
    'first sentence',
    'formats',
    [
      'It rains. We stay in.',
      'The sun is up. Birds sing. Go.',
      'No one came. Odd.',
      'Cold soup again. I left.',
      'We won. They lost.',
      'Keep calm. Carry on.',
      'I paid. Thanks a lot.',
      'A long day ends. Good night.',
      'Doors open. Mind the gap.',
      'The plan works. For now.',
    ],
    (t) => t.slice(0, t.indexOf('.') + 1),
  ),
  defineTask('second last word', 'formats', PHRASES, (t) => t.split(' ').at(-2) ?? ''),
  defineTask('thousands marked', 'formats', [1200, 45000, 980, 1_000_000, 77, 23_456, 505_050, 8, 31_000, 400], (n) =>
    groupThousands(n, 0),
  ),
  defineTask(
    'kilometres',
    'formats',
    [
      '3 miles',
      '10 miles',
      '26.2 miles',
      '1 miles',
      '5 miles',
      '100 miles',
      '0.5 miles',
      '12 miles',
      '7.5 miles',
      '60 miles',
    ],
    (t) => `${(Number(t.split(' ')[0]) * 1.6).toFixed(1)} km`,
  ),
  defineTask(
    'roman',
    'formats',
    [4, 9, 14, 40, 99, 3, 58, 21, 6, 400],
    (n) =>
      [
        [400, 'CD'],
        [100, 'C'],
        [90, 'XC'],
        [50, 'L'],
        [40, 'XL'],
        [10, 'X'],
        [9, 'IX'],
        [5, 'V'],
        [4, 'IV'],
        [1, 'I'],
      ].reduce<[string, number]>(
        ([text, rest], [value, sign]) => {
          const times = Math.floor(rest / Number(value))
          return [text + String(sign).repeat(times), rest - times * Number(value)]
        },
        ['', n],
      )[0],
  ),
  defineTask(
    'weighted score',
    'formats',
    PEOPLE.map((_, i) => ({ exam: 50 + ((i * 13) % 50), work: 40 + ((i * 17) % 60) })),
    (r) => Math.round((r.exam * 0.7 + r.work * 0.3) * 10) / 10,
  ),
  defineTask(
    'padded time',
    'formats',
    ['9:5', '13:30', '0:7', '23:59', '7:45', '11:1', '4:20', '16:8', '2:2', '20:00'],
    (t) =>
      t
        .split(':')
        .map((p) => p.padStart(2, '0'))
        .join(':'),
  ),
  defineTask(
    'key values',
    'formats',
    PEOPLE.map((n, i) => ({ name: n, age: 20 + i })),
    (r) => `name=${r.name};age=${r.age}`,
  ),
  defineTask(
    'yes and no',
    'formats',
    PEOPLE.map((n, i) => ({ name: n, active: i % 3 !== 1 })),
    (r) => (r.active ? 'Yes' : 'No'),
  ),
  defineTask(
    'id and slug',
    'formats',
    PHRASES.map((p, i) => ({ id: 10 + i * 3, title: p.split(' ').map(capitalize).join(' ') })),
    (r) => `${r.id}-${r.title.toLowerCase().replaceAll(' ', '-')}`,
  ),
  defineTask('list of words', 'formats', PHRASES, (p) => p.split(' ').map(capitalize)),
  defineTask(
    'sorted letters',
    'formats',
    ['banana', 'tree', 'zoo', 'apple', 'hello', 'cat', 'world', 'queue', 'sun', 'letter'],
    (t) => t.split('').toSorted().join(''),
  ),
  defineTask(
    'city of address',
    'formats',
    PEOPLE.map(
      (_, i) =>
        `${10 + i} Main St; ${['Oslo', 'New Bern', 'Lima', 'San Remo'][i % 4]}; ${['NO', 'US', 'PE', 'IT'][i % 4]}`,
    ),
    (t) => `${t.split('; ')[1]} (${t.split('; ')[2]})`,
  ),
  defineTask(
    'at least three',
    'formats',
    [
      ['a'],
      ['a', 'b', 'c'],
      [],
      ['x', 'y'],
      ['p', 'q', 'r', 's'],
      ['m'],
      ['1', '2', '3'],
      ['k', 'l'],
      ['a', 'b', 'c', 'd', 'e'],
      ['z'],
    ],
    (l) => l.length >= 3,
  ),
  defineTask(
    'total of list',
    'formats',
    ['3+4+5', '10+20', '7', '1+1+1+1', '100+5', '8+0', '6+6', '2+3', '50+25+25', '9'],
    (t) => t.split('+').reduce((sum, n) => sum + Number(n), 0),
  ),
  defineTask(
    'even numbers',
    'formats',
    [[1, 2, 3, 4], [5, 7, 8], [10, 12], [3, 9], [6], [11, 14, 15, 16], [2, 2, 5], [21, 22], [40, 41, 42], [13]],
    (l) => l.filter((n) => n % 2 === 0),
  ),
]
