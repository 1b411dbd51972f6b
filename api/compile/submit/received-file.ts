import type { Readable } from 'node:stream'
import { invalidField, KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { Limits } from '../../../core/compile/limits.ts'
import { uploadBounds } from '../../../core/compile/rows/intake/bounds.ts'
import type { TableMapping } from '../../../core/compile/rows/table/mapping.ts'
import {
  longestLine,
  refuseForeign,
  withBoundedLines,
  type Reread,
  type TableFormat,
} from '../../../core/compile/rows/table/open-table.ts'
import { looksLikeWorkbook, tooLarge as workbookTooLarge } from '../../../core/compile/rows/table/workbook/unpack.ts'
import type { SheetContents } from '../../../core/compile/rows/table/workbook/workbook-task.ts'
import { tooLarge } from '../../kernel/request/read-body.ts'
import type { FilePart } from '../../kernel/request/multipart.ts'
import type { Intake } from '../intake/intake.ts'
import type { GivenFile } from '../intake/intake-task.ts'
import type { SpooledRows, UploadSpool } from '../../kernel/request/spool.ts'

/** A file as it was sent: text waits in the spool, a workbook in memory. Release it in the end. */
export type ReceivedFile =
  | { readonly kind: 'text'; readonly format: TableFormat; readonly spooled: SpooledRows }
  | { readonly kind: 'workbook'; readonly bytes: Uint8Array }

/** Dependencies of receiving files. */
export interface FileReceiver {
  readonly limits: Limits
  readonly intake: Intake
  readonly spool: UploadSpool
  /** The tenant or the address that the file counts for. */
  readonly caller: string
  /** Longest line of a text; that of an example when absent. */
  readonly lineBytes?: number
}

/** A file that is ready to be read as a table. */
export interface ReadableFile {
  readonly file: GivenFile
  readonly read: Reread
  /** Bytes of it that wait in the spool. */
  readonly sizeBytes: number
  readonly release: () => Promise<void>
}

/** Bytes by which files of other kinds are known. */
const HEAD_BYTES = 16
/** Uploads of one caller that may wait as they were sent, in multiples of the largest. */
const WAITING_UPLOADS = 2

/** Format of a file by its name, else by its media type; `text` is looked at later. */
export function formatOf({ filename, mediaType }: Pick<FilePart, 'filename' | 'mediaType'>): TableFormat | 'workbook' {
  const name = filename.toLowerCase()
  if (/\.(jsonl|ndjson)$/.test(name)) return 'jsonl'
  if (name.endsWith('.json')) return 'json'
  if (/\.(csv|tsv|tab)$/.test(name)) return 'csv'
  if (/\.xls[a-z]?$/.test(name)) return 'workbook'
  if (/^application\/(x-)?(jsonl|ndjson|json-?lines)$/i.test(mediaType)) return 'jsonl'
  if (/^application\/json$/i.test(mediaType)) return 'json'
  return /^(text|application)\/(csv|tab-separated-values)$/i.test(mediaType) ? 'csv' : 'text'
}

/**
 * Takes a file off the wire, up to `maxBytes`. Throws `payload_too_large`, `unsupported_media_type` for a file of a kind
 * that holds no table, and `example_too_large` for a line that no example can have.
 */
export async function receiveFile(
  bytes: AsyncGenerator<Uint8Array>,
  format: TableFormat | 'workbook',
  { limits, spool, caller, lineBytes }: FileReceiver,
  maxBytes: number,
): Promise<ReceivedFile> {
  const { head, all } = await peek(bytes)
  refuseForeign(head)
  if (looksLikeWorkbook(head)) return { kind: 'workbook', bytes: await collectWorkbook(all, limits) }
  if (format === 'workbook') {
    throw invalidField(
      'file',
      'has the name of a workbook but is not one; open it in a spreadsheet program and save it as .xlsx or .csv',
      KERNEL_ERRORS.unsupported_media_type,
    )
  }
  const isOneLine = format === 'json' || head.toString('latin1').trimStart().startsWith('[')
  const checked = isOneLine ? all : withBoundedLines(all, lineBytes ?? longestLine(uploadBounds(limits)))
  return { kind: 'text', format, spooled: await spool.write(checked, rawBounds(caller, maxBytes)) }
}

/** Gives the space of a received file back. */
export async function releaseReceived(file: ReceivedFile | undefined): Promise<void> {
  if (file?.kind === 'text') await file.spooled.release()
}

/** Makes a received file readable as a table: of a workbook one sheet is read, which `contents` choose. Throws the problem of the workbook. */
export async function readable(
  received: ReceivedFile,
  mapping: TableMapping,
  { intake, spool, caller, limits }: FileReceiver,
  contents: SheetContents,
): Promise<ReadableFile> {
  if (received.kind === 'text') {
    const { format, spooled } = received
    const file = { format, mapping, isStreamed: false }
    return { file, read: () => spooled.read(), sizeBytes: spooled.sizeBytes, release: () => spooled.release() }
  }
  const { sheet, chunks } = await intake.workbook(received.bytes, { sheet: mapping.sheet, contents }, caller)
  const spooled = await spool.write(from(chunks), rawBounds(caller, limits.workbook_inflated_bytes))
  const file = { format: 'sheet', mapping, sheet, isStreamed: false } as const
  return { file, read: () => spooled.read(), sizeBytes: spooled.sizeBytes, release: () => spooled.release() }
}

/** The bytes of a part; one beyond the limit is an error, not one that ends early. */
export async function* bounded(stream: Readable, name: string, maxBytes: number): AsyncGenerator<Uint8Array> {
  let sizeBytes = 0
  // Left as it is when its reader stops: destroyed, it would report an error of its own before that of the reader.
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    if (!(chunk instanceof Uint8Array)) continue
    sizeBytes += chunk.length
    if (sizeBytes > maxBytes) throw tooLarge(name, maxBytes)
    yield chunk
  }
}

/** The first bytes of a stream, and the whole stream. */
export async function peek(
  bytes: AsyncGenerator<Uint8Array>,
): Promise<{ readonly head: Buffer; readonly all: AsyncGenerator<Uint8Array> }> {
  let head = Buffer.alloc(0)
  for (;;) {
    const { done, value } = await bytes.next()
    if (done === true) break
    head = Buffer.concat([head, value])
    if (head.length >= HEAD_BYTES) break
  }
  return { head: head.subarray(0, 4 * HEAD_BYTES), all: rejoined(head, bytes) }
}

async function* rejoined(head: Buffer, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (head.length > 0) yield head
  yield* rest
}

async function collectWorkbook(bytes: AsyncIterable<Uint8Array>, limits: Limits): Promise<Uint8Array> {
  const max = limits.workbook_bytes
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of bytes) {
    size += chunk.length
    if (size > max) throw workbookTooLarge(`is a workbook of more than ${max} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Files as they were sent count apart from the examples out of them, which become the tenant's. */
function rawBounds(caller: string, uploadBytes: number) {
  return {
    tenantId: `received/${caller}`,
    uploadBytes,
    tenantBytes: WAITING_UPLOADS * uploadBytes,
    refuse: () => KERNEL_ERRORS.busy('you have too many uploads under way; try again shortly', { retryAfterS: 5 }),
  }
}

async function* from(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks
}
