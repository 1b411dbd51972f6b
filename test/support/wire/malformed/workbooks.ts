import { workbook, zip, type GivenSheet, type SheetCell } from '../../wire/workbook.ts'
import type { Malformed } from './texts.ts'

const MB = 1024 * 1024
const COMPOUND = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1])
const GOOD: SheetCell[][] = [
  ['Name', 'Short'],
  ['Ada', 'A'],
  ['Bob', 'B'],
]
const sheet = (more: Partial<GivenSheet>): GivenSheet => ({
  name: 'People',
  rows: GOOD,
  ...more,
})
const book = async (more: Partial<GivenSheet>) => await workbook([sheet(more)])

/** Workbooks, and files of other kinds, that no compile takes. */
export const MALFORMED_BOOKS: readonly Malformed[] = [
  {
    what: 'a workbook with a password',
    name: 'rows.xlsx',
    bytes: Buffer.concat([COMPOUND, Buffer.alloc(600), Buffer.from('EncryptedPackage', 'utf16le')]),
    code: 'unsupported_media_type',
    place: /^file: is protected by a password/,
    remedy: /save it without one/,
  },
  {
    what: 'an old workbook',
    name: 'rows.xls',
    bytes: Buffer.concat([COMPOUND, Buffer.alloc(600)]),
    code: 'unsupported_media_type',
    place: /^file: is an old workbook/,
    remedy: /save it as \.xlsx/,
  },
  {
    what: 'a workbook with macros',
    name: 'rows.xlsm',
    bytes: async () => await workbook([sheet({})], { 'xl/vbaProject.bin': 'macro' }),
    code: 'unsupported_media_type',
    place: /^file: holds macros/,
    remedy: /save it as \.xlsx/,
  },
  {
    what: 'a text that is named like a workbook',
    name: 'rows.xlsx',
    bytes: 'a,b\n1,2\n',
    code: 'unsupported_media_type',
    place: /^file: has the name of a workbook/,
    remedy: /save it as \.xlsx/,
  },
  {
    what: 'a damaged workbook',
    name: 'rows.xlsx',
    bytes: async () => (await book({})).subarray(0, 400),
    place: /^file: is a damaged workbook/,
    remedy: /save it again/,
  },
  {
    what: 'a workbook that inflates without end',
    name: 'rows.xlsx',
    bytes: async () => await workbook([sheet({})], { 'xl/bomb.xml': Buffer.alloc(100 * MB) }),
    code: 'payload_too_large',
    place: /^file: inflates to/,
    remedy: /save the sheet as \.csv/,
  },
  {
    what: 'a zip without a workbook',
    name: 'rows.zip',
    bytes: async () => await zip({ 'rows.csv': 'a,b\n1,2\n' }),
    code: 'unsupported_media_type',
    place: /^file: is a zip archive/,
    remedy: /unpack it/,
  },
  {
    what: 'an OpenDocument file',
    name: 'rows.ods',
    bytes: async () => await zip({ mimetype: 'application/vnd.oasis.opendocument.spreadsheet', 'content.xml': '<a/>' }),
    code: 'unsupported_media_type',
    place: /^file: is an OpenDocument file/,
    remedy: /save it as \.xlsx/,
  },
  {
    what: 'an unknown sheet',
    name: 'rows.xlsx',
    bytes: async () => await book({}),
    mapping: { sheet: 'Sales' },
    place: /^mapping\.sheet: names Sales/,
    remedy: /the workbook has People/,
  },
  {
    what: 'an empty sheet',
    name: 'rows.xlsx',
    bytes: async () => await book({ rows: [] }),
    code: 'no_examples',
    place: /^file:/,
    remedy: /save the table again/,
  },
  {
    what: 'merged cells',
    name: 'rows.xlsx',
    bytes: async () => await book({ merged: ['A2:A3'] }),
    place: /^People!A2:A3: is one merged cell/,
    remedy: /unmerge it/,
  },
  {
    what: 'an error of a formula',
    name: 'rows.xlsx',
    bytes: async () => await book({ rows: [...GOOD, ['Cy', { error: '#REF!' }]] }),
    place: /^People!B4: holds the error #REF!/,
    remedy: /correct its formula/,
  },
  {
    what: 'a formula without a value',
    name: 'rows.xlsx',
    bytes: async () => await book({ rows: [...GOOD, ['Cy', { formula: 'A4&"."' }]] }),
    place: /^People!B4: holds a formula without a value/,
    remedy: /save it again/,
  },
  {
    what: 'a formula whose value is empty, as libraries write it',
    name: 'rows.xlsx',
    bytes: async () => await book({ rows: [...GOOD, ['Cy', { formula: 'A4&"."', isUncomputed: true }]] }),
    place: /^People!B4: holds a formula without a value/,
    remedy: /save it again/,
  },
  {
    what: 'a PDF',
    name: 'rows.pdf',
    bytes: '%PDF-1.7 and so on, for a while',
    code: 'unsupported_media_type',
    place: /^file: is a PDF/,
    remedy: /save it as \.xlsx/,
  },
  {
    what: 'a web page',
    name: 'rows.xls.html',
    bytes: '<html><table><tr><td>a</td></tr></table></html>',
    code: 'unsupported_media_type',
    place: /^file: is a web page or XML/,
    remedy: /save the table as/,
  },
  {
    what: 'a compressed file',
    name: 'rows.csv.gz',
    bytes: Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
    code: 'unsupported_media_type',
    place: /^file: is compressed/,
    remedy: /unpack it/,
  },
]
