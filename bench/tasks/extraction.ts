import { EMAILS, LONG_NAMES, PEOPLE, PRODUCT_CODES, URLS } from './sources.ts'
import { defineTask } from './task.ts'

const notes = [
  'Delivered 14 boxes on Monday', 'Shipped 3 crates to Oslo', 'Returned 27 items, damaged', 'Counted 8 pallets', 'Moved 112 bags today', 'Lost 1 envelope',
  'Sold 46 lamps in May', 'Packed 59 chairs', 'Found 6 keys', 'Ordered 73 cables for lab', 'Fixed 21 bikes', 'Washed 90 plates',
]
const tickets = [
  'Please check [OPS-221] today', 'See [WEB-9] for details', 'Blocked by [API-4410]', 'Fixes [DB-73] and more', 'Follow up on [OPS-8]', 'Related to [UX-190] maybe',
  'Merge [WEB-555]', 'Close [API-12] please', 'Look at [DB-3001] now', 'Reopen [UX-7]', 'Test [OPS-64] again', 'Ship [WEB-31]',
]
const files = [
  '/home/ana/report.final.pdf', '/var/log/system.log', '/srv/media/clip.mp4', '/tmp/a.tar.gz', '/home/erik/notes.txt', '/opt/app/config.yaml',
  '/data/2024/sales.csv', '/usr/share/icons/bell.svg', '/home/wei/photo.old.jpeg', '/etc/hosts.conf', '/mnt/disk/backup.zip', '/root/todo.md',
]
const logs = [
  '2024-03-01 10:15:22 ERROR [auth] Token expired for user 118', '2024-03-01 10:16:02 INFO [mail] Sent 12 messages',
  '2024-03-02 08:00:41 WARN [disk] Usage at 91 percent', '2024-03-02 23:59:59 ERROR [pay] Card refused for order 7710',
  '2024-03-03 04:12:10 INFO [auth] Login of user 9', '2024-03-03 11:45:00 DEBUG [cache] Evicted 300 keys',
  '2024-03-04 17:30:18 WARN [mail] Retry 2 of 5', '2024-03-05 06:06:06 ERROR [disk] Read failed on sdb', '2024-03-05 12:01:55 INFO [pay] Refund of order 42',
  '2024-03-06 19:19:19 DEBUG [auth] Key rotated', '2024-03-07 21:20:03 INFO [cache] Warm after 8 s', '2024-03-08 01:02:03 WARN [pay] Slow answer',
]
const addresses = [
  '12 Elm Street, Dover, DE 19901', '480 Harbor Road, Salem, OR 97301', '7 Lake View, Boise, ID 83702', '1551 Pine Avenue, Austin, TX 73301',
  '23 Mill Lane, Helena, MT 59601', '900 First Street, Albany, NY 12207', '61 Garden Court, Macon, GA 31201', '3300 Old Mill Way, Provo, UT 84601',
  '18 Beacon Hill, Bangor, ME 04401', '275 Sunset Drive, Mesa, AZ 85201', '5 Orchard Close, Fargo, ND 58102', '77 River Bend, Tulsa, OK 74103',
]

/** Pieces taken out of longer texts. */
export const extractionTasks = [
  defineTask('mail domain', 'extraction', EMAILS, (e) => e.split('@')[1] ?? ''),
  defineTask('mail user', 'extraction', EMAILS, (e) => e.split('@')[0] ?? ''),
  defineTask('mail top domain', 'extraction', EMAILS, (e) => e.slice(e.lastIndexOf('.') + 1)),
  defineTask('url host', 'extraction', URLS, (u) => u.split('/')[2] ?? ''),
  defineTask('url path', 'extraction', URLS, (u) => (u.split('?')[0] ?? '').split('/').slice(3).join('/')),
  defineTask('url protocol', 'extraction', URLS, (u) => u.split(':')[0] ?? ''),
  defineTask('code number', 'extraction', PRODUCT_CODES, (c) => c.split('-')[1] ?? ''),
  defineTask('code color lower', 'extraction', PRODUCT_CODES, (c) => (c.split('-')[2] ?? '').toLowerCase()),
  defineTask('code both', 'extraction', PRODUCT_CODES, (c) => `${c.split('-')[2]} (${c.split('-')[1]})`),
  defineTask('count in note', 'extraction', notes, (n) => Number(/\d+/.exec(n)?.[0])),
  defineTask('thing in note', 'extraction', notes, (n) => n.split(' ')[2]?.replace(',', '') ?? ''),
  defineTask('ticket', 'extraction', tickets, (t) => /\[(.*?)\]/.exec(t)?.[1] ?? ''),
  defineTask('ticket number', 'extraction', tickets, (t) => Number(/-(\d+)\]/.exec(t)?.[1])),
  defineTask('file name', 'extraction', files, (f) => f.slice(f.lastIndexOf('/') + 1)),
  defineTask('file extension', 'extraction', files, (f) => f.slice(f.lastIndexOf('.') + 1)),
  defineTask('folder', 'extraction', files, (f) => f.slice(0, f.lastIndexOf('/'))),
  defineTask('log level', 'extraction', logs, (l) => l.split(' ')[2] ?? ''),
  defineTask('log part and text', 'extraction', logs, (l) => l.slice(l.indexOf('[') + 1).replace('] ', ': ')),
  defineTask('log time', 'extraction', logs, (l) => l.slice(11, 16)),
  defineTask('zip', 'extraction', addresses, (a) => a.slice(-5)),
  defineTask('city', 'extraction', addresses, (a) => a.split(', ')[1] ?? ''),
  defineTask('state and city', 'extraction', addresses, (a) => `${a.slice(-8, -6)}/${a.split(', ')[1]}`),
  defineTask('house number', 'extraction', addresses, (a) => Number(a.split(' ')[0])),
  defineTask('last name', 'extraction', LONG_NAMES, (n) => n.split(' ').at(-1) ?? ''),
  defineTask('short name', 'extraction', PEOPLE, (n) => `${n.slice(0, 1)}. ${n.split(' ')[1]}`),
  defineTask('first and last', 'extraction', LONG_NAMES, (n) => `${n.split(' ')[0]} ${n.split(' ').at(-1)}`),
  defineTask('second word', 'extraction', notes, (n) => n.split(' ')[1] ?? ''),
  defineTask('hashtags', 'extraction', ['Sun and #sea today', 'My #cat sleeps', 'All #work no play', 'I love #mondays not', 'Long #run done', 'See #you there', 'Old #town walk', 'Big #news now', 'The #end is here', 'Hot #soup for two'], (t) => /#\w+/.exec(t)?.[0] ?? ''),
]
