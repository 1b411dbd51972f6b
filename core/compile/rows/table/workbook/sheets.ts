import { posix } from 'node:path'
import { invalidField } from '../../../../kernel/errors.ts'
import { someOf } from '../table-error.ts'
import { MOST_TAGS, tagsOf } from './tags.ts'
import { broken, type WorkbookParts } from './unpack.ts'
import type { SheetChoice, SheetContents, SheetProblem } from './workbook-task.ts'

/** Most problems of cells that are returned, and of merged cells. */
const MOST_PROBLEMS = 20
/** Rows of a sheet in its format. */
const MOST_ROWS = 1_048_576
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
 * Chooses the sheet by its name or number, else the first visible one with cells in several rows and, for examples,
 * several columns, else with any. Throws for one that is absent, and for inputs that a sheet of one column or a later one of
 * several columns may hold.
 */
export function chooseSheet(
  sheets: readonly SheetEntry[],
  parts: WorkbookParts,
  { sheet: named, contents }: SheetChoice,
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
  // A title or notes are often a separate sheet before the table.
  const table = filled.find(({ part }) => mayHold(contents, parts.get(part)))
  const entry = table ?? filled[0] ?? visible[0] ?? sheets[0]
  if (entry === undefined) throw broken(new Error('the workbook has no sheet'))
  // Lines of notes look like inputs: beside a table, one column is read only where the request names its sheet.
  const wide = filled.find(({ part }) => mayHold('examples', parts.get(part)))
  if (contents === 'inputs' && wide !== undefined && wide !== entry) {
    const both = [entry, wide].map(({ name }) => JSON.stringify(name)).join(' or ')
    throw invalidField('mapping.sheet', `may be ${both}; name the sheet that holds the inputs`)
  }
  return {
    entry,
    reason: reasonOf(filled.indexOf(entry), filled.length, contents),
  }
}

function reasonOf(place: number, filled: number, contents: SheetContents): string {
  if (filled < 2) return 'the only one with cells'
  const shape = contents === 'examples' ? 'several rows and columns' : 'several rows'
  const first = place > 0 ? `the first with ${shape}` : 'the first of several sheets'
  return `${first}; name another with \`sheet\``
}

/** True for a sheet with cells in several rows and, for examples, several columns. */
function mayHold(contents: SheetContents, part: Buffer | undefined): boolean {
  if (part === undefined) return false
  const placeAt = (at: number) =>
    /^<c [^>]*?\br="([A-Z]+)(\d+)"/.exec(part.toString('latin1', at, at + MOST_TAG_CHARS)) ?? []
  const start = part.indexOf('<c ')
  const [, column, row] = placeAt(start)
  if (placeAt(part.lastIndexOf('<c '))[2] === row) return false
  if (contents === 'inputs') return true
  for (let at = start, cells = 0; at >= 0 && cells < MOST_TAGS; at = part.indexOf('<c ', at + 1), cells++) {
    if (placeAt(at)[1] !== column) return true
  }
  return false
}

/**
 * Returns the first cells whose value cannot be used as it stands, and the merged ones that end lowest: the table may begin
 * below others. Up to twenty of each; time is linear in the size of the part.
 */
export function sheetProblems(xml: Buffer, sheet: string): readonly SheetProblem[] {
  const text = xml.toString('latin1')
  const prefix = /<(\w+:)?worksheet[\s>]/.exec(text)?.[1] ?? ''
  const problems: SheetProblem[] = []
  const report = (place: string, message: string): void =>
    void problems.push({ field: `${sheet}!${place}`, message, mergedTo: null })
  for (const { tag, body } of elementsOf(text, `<${prefix}c `)) {
    if (problems.length >= MOST_PROBLEMS) break
    const place = /\sr="([A-Z]+\d+)"/.exec(tag)?.[1] ?? '?'
    const value = new RegExp(`<${prefix}v[^<>]*>([^<]*)<`).exec(body)?.[1]
    if (/\st="e"/.test(tag)) {
      report(place, `holds the error ${value ?? '#VALUE!'}; correct its formula, or clear the cell`)
    } else if (!hasValue(tag, value) && new RegExp(`<${prefix}f[\\s>/]`).test(body)) {
      report(place, 'holds a formula without a value; open the workbook in a spreadsheet program and save it again')
    }
  }
  return [...problems, ...mergedCells(text, prefix, sheet)]
}

function mergedCells(text: string, prefix: string, sheet: string): readonly SheetProblem[] {
  const message = 'is one merged cell; unmerge it and fill each cell, since only the first has the value'
  let lowest: { readonly range: string; readonly end: number }[] = []
  for (const { tag } of elementsOf(text, `<${prefix}mergeCell `)) {
    const [, range = '?', end = MOST_ROWS] = /\sref="([A-Z]+\d+:[A-Z]+(\d+))"/.exec(tag) ?? []
    lowest.push({ range, end: Number(end) })
    if (lowest.length > 2 * MOST_PROBLEMS) lowest = lowestOf(lowest)
  }
  return lowestOf(lowest)
    .toReversed()
    .map(({ range, end }) => ({ field: `${sheet}!${range}`, message, mergedTo: end }))
}

function lowestOf<T extends { readonly end: number }>(merged: readonly T[]): T[] {
  return merged.toSorted((a, b) => b.end - a.end).slice(0, MOST_PROBLEMS)
}

/** False for a formula that its writer did not compute: the element of its value is absent or empty. A text may be empty. */
function hasValue(tag: string, value: string | undefined): boolean {
  return value !== undefined && (value.trim() !== '' || /\st="str"/.test(tag))
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
