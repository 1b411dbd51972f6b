import { posix } from 'node:path'
import { invalidField, type FieldProblem } from '../../../../kernel/errors.ts'
import { someOf } from '../table-error.ts'
import { broken, type WorkbookParts } from './unpack.ts'

const MOST_TAGS = 10_000
const MOST_PROBLEMS = 20
/** Longest tag of a cell that is looked at. */
const MOST_TAG_CHARS = 200
/** Longest cell that is looked at: a formula of 8,192 characters and a text of 32,767, escaped. */
const MOST_CELL_CHARS = 256 * 1024

/** A sheet of a workbook and the part that holds it. */
export interface SheetEntry {
  readonly name: string
  /** Place among all sheets, counted from 1. */
  readonly number: number
  readonly isHidden: boolean
  readonly part: string
}

/** Returns the sheets of a workbook in their order. Throws for a damaged workbook. */
export function sheetsOf(parts: WorkbookParts): readonly SheetEntry[] {
  const targets = new Map(
    tagsOf(parts.get('xl/_rels/workbook.xml.rels'), 'Relationship').map((attributes) => [
      attributes.get('Id') ?? '',
      posix.resolve('/xl', attributes.get('Target') ?? '').slice(1),
    ]),
  )
  const sheets = tagsOf(parts.get('xl/workbook.xml'), 'sheet').flatMap((attributes, i): SheetEntry[] => {
    const part = targets.get(attributes.get('id') ?? '')
    const name = attributes.get('name')
    // Sheets of charts have no cells.
    if (part === undefined || name === undefined || !parts.has(part)) return []
    return [{ name, number: i + 1, isHidden: (attributes.get('state') ?? 'visible') !== 'visible', part }]
  })
  if (sheets.length === 0) throw broken(new Error('the workbook names no sheet'))
  return sheets
}

/**
 * Chooses the sheet by its name or number, else the first visible one with cells in several rows, else with any. Throws for
 * one that is absent.
 */
export function chooseSheet(
  sheets: readonly SheetEntry[],
  parts: WorkbookParts,
  named: string | undefined,
): { readonly entry: SheetEntry; readonly reason: string } {
  if (named !== undefined) {
    const entry =
      sheets.find(({ name }) => name === named) ?? (/^\d+$/.test(named) ? sheets[Number(named) - 1] : undefined)
    if (entry !== undefined) return { entry, reason: 'named in the request' }
    const names = sheets.map(({ name }) => name)
    throw invalidField('mapping.sheet', `names ${named}, the workbook has ${someOf(names, names.length, 20)}`)
  }
  const visible = sheets.filter(({ isHidden }) => !isHidden)
  const filled = visible.filter(({ part }) => parts.get(part)?.includes('<c ') === true)
  // A title or a note above the table is often a separate sheet.
  const table = filled.find(({ part }) => hasSeveralRows(parts.get(part)))
  const entry = table ?? filled[0] ?? visible[0] ?? sheets[0]
  if (entry === undefined) throw broken(new Error('the workbook has no sheet'))
  return {
    entry,
    reason: reasonOf(filled.indexOf(entry), filled.length),
  }
}

function reasonOf(place: number, filled: number): string {
  if (filled < 2) return 'the only one with cells'
  const first = place > 0 ? 'the first with more than one row' : 'the first of several sheets'
  return `${first}; name another with \`sheet\``
}

function hasSeveralRows(part: Buffer | undefined): boolean {
  if (part === undefined) return false
  const rowAt = (at: number): string | undefined =>
    /^<c [^>]*?\br="[A-Z]+(\d+)"/.exec(part.toString('latin1', at, at + MOST_TAG_CHARS))?.[1]
  return rowAt(part.indexOf('<c ')) !== rowAt(part.lastIndexOf('<c '))
}

/** Attributes of the tags of one name, by their names without a prefix. */
function tagsOf(part: Buffer | undefined, name: string): readonly ReadonlyMap<string, string>[] {
  if (part === undefined) throw broken(new Error('a part is missing'))
  const tags = part.toString('utf8').matchAll(new RegExp(`<(?:\\w+:)?${name}\\s([^<>]*)>`, 'g'))
  return Array.from(tags)
    .slice(0, MOST_TAGS)
    .map(([, text = '']) => {
      const attributes = text.matchAll(/(?<![\w:])(?:\w+:)?(\w+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)
      return new Map(Array.from(attributes, ([, key = '', double, single]) => [key, unescaped(double ?? single ?? '')]))
    })
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function unescaped(text: string): string {
  return text.replaceAll(/&(#x?[0-9a-f]+|\w+);/gi, (whole, name: string) => {
    const code = name.startsWith('#x') ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
    if (name.startsWith('#')) return code <= 0x10ffff ? String.fromCodePoint(code) : whole
    return ENTITIES[name] ?? whole
  })
}

/** Returns the cells whose value cannot be used as it stands, up to twenty. Time is linear in the size of the part. */
export function sheetProblems(xml: Buffer, sheet: string): readonly FieldProblem[] {
  const text = xml.toString('latin1')
  const prefix = /<(\w+:)?worksheet[\s>]/.exec(text)?.[1] ?? ''
  const problems: FieldProblem[] = []
  const report = (place: string, message: string): void => void problems.push({ field: `${sheet}!${place}`, message })
  const isFull = (): boolean => problems.length >= MOST_PROBLEMS
  for (const { tag, body } of elementsOf(text, `<${prefix}c `)) {
    if (isFull()) break
    const place = /\sr="([A-Z]+\d+)"/.exec(tag)?.[1] ?? '?'
    const value = new RegExp(`<${prefix}v[^<>]*>([^<]*)<`).exec(body)?.[1]
    if (/\st="e"/.test(tag)) {
      report(place, `holds the error ${value ?? '#VALUE!'}; correct its formula, or clear the cell`)
    } else if (value === undefined && new RegExp(`<${prefix}f[\\s>/]`).test(body)) {
      report(place, 'holds a formula without a value; open the workbook in a spreadsheet program and save it again')
    }
  }
  for (const { tag } of elementsOf(text, `<${prefix}mergeCell `)) {
    if (isFull()) break
    const range = /\sref="([A-Z]+\d+:[A-Z]+\d+)"/.exec(tag)?.[1] ?? '?'
    report(range, 'is one merged cell; unmerge it and fill each cell, since only the first has the value')
  }
  return problems
}

/** The elements that begin with `start`, each with the text up to the next one; empty elements have none. */
function* elementsOf(text: string, start: string): Generator<{ readonly tag: string; readonly body: string }> {
  for (let at = text.indexOf(start); at >= 0;) {
    const next = text.indexOf(start, at + start.length)
    const element = text.slice(at, next < 0 ? at + MOST_CELL_CHARS : Math.min(next, at + MOST_CELL_CHARS))
    const end = element.indexOf('>')
    const isEmpty = element[end - 1] === '/'
    yield { tag: element.slice(0, end), body: isEmpty ? '' : element.slice(end + 1) }
    at = next
  }
}
