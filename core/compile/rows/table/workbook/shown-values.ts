import { cellName } from '../table-error.ts'
import { tagsOf } from './tags.ts'
import type { WorkbookParts } from './unpack.ts'

const DAY_MS = 86_400_000
/** Day 0 of a workbook, and that of one that counts from 1904. */
const DAY_0 = Date.UTC(1899, 11, 30)
const DAY_0_OF_1904 = Date.UTC(1904, 0, 1)
/** The format of ECMA-376 (part 1, 18.8.30) for a time that counts hours on. */
const ELAPSED_ID = '46'
/** The part of other formats that counts hours, minutes or seconds on. */
const ELAPSED = /\[(?:h+|m+|s+)\]/i
/** A format with more zeros than codes have digits shows a number as any other one. */
const CODE = /^0{2,32}$/

/** Form of a number by its format: a duration, or a code with as many digits as the format has zeros. */
type Form = 'elapsed' | { readonly digits: number }

/**
 * Returns a function that gives the text of a value by its format, or undefined: of durations, which would be dates of
 * the year 1900 otherwise, as `50:45:00`, and of codes such as 01067, which would lose their zeros.
 */
export function shownValues(
  parts: WorkbookParts,
  part: string,
): (value: unknown, column: number, row: number) => string | undefined {
  const forms = formsOfStyles(parts.get('xl/styles.xml')?.toString('utf8') ?? '')
  const cells =
    forms.size === 0 ? new Map<string, Form>() : formsOfCells(parts.get(part)?.toString('latin1') ?? '', forms)
  if (cells.size === 0) return () => undefined
  const [properties] = tagsOf(parts.get('xl/workbook.xml'), 'workbookPr')
  const day0 = /^(?:1|true)$/.test(properties?.get('date1904') ?? '') ? DAY_0_OF_1904 : DAY_0
  return (value, column, row) => {
    const form = cells.get(cellName(column, row))
    if (form === 'elapsed') return value instanceof Date ? elapsed(value.getTime() - day0) : undefined
    const isCode = form !== undefined && typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
    return isCode ? String(value).padStart(form.digits, '0') : undefined
  }
}

/** Forms by the index of the style that cells name. */
function formsOfStyles(styles: string): ReadonlyMap<string, Form> {
  const codes = new Map(
    tagsOf(Buffer.from(styles), 'numFmt').map((format) => [
      format.get('numFmtId') ?? '',
      format.get('formatCode') ?? '',
    ]),
  )
  const forms = new Map<string, Form>()
  for (const [index, xf] of tagsOf(Buffer.from(stylesOfCells(styles)), 'xf').entries()) {
    const id = xf.get('numFmtId') ?? ''
    const code = codes.get(id) ?? ''
    if (id === ELAPSED_ID || ELAPSED.test(code)) forms.set(String(index), 'elapsed')
    else if (CODE.test(code)) forms.set(String(index), { digits: code.length })
  }
  return forms
}

/** The element that holds the styles of cells; empty without one. */
function stylesOfCells(styles: string): string {
  const start = /<(\w+:)?cellXfs[\s>]/.exec(styles)
  if (start === null) return ''
  const end = styles.indexOf(`</${start[1] ?? ''}cellXfs>`, start.index)
  return end < 0 ? '' : styles.slice(start.index, end)
}

function formsOfCells(sheet: string, forms: ReadonlyMap<string, Form>): ReadonlyMap<string, Form> {
  const cells = new Map<string, Form>()
  for (const [tag] of sheet.matchAll(/<(?:\w+:)?c\s[^<>]*>/g)) {
    const form = forms.get(/\ss\s*=\s*["'](\d+)/.exec(tag)?.[1] ?? '')
    const place = /\sr\s*=\s*["']([A-Z]+\d+)/.exec(tag)?.[1]
    if (form !== undefined && place !== undefined) cells.set(place, form)
  }
  return cells
}

/** A duration as hours, minutes and seconds, such as `50:45:00`; undefined for a negative one. */
function elapsed(durationMs: number): string | undefined {
  if (!(durationMs >= 0 && durationMs < DAY_MS * 1_000_000)) return undefined
  const seconds = Math.round(durationMs / 1000)
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
}
