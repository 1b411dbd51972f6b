import yauzl, { type Entry, type ZipFile } from 'yauzl'
import { DomainError, invalidField, KERNEL_ERRORS } from '../../../../kernel/errors.ts'
import { withPlaces } from './cell-places.ts'

const COMPOUND = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1])
/** Beginnings of a zip: a member, the end of an empty archive, a part of a split one. */
const ZIPS = [0x04034b50, 0x06054b50, 0x08074b50]
const ENCRYPTED = Buffer.from('EncryptedPackage', 'utf16le')
const MOST_PARTS = 5000
const FLAG_ENCRYPTED = 1

/** Parts of a workbook by their names. Only those that its reader looks at are inflated. */
export type WorkbookParts = ReadonlyMap<string, Buffer>

/** Parts whose presence shows that a file is something else, and what to do then. */
const OTHERS: readonly { readonly name: RegExp; readonly message: string }[] = [
  {
    name: /^xl\/vbaProject\.bin$/i,
    message: 'holds macros, which are not accepted; save it as .xlsx (workbook without macros)',
  },
  { name: /^xl\/workbook\.bin$/i, message: 'is a binary workbook (.xlsb); save it as .xlsx' },
  { name: /^word\//, message: 'is a text document; copy its table into a spreadsheet and save it as .xlsx' },
  { name: /^ppt\//, message: 'is a presentation; copy its table into a spreadsheet and save it as .xlsx' },
  { name: /^(?:mimetype|content\.xml)$/, message: 'is an OpenDocument file; save it as .xlsx or .csv' },
  { name: /^Index\/.*\.iwa$/, message: 'is a Numbers file; export it as .xlsx or .csv' },
]

/** Returns true for bytes that begin like a workbook: a zip, or the container of older and encrypted ones. */
export function looksLikeWorkbook(head: Uint8Array): boolean {
  const bytes = Buffer.from(head)
  return isZip(bytes) || bytes.subarray(0, COMPOUND.length).equals(COMPOUND)
}

/**
 * Inflates the XML parts of a workbook within `maxBytes`. Throws `unsupported_media_type` for a file of another kind, an
 * encrypted one or one with macros, `payload_too_large` for one that inflates to more, `validation_failed` for a broken one.
 */
export async function unpackWorkbook(bytes: Uint8Array, maxBytes: number): Promise<WorkbookParts> {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  refuseContainer(data)
  try {
    const zip = await yauzl.fromBufferPromise(data, { validateEntrySizes: true })
    const entries = await entriesOf(zip)
    refuseOthers(entries, maxBytes)
    const parts = new Map<string, Buffer>()
    for (const entry of entries) {
      const { fileName } = entry
      if (!/\.(?:xml|rels)$/.test(fileName)) continue
      const bytes = await inflate(zip, entry)
      parts.set(fileName, fileName.startsWith('xl/worksheets/') ? withPlaces(bytes, maxBytes) : bytes)
    }
    if (!parts.has('xl/workbook.xml')) {
      throw unsupported('is a zip archive without a workbook; unpack it and send the file inside')
    }
    return parts
  } catch (error) {
    if (error instanceof DomainError) throw error
    throw broken(error)
  }
}

/** Returns the error of a workbook that cannot be read. */
export function broken(cause: unknown): DomainError {
  return invalidField(
    'file',
    'is a damaged workbook; open it in a spreadsheet program and save it again as .xlsx',
    KERNEL_ERRORS.validation_failed,
    cause,
  )
}

function isZip(data: Buffer): boolean {
  return data.length >= 4 && ZIPS.includes(data.readUInt32LE(0))
}

function refuseContainer(data: Buffer): void {
  if (data.subarray(0, COMPOUND.length).equals(COMPOUND)) {
    throw unsupported(
      data.includes(ENCRYPTED)
        ? 'is protected by a password; save it without one (File, Info, Protect Workbook) and send it again'
        : 'is an old workbook (.xls); save it as .xlsx',
    )
  }
  if (!isZip(data)) throw unsupported('is no .xlsx workbook; save the table as .xlsx or .csv')
}

async function entriesOf(zip: ZipFile): Promise<Entry[]> {
  const entries: Entry[] = []
  for await (const entry of zip.eachEntry()) {
    entries.push(entry)
    if (entries.length > MOST_PARTS) throw tooLarge(`has more than ${MOST_PARTS} parts`)
  }
  return entries
}

function refuseOthers(entries: readonly Entry[], maxBytes: number): void {
  if (entries.some(({ generalPurposeBitFlag: flags }) => (flags & FLAG_ENCRYPTED) !== 0)) {
    throw unsupported('is an encrypted zip archive; unpack it and send the file inside')
  }
  for (const { name, message } of OTHERS) {
    if (entries.some(({ fileName }) => name.test(fileName))) throw unsupported(message)
  }
  const total = entries.reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0)
  if (total > maxBytes) throw tooLarge(`inflates to ${total} bytes, at most ${maxBytes} are allowed`)
}

/** The library ends the stream with an error when an entry holds more than it declares. */
async function inflate(zip: ZipFile, entry: Entry): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of await zip.openReadStreamPromise(entry)) {
    if (chunk instanceof Buffer) chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function unsupported(message: string): DomainError {
  return invalidField('file', message, KERNEL_ERRORS.unsupported_media_type)
}

/** Returns the error of a workbook beyond the bounds. */
export function tooLarge(message: string): DomainError {
  return invalidField('file', `${message}; save the sheet as .csv`, KERNEL_ERRORS.payload_too_large)
}
