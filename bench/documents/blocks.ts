import type { Random } from '../../core/model/random.ts'
import { between, digits, happens, oneOf, someOf } from '../small-sets/drawn-task.ts'
import { CITIES, FIRMS, ITEMS, STREETS, TAGS } from '../small-sets/words.ts'
import { contact, type Document, documentTask, hex, isoDay, paragraph, sentence, some } from './document-task.ts'

interface Settings {
  readonly port: string
  readonly host: string
  readonly timeout: string
}

const SECTIONS = ['server', 'database', 'cache', 'mail', 'metrics', 'search', 'queue', 'storage'] as const

function settingsFile(random: Random): Document<Settings> {
  let facts: Settings = { port: '', host: '', timeout: '' }
  const sections = someOf(random, SECTIONS, SECTIONS.length).map((name) => {
    const own = {
      host: `${oneOf(random, FIRMS)}-${between(random, 1, 30)}.internal`,
      port: digits(random, 4),
      timeout: `${between(random, 1, 90)}s`,
    }
    if (name === 'database') facts = own
    const lines = [
      `host = ${own.host}`,
      `port = ${own.port}`,
      `timeout = ${own.timeout}`,
      ...some(random, 8, 60, (at) => `${oneOf(random, ITEMS)}_${at} = ${hex(random, 12)}`),
      ...some(random, 1, 20, () => `# ${sentence(random)}`),
    ]
    return [`[${name}]`, ...someOf(random, lines, lines.length)].join('\n')
  })
  return { text: `# written ${isoDay(random)}\n\n${sections.join('\n\n')}\n`, facts }
}

interface Card {
  readonly Name: string
  readonly Phone?: string
  readonly City: string
  readonly Notes?: string
}

/** Records of labelled lines, parted by empty lines; some lines are missing. */
function contacts(random: Random): Document<readonly Card[]> {
  const facts: Card[] = []
  const records = some(random, 60, 900, () => {
    const Name = contact(random).name
    const Phone = happens(random, 70) ? `+${digits(random, 11)}` : undefined
    const City = oneOf(random, CITIES)
    const Notes = happens(random, 40) ? sentence(random) : undefined
    facts.push({ Name, ...(Phone === undefined ? {} : { Phone }), City, ...(Notes === undefined ? {} : { Notes }) })
    return [
      `Name: ${Name}`,
      ...(Phone === undefined ? [] : [`Phone: ${Phone}`]),
      `Street: ${between(random, 1, 99)} ${oneOf(random, STREETS)}`,
      `City: ${City}`,
      ...(Notes === undefined ? [] : [`Notes: ${Notes}`]),
    ].join('\n')
  })
  return { text: `Address book, ${facts.length} entries\n\n${records.join('\n\n')}\n`, facts }
}

interface Report {
  readonly reporter: string
  readonly summary: string
  readonly steps: string
  readonly severity: string
  readonly workaround: string | null
}

/** A report of labelled values that span lines, among other labels that come and go. */
function bugReport(random: Random): Document<Report> {
  const reporter = contact(random).name
  const summary = sentence(random)
  const steps = some(random, 2, 9, (at) => `${at + 1}. ${sentence(random)}`).join('\n')
  const severity = oneOf(random, ['low', 'medium', 'high', 'critical'])
  const workaround = happens(random, 50) ? some(random, 1, 3, () => sentence(random)).join('\n') : null
  const text = [
    `Report ${digits(random, 5)}`,
    `Reporter: ${reporter}`,
    ...(happens(random, 50) ? [`Assignee: ${contact(random).name}`] : []),
    `Summary: ${summary}`,
    `Environment: ${oneOf(random, FIRMS)} ${between(random, 1, 9)}.${between(random, 0, 9)}`,
    `Steps to reproduce:\n${steps}`,
    ...(workaround === null ? [] : [`Workaround:\n${workaround}`]),
    `Severity: ${severity}`,
    ...(happens(random, 50) ? [`Labels: ${someOf(random, TAGS, 3).join(', ')}`] : []),
    `Log:\n${some(random, 60, 900, () => `  ${hex(random, 8)} ${sentence(random)}`).join('\n')}`,
  ].join('\n')
  return { text, facts: { reporter, summary, steps, severity, workaround } }
}

interface Entry {
  readonly key: string
  readonly title: string
  readonly year: string
}

function bibliography(random: Random): Document<readonly Entry[]> {
  const facts = some(random, 20, 400, () => ({
    key: `${contact(random).first.toLowerCase()}${between(random, 1980, 2025)}${oneOf(random, ITEMS)}`,
    title: sentence(random).slice(0, -1),
    year: String(between(random, 1980, 2025)),
  }))
  const entries = facts.map(({ key, title, year }) => {
    const fields = [
      `  author = {${contact(random).name} and ${contact(random).name}}`,
      `  title = {${title}}`,
      `  year = {${year}}`,
      `  publisher = {${oneOf(random, FIRMS)} press}`,
      ...(happens(random, 50) ? [`  pages = {${digits(random, 2)}--${digits(random, 3)}}`] : []),
    ]
    return `@${oneOf(random, ['article', 'book', 'misc'])}{${key},\n${someOf(random, fields, 5).join(',\n')}\n}`
  })
  return { text: `% ${paragraph(random)}\n\n${entries.join('\n\n')}\n`, facts }
}

/** Facts out of labelled lines, settings and records. */
export const BLOCKS = [
  documentTask('blocks', 'port of the database', settingsFile, ({ port }) => port),
  documentTask('blocks', 'cities of an address book', contacts, (cards) => cards.map(({ City }) => City)),
  documentTask('blocks', 'cards of an address book', contacts, (cards) => cards.map((card) => ({ ...card }))),
  documentTask('blocks', 'steps of a report', bugReport, ({ steps }) => steps),
  documentTask('blocks', 'fields of a report', bugReport, ({ reporter, summary, severity, workaround }) => ({
    reporter,
    summary,
    severity,
    workaround,
  })),
  documentTask('blocks', 'entries of a bibliography', bibliography, (entries) => entries.map((one) => ({ ...one }))),
]
