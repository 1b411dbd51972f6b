import { buffer } from 'node:stream/consumers'
import { ZipFile } from 'yazl'

/** A cell: a value, a date or a duration as its number of days, a number that is shown with five digits, an error, or a formula with its value, with none, or with an empty one. */
export type SheetCell =
  | string
  | number
  | boolean
  | null
  | { readonly date: number }
  | { readonly duration: number }
  | { readonly code: number }
  | { readonly error: string }
  | { readonly formula: string; readonly value?: string | number; readonly isUncomputed?: boolean }

/** A sheet of a workbook that a test makes by hand. */
export interface GivenSheet {
  readonly name: string
  readonly rows: readonly (readonly SheetCell[])[]
  readonly merged?: readonly string[]
  readonly isHidden?: boolean
  /** Whether rows and cells leave their places out, as some writers do. */
  readonly hasNoPlaces?: boolean
}

/** Parts beside the sheets, or in place of their own. */
export type ExtraParts = Readonly<Record<string, string | Uint8Array>>

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006/relationships'
/** Format 22 is a date with a time, 46 a time that counts hours on. */
const STYLES =
  `<styleSheet xmlns="${MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="00000"/></numFmts><cellXfs count="4">` +
  '<xf numFmtId="0"/><xf numFmtId="22"/><xf numFmtId="46" applyNumberFormat="1"><alignment/></xf><xf numFmtId="164"/></cellXfs></styleSheet>'

/** Returns an `.xlsx` file with shared strings, styles and these sheets. */
export async function workbook(sheets: readonly GivenSheet[], extra: ExtraParts = {}): Promise<Buffer> {
  const strings: string[] = []
  const parts: Record<string, string | Uint8Array> = {
    '[Content_Types].xml': '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    '_rels/.rels': `<Relationships xmlns="${PACKAGE}"><Relationship Id="rId1" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets>${sheets
      .map(
        ({ name, isHidden }, i) =>
          `<sheet name="${escaped(name)}" sheetId="${i + 1}" r:id="rId${i + 1}"${isHidden === true ? ' state="hidden"' : ''}/>`,
      )
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${PACKAGE}">${sheets
      .map(
        (_, i) =>
          `<Relationship Id="rId${i + 1}" Type="${RELATIONS}/worksheet" Target="worksheets/sheet${i + 1}.xml"/>`,
      )
      .join(
        '',
      )}<Relationship Id="rIdS" Type="${RELATIONS}/sharedStrings" Target="sharedStrings.xml"/><Relationship Id="rIdF" Type="${RELATIONS}/styles" Target="styles.xml"/></Relationships>`,
    'xl/styles.xml': STYLES,
    ...Object.fromEntries(sheets.map((sheet, i) => [`xl/worksheets/sheet${i + 1}.xml`, sheetXml(sheet, strings)])),
  }
  parts['xl/sharedStrings.xml'] =
    `<sst xmlns="${MAIN}">${strings.map((text) => `<si><t xml:space="preserve">${escaped(text)}</t></si>`).join('')}</sst>`
  return await zip({ ...parts, ...extra })
}

/** Returns a zip with these members. */
export async function zip(parts: ExtraParts): Promise<Buffer> {
  const file = new ZipFile()
  for (const [name, bytes] of Object.entries(parts)) file.addBuffer(Buffer.from(bytes), name)
  file.end()
  return await buffer(file.outputStream)
}

function sheetXml({ rows, merged = [], hasNoPlaces = false }: GivenSheet, strings: string[]): string {
  const lines = rows.map((cells, i) => {
    const xml = cells.map((cell, column) => cellXml(cell, `${String.fromCharCode(65 + column)}${i + 1}`, strings))
    return `<row r="${i + 1}">${xml.join('')}</row>`
  })
  const merges = merged.map((range) => `<mergeCell ref="${range}"/>`).join('')
  const cells = merges === '' ? '' : `<mergeCells count="${merged.length}">${merges}</mergeCells>`
  const data = hasNoPlaces ? lines.join('').replaceAll(/ r="\w+"/g, '') : lines.join('')
  return `<worksheet xmlns="${MAIN}"><sheetData>${data}</sheetData>${cells}</worksheet>`
}

function cellXml(cell: SheetCell, place: string, strings: string[]): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return `<c r="${place}"><v>${cell}</v></c>`
  if (typeof cell === 'boolean') return `<c r="${place}" t="b"><v>${cell ? 1 : 0}</v></c>`
  if (typeof cell === 'string') {
    if (!strings.includes(cell)) strings.push(cell)
    return `<c r="${place}" t="s"><v>${strings.indexOf(cell)}</v></c>`
  }
  if ('date' in cell) return `<c r="${place}" s="1"><v>${cell.date}</v></c>`
  if ('duration' in cell) return `<c r="${place}" s="2"><v>${cell.duration}</v></c>`
  if ('code' in cell) return `<c r="${place}" s="3"><v>${cell.code}</v></c>`
  if ('error' in cell) return `<c r="${place}" t="e"><f>A1/0</f><v>${cell.error}</v></c>`
  const { formula, value, isUncomputed = false } = cell
  const type = typeof value === 'string' ? ' t="str"' : ''
  const result = value === undefined ? (isUncomputed ? '<v></v>' : '') : `<v>${escaped(String(value))}</v>`
  return `<c r="${place}"${type}><f>${escaped(formula)}</f>${result}</c>`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
