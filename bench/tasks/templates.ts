import { defineTask } from './task.ts'

const games = [
  { guest: 'Otters', guest_points: 21, host: 'Ravens', host_points: 14 },
  { guest: 'Moose', guest_points: 7, host: 'Crows', host_points: 10 },
  { guest: 'Bison', guest_points: 30, host: 'Elks', host_points: 3 },
  { guest: 'Lynx', guest_points: 13, host: 'Hares', host_points: 20 },
  { guest: 'Orcas', guest_points: 17, host: 'Seals', host_points: 16 },
  { guest: 'Cranes', guest_points: 0, host: 'Terns', host_points: 6 },
  { guest: 'Boars', guest_points: 9, host: 'Stags', host_points: 24 },
  { guest: 'Asps', guest_points: 28, host: 'Vipers', host_points: 27 },
  { guest: 'Geckos', guest_points: 2, host: 'Skinks', host_points: 5 },
  { guest: 'Wasps', guest_points: 12, host: 'Bees', host_points: 11 },
]
const dishes = [
  { dish: 'Soup', price: '4.20' },
  { dish: 'Omelette', price: '9.80' },
  { dish: 'Pie', price: '12.40' },
  { dish: 'Salad', price: '7.00' },
  { dish: 'Bread roll', price: '1.10' },
  { dish: 'Steak', price: '23.50' },
  { dish: 'Tea', price: '2.00' },
  { dish: 'Pancakes', price: '8.75' },
  { dish: 'Rice', price: '3.30' },
  { dish: 'Lobster', price: '41.00' },
]
const places = [
  { street: '4 Elm Row', town: 'Leeds', country: 'UK' },
  { street: '', town: 'Lyon', country: 'France' },
  { street: '9 Hill St', town: '', country: 'Ireland' },
  { street: '12 Bay Rd', town: 'Cork', country: '' },
  { street: '7 Mill Ln', town: 'York', country: 'UK' },
  { street: '', town: '', country: 'Spain' },
  { street: '', town: 'Porto', country: '' },
  { street: '3 Oak Ave', town: 'Bath', country: 'UK' },
  { street: '1 Quay', town: '', country: '' },
  { street: '', town: 'Graz', country: 'Austria' },
]
const notes = [
  'Call the supplier about the late parcel',
  'Buy milk',
  'Water the plants on the balcony today',
  'Pay rent',
  'Prepare the slides for the board meeting',
  'Book a table',
  'Renew the passport before the summer trip',
  'Fix the door',
  'Ask the landlord about the broken heating',
  'Post letters',
]
const loans = [
  { lent: '2024-02-20', days: 14 },
  { lent: '2023-12-30', days: 7 },
  { lent: '2024-05-01', days: 30 },
  { lent: '2025-01-15', days: 21 },
  { lent: '2024-08-09', days: 3 },
  { lent: '2022-11-11', days: 60 },
  { lent: '2024-02-28', days: 2 },
  { lent: '2023-06-30', days: 10 },
]
const dueOf = ({ lent, days }: { lent: string; days: number }) =>
  new Date(Date.parse(`${lent}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)
const stamps = [
  '2024-03-05T10:15:00+01:00',
  '2024-07-19T22:40:00-04:00',
  '2023-11-30T00:05:00+02:00',
  '2025-02-14T17:00:00+00:00',
  '2022-09-01T08:30:00-07:00',
  '2024-12-31T23:59:00-01:00',
  '2023-05-08T03:20:00+05:30',
  '2024-01-01T12:00:00+09:00',
]
const times = ['08:02', '13:20', '09:45', '17:38', '11:16', '06:59', '20:30', '15:07', '10:53', '22:22']
const nextQuarter = (time: string) => {
  const total = Math.ceil((Number(time.slice(0, 2)) * 60 + Number(time.slice(3))) / 15) * 15
  return `${String(Math.floor(total / 60)).padStart(2, '0')}:${String(total % 60).padStart(2, '0')}`
}
const words = ['Fig', 'Walnut', 'Plum', 'Apricot', 'Date', 'Cherry', 'Pear', 'Elderberry', 'Kiwi', 'Mango']
const scores = ['3.4', '1.9', '5.0', '2.2', '4.8', '1.0', '2.9', '3.0', '4.1', '5.0']
const phones = [
  '(555) 201-8834',
  '555.990.1172',
  '5553408876',
  '555-712-0034',
  '555 640 2209',
  '(555) 812-9930',
  '5554041188',
  '555.230.9981',
]
const shops = [
  '+1 555-201-8834',
  '414.990.1172',
  '1-302-340-8876',
  '4158129930',
  '(555) 712-0034',
  '+1 (208) 640-2209',
  '1 617 404 1188',
]
const digitsOf = (text: string) => text.replace(/\D/g, '').slice(-10)
const queries = [
  'id=7&lang=en&user=ann',
  'lang=fr&user=bo.b',
  'user=cy&id=31',
  'page=2&user=dee&lang=de',
  'user=e-d&x=1',
  'a=b&user=flo',
]
const contacts = words.map((word, i) => ({
  input: `${word.toUpperCase()} <${word.toLowerCase()}@${['mail', 'post'][i % 2]}.example> / ${i % 2 === 0 ? '+1 ' : ''}555-${200 + i * 7}-${4000 + i * 321}`,
  output: {
    name: word,
    email: `${word.toLowerCase()}@${['mail', 'post'][i % 2]}.example`,
    phone: `(555) ${200 + i * 7}-${4000 + i * 321}`,
  },
}))

/** Texts filled from several columns, cut, padded and put together from what is there. */
export const templateTasks = [
  defineTask('score line', 'templates', games, (g) => `${g.guest} ${g.guest_points} - ${g.host_points} ${g.host}`),
  defineTask(
    'points in all',
    'templates',
    games,
    (g) => `${g.guest_points}+${g.host_points}=${g.guest_points + g.host_points}`,
  ),
  defineTask('menu', 'templates', dishes, ({ dish, price }) => dish + price.padStart(24 - dish.length, '.')),
  defineTask('address of what is there', 'templates', places, ({ street, town, country }) =>
    [street, town, country].filter((part) => part !== '').join(', '),
  ),
  defineTask('short notes', 'templates', notes, (note) => (note.length > 16 ? `${note.slice(0, 16)}...` : note)),
  defineTask('due date', 'templates', loans, dueOf),
  defineTask(
    'to utc',
    'templates',
    stamps,
    (stamp) => `${new Date(stamp).toISOString().slice(0, 16).replace('T', ' ')}Z`,
  ),
  defineTask('next quarter of an hour', 'templates', times, nextQuarter),
  defineTask('underlined', 'templates', words, (word) => `${word}\n${'='.repeat(word.length)}`),
  defineTask('hash bars', 'templates', scores, (score) => '#'.repeat(Math.floor(Number(score)))),
  defineTask('phones of all kinds', 'templates', phones, (phone) =>
    digitsOf(phone).replace(/(...)(...)(....)/, '$1-$2-$3'),
  ),
  defineTask('phones with a code', 'templates', shops, (phone) =>
    digitsOf(phone).replace(/(...)(...)(....)/, '($1) $2-$3'),
  ),
  defineTask('user of a query', 'templates', queries, (query) => /user=([^&]*)/.exec(query)?.[1] ?? ''),
  { name: 'contact object', category: 'templates', examples: contacts },
]
