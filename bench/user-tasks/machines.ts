import type { Random } from '../../core/model/random.ts'
import { between, digits, drawnTask, happens, oneOf, two, type DrawnTask } from '../small-sets/drawn-task.ts'
import { LEVELS, WORDS } from './words.ts'

const word = (random: Random): string => oneOf(random, WORDS)
const clock = (random: Random): string =>
  `2024-${two(between(random, 1, 12))}-${two(between(random, 1, 28))} ${two(between(random, 0, 23))}:${two(between(random, 0, 59))}:${two(between(random, 0, 59))}`
const ip = (random: Random): string => Array.from({ length: 4 }, () => between(random, 1, 254)).join('.')
const path = (random: Random): string =>
  `/${oneOf(random, ['home', 'srv', 'var'])}/${word(random)}${happens(random, 60) ? `/${word(random)}` : ''}/${word(random)}_${word(random)}.${oneOf(random, ['pdf', 'docx', 'tar.gz', 'csv'])}`
const url = (random: Random): string =>
  `${oneOf(random, ['https', 'http'])}://${oneOf(random, ['www.', 'shop.', ''])}${word(random)}-${word(random)}.${oneOf(random, ['com', 'org', 'co.uk'])}/${word(random)}/${between(random, 1, 9999)}${happens(random, 50) ? `?ref=${word(random)}` : ''}`
const log = (random: Random): string =>
  `${clock(random)} [${oneOf(random, LEVELS)}] ${word(random)}: took ${between(random, 1, 4000)}ms for user=${word(random)}${between(random, 1, 99)}`
const access = (random: Random): string =>
  `${ip(random)} - - [${two(between(random, 1, 28))}/Mar/2024:${two(between(random, 0, 23))}:${two(between(random, 0, 59))}:10 +0000] "${oneOf(random, ['GET', 'POST'])} /${word(random)}/${word(random)} HTTP/1.1" ${oneOf(random, [200, 404, 500, 301])} ${between(random, 1, 99_999)}`
const base = (text: string): string => text.split('/').at(-1) ?? ''
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Ids, paths, links and lines of logs. */
export const machineTasks: readonly DrawnTask[] = [
  drawnTask(
    'ids',
    'order number filled with zeros',
    (r) => between(r, 1, 99_999),
    (n) => `ORD-${String(n).padStart(6, '0')}`,
  ),
  drawnTask(
    'ids',
    'order number without zeros',
    (r) => `INV${String(between(r, 1, 99_999)).padStart(7, '0')}`,
    (t) => t.replace(/^INV0*/, ''),
  ),
  drawnTask(
    'ids',
    'IBAN in groups of four',
    (r) => `DE${digits(r, 10)}${digits(r, 10)}`,
    (t) => t.replace(/(.{4})(?=.)/g, '$1 '),
  ),
  drawnTask(
    'ids',
    'bank code of an IBAN',
    (r) => `DE${digits(r, 2)} ${digits(r, 4)} ${digits(r, 4)} ${digits(r, 4)} ${digits(r, 4)} ${digits(r, 2)}`,
    (t) => t.slice(5, 14).replace(' ', ''),
  ),
  drawnTask(
    'ids',
    'article code, parts turned',
    (r) => `${oneOf(r, ['red', 'blue', 'green'])}/${oneOf(r, ['S', 'M', 'XL', 'XXL'])}/${digits(r, 4)}`,
    (t) => {
      const [colour = '', size = '', number = ''] = t.split('/')
      return `${number}-${size}-${colour.toUpperCase()}`
    },
  ),
  drawnTask('paths', 'file name', path, base),
  drawnTask('paths', 'file name without its first ending', path, (p) => base(p).split('.')[0] ?? ''),
  drawnTask('paths', 'folder', path, (p) => p.slice(0, p.lastIndexOf('/'))),
  drawnTask(
    'paths',
    'Windows path',
    (r) => path(r),
    (p) => `C:${p.replace(/\//g, '\\')}`,
  ),
  drawnTask('paths', 'title of a file name', path, (p) =>
    (base(p).split('.')[0] ?? '').split('_').map(capital).join(' '),
  ),
  drawnTask('links', 'host', url, (u) => u.split('/')[2] ?? ''),
  drawnTask('links', 'host without www', url, (u) => (u.split('/')[2] ?? '').replace(/^www\./, '')),
  drawnTask('links', 'number in a path', url, (u) => /\/(\d+)/.exec(u)?.[1] ?? ''),
  drawnTask('links', 'without the query', url, (u) => u.split('?')[0] ?? ''),
  drawnTask('links', 'value of ref, or nothing', url, (u) => u.split('?ref=')[1] ?? ''),
  drawnTask(
    'links',
    'slug of a title',
    (r) =>
      `${capital(word(r))} ${word(r)}${oneOf(r, [': ', ' - ', ', ', ' '])}${capital(word(r))} ${between(r, 1, 30)}`,
    (t) => t.toLowerCase().replace(/[^a-z0-9]+/g, '-'),
  ),
  drawnTask('logs', 'level', log, (l) => /\[(\w+)\]/.exec(l)?.[1] ?? ''),
  drawnTask('logs', 'milliseconds as a number', log, (l) => Number(/took (\d+)ms/.exec(l)?.[1])),
  drawnTask('logs', 'user', log, (l) => /user=(\w+)/.exec(l)?.[1] ?? ''),
  drawnTask('logs', 'time and component', log, (l) => `${l.slice(11, 19)} ${/\] (\w+):/.exec(l)?.[1] ?? ''}`),
  drawnTask('logs', 'is an error', log, (l) => l.includes('[ERROR]')),
  drawnTask('logs', 'status of an access line', access, (l) => /" (\d{3}) /.exec(l)?.[1] ?? ''),
  drawnTask('logs', 'method and path', access, (l) => /"(.*) HTTP/.exec(l)?.[1] ?? ''),
  drawnTask('logs', 'network of an address', ip, (a) => `${a.slice(0, a.lastIndexOf('.'))}.0/24`),
]
