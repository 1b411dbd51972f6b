import { MONTH_NAMES } from '../../core/compile/language/primitives/dates/date-text.ts'

/** Made-up inputs that several tasks share. */
export const PEOPLE = [
  'Ines Moreau',
  'Tobias Lindqvist',
  'Mei Tanaka',
  'Oluwaseun Adeyemi',
  'Greta Holm',
  'Pavel Novak',
  'Carla Benedetti',
  'Samir Haddad',
  'Ruth Okafor',
  'Jonas Vogel',
  'Lucia Ferreira',
  'Dmitri Sokolov',
] as const

export const LONG_NAMES = [
  'Ana Lucia Prado',
  'Erik Johansson',
  'Maria del Carmen Ortiz',
  'Wei Chen',
  'Jean Paul Roche',
  'Amira Khalil',
  'Peter John Albert Moss',
  'Yuki Sato',
  'Nora Lee Hart',
  'Ivan Petrov',
  'Sofia Rose Bell',
  'Omar Nasser',
] as const

export const EMAILS = [
  'ines.moreau@northwind.io',
  'tobias@lindqvist.se',
  'm.tanaka@kyoto-labs.jp',
  'sales@adeyemi-group.com',
  'greta_holm@fjord.no',
  'pavel.novak@example.org',
  'carla@benedetti.it',
  'support@haddad.co',
  'ruth.o@lagosnet.ng',
  'jonas.vogel@werk.de',
  'l.ferreira@mar.pt',
  'dsokolov@zavod.ru',
] as const

export const ISO_DATES = [
  '2023-01-05',
  '2024-11-30',
  '2022-07-14',
  '2021-12-01',
  '2023-03-09',
  '2020-02-29',
  '2019-08-21',
  '2024-05-17',
  '2018-10-03',
  '2025-06-26',
  '2017-04-11',
  '2022-09-08',
] as const

export const AMOUNTS = [
  1234.5, 87.256, 15000, 0.5, 999.999, 42, 1250000.75, 3.14159, 7800.1, 61.005, 250, 19999.99,
] as const

export const URLS = [
  'https://shop.example.com/items/4821?ref=mail',
  'http://www.northwind.io/about/team',
  'https://docs.fjord.no/v2/start?lang=en',
  'https://werk.de/katalog/rohre/index.html',
  'http://mar.pt/peixe/12?sort=price',
  'https://blog.kyoto-labs.jp/2024/05/robots',
  'https://lagosnet.ng/prices/all?page=3',
  'http://files.zavod.ru/pub/manual.pdf',
  'https://benedetti.it/menu/cena',
  'https://api.haddad.co/v1/users/77?full=1',
  'http://example.org/a/b/c',
  'https://www.lindqvist.se/kontakt/oss',
] as const

export const PHRASES = [
  'quarterly sales report',
  'new user sign up',
  'reset the main switch',
  'blue cotton shirt',
  'order status page',
  'monthly invoice total',
  'north gate camera feed',
  'return policy update',
  'daily backup log',
  'open support tickets',
  'vendor price list',
  'team holiday plan',
] as const

export const PRODUCT_CODES = [
  'SKU-48213-RED',
  'SKU-771-BLUE',
  'SKU-90210-GREEN',
  'SKU-5-BLACK',
  'SKU-33018-WHITE',
  'SKU-640-PINK',
  'SKU-1299-GREY',
  'SKU-87-TEAL',
  'SKU-20457-GOLD',
  'SKU-3316-NAVY',
  'SKU-918-LIME',
  'SKU-7-OCHRE',
] as const

/** The day of an ISO date as UTC. */
export function utcDay(isoDate: string): Date {
  return new Date(`${isoDate}T00:00:00Z`)
}

/** The parts of an ISO date as written. */
export function dateParts(isoDate: string): { year: string; month: string; day: string } {
  return { year: isoDate.slice(0, 4), month: isoDate.slice(5, 7), day: isoDate.slice(8, 10) }
}

/** The days as `getUTCDay` counts them. */
export const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const

/** The name of a month, from 1. */
export function monthName(month: number): string {
  return MONTH_NAMES[month - 1] ?? ''
}

/** The first letter upper case, the rest lower case. */
export function capitalize(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase()
}

/** The digits before the decimal point in groups of three. */
export function groupThousands(value: number, decimals: number): string {
  return value.toLocaleString('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
}
