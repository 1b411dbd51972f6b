import type { Random } from '../../core/model/random.ts'
import { digits, happens, oneOf } from '../small-sets/drawn-task.ts'
import { CITIES, FIRMS, ITEMS, TAGS } from '../small-sets/words.ts'
import { contact, type Document, documentTask, isoDay, money, paragraph, sentence, some } from './document-task.ts'

interface Row {
  readonly id: string
  readonly city: string
  readonly amount: string
}

function drawRows(random: Random, low: number, high: number): Row[] {
  return some(random, low, high, () => ({
    id: `${oneOf(random, ['N', 'S', 'E', 'W'])}-${digits(random, 4)}`,
    city: oneOf(random, CITIES),
    amount: money(random, 1, 50_000),
  }))
}

/** A report in Markdown with a table in its middle. */
function markdown(random: Random): Document<{ readonly rows: readonly Row[]; readonly todo: readonly string[] }> {
  const rows = drawRows(random, 10, 300)
  const todo = some(random, 2, 12, () => `${sentence(random).slice(0, -1)} (${contact(random).first})`)
  const text = [
    `# Sales of ${oneOf(random, FIRMS)}`,
    ...some(random, 5, 60, () => paragraph(random)),
    '## Risks',
    some(random, 2, 12, () => `- ${sentence(random)}`).join('\n'),
    '## Figures',
    [
      '| Order | City | Amount |',
      '| --- | --- | ---: |',
      ...rows.map((row) => `| ${row.id} | ${row.city} | ${row.amount} |`),
    ].join('\n'),
    '## Next steps',
    todo.map((one) => `- ${one}`).join('\n'),
    '## Notes',
    some(random, 2, 12, () => `- ${sentence(random)}`).join('\n'),
    ...some(random, 5, 60, () => paragraph(random)),
  ].join('\n\n')
  return { text, facts: { rows, todo } }
}

/** Values parted by commas behind a head of other lines. */
function exported(random: Random): Document<readonly Row[]> {
  const rows = drawRows(random, 90, 2000)
  const text = [
    `Export of ${isoDay(random)}`,
    `User: ${contact(random).name}`,
    `Filter: city in ${oneOf(random, CITIES)}, ${oneOf(random, CITIES)}`,
    '',
    'order,created,city,note,amount',
    ...rows.map(
      (row) => `${row.id},${isoDay(random)},${row.city},${oneOf(random, TAGS)} ${oneOf(random, ITEMS)},"${row.amount}"`,
    ),
    '',
    `${rows.length} rows`,
  ].join('\r\n')
  return { text, facts: rows }
}

/** The answer of a query, in columns between bars, after a session with other commands. */
function query(random: Random): Document<{ readonly rows: readonly Row[]; readonly count: string }> {
  const rows = drawRows(random, 10, 400)
  const line = (id: string, city: string, amount: string) =>
    ` ${id.padEnd(7)} | ${city.padEnd(10)} | ${amount.padStart(10)} `
  const text = [
    ...some(random, 20, 300, () => `db=> -- ${sentence(random)}\nSET`),
    'db=> select id, city, amount from orders;',
    line('id', 'city', 'amount'),
    `${'-'.repeat(9)}+${'-'.repeat(12)}+${'-'.repeat(12)}`,
    ...rows.map(({ id, city, amount }) => line(id, city, amount)),
    `(${rows.length} rows)`,
    '',
    ...some(random, 20, 300, () => `db=> -- ${sentence(random)}\nSET`),
  ].join('\n')
  return { text, facts: { rows, count: String(rows.length) } }
}

/** A transcript: turns of speakers, some of several lines. */
function transcript(random: Random): Document<readonly { readonly speaker: string; readonly text: string }[]> {
  const speakers = some(random, 2, 4, () => contact(random).first.toUpperCase())
  const turns = some(random, 40, 300, () => ({
    speaker: oneOf(random, speakers),
    text: some(random, 1, happens(random, 30) ? 3 : 1, () => paragraph(random, 1, 3)).join('\n'),
  }))
  const text = `Hearing of ${isoDay(random)}\n\n${turns.map((turn) => `<<${turn.speaker}>> ${turn.text}`).join('\n\n')}\n\nEnd of the hearing\n`
  return { text, facts: turns }
}

/** Facts out of tables and lists in texts. */
export const TABLES = [
  documentTask('tables', 'cities of a table', markdown, ({ rows }) => rows.map(({ city }) => city)),
  documentTask('tables', 'items of one section', markdown, ({ todo }) => todo),
  documentTask('tables', 'orders of an export', exported, (rows) => rows.map(({ id, amount }) => ({ id, amount }))),
  documentTask('tables', 'number of rows of a query', query, ({ count }) => count),
  documentTask('tables', 'speakers of a transcript', transcript, (turns) => turns.map(({ speaker }) => speaker)),
]
