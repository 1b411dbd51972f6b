import { open } from 'node:fs/promises'
import { invalidField, KERNEL_ERRORS } from '../../../kernel/errors.ts'
import type { JsonObject } from '../../../kernel/json/json.ts'

/** A file with rows, on the disk. */
export interface DataFile {
  /** For people, and for the format: its name as the caller sent it. */
  readonly name: string
  readonly path: string
  /** True when its rows are stated to be held out: `test` and `validation` of a folder. */
  readonly isHeld: boolean
}

/** An object of a file, before it is read as a row. */
export interface FileRow {
  readonly value: JsonObject
  /** Its place as errors name it: `line[17]`, `row[17]`. */
  readonly field: string
}

/** Bounds on files and their rows, of the table of limits. */
export interface FileBounds {
  readonly rowBytes: number
  readonly jsonDepth: number
  /** Bytes that all files of a folder inflate to. */
  readonly inflatedBytes: number
}

/** Formats of files with rows. */
export type FileFormat = 'jsonl' | 'json' | 'csv' | 'parquet' | 'zip'

const HEAD_BYTES = 4096
const NAMES: readonly { readonly end: RegExp; readonly format: FileFormat }[] = [
  { end: /\.(?:jsonl|ndjson)$/i, format: 'jsonl' },
  { end: /\.json$/i, format: 'json' },
  { end: /\.(?:csv|tsv|tab)$/i, format: 'csv' },
  { end: /\.parquet$/i, format: 'parquet' },
  { end: /\.zip$/i, format: 'zip' },
]

/** Returns the format that a file's name states; undefined for another. */
export function formatOfName(name: string): FileFormat | undefined {
  return NAMES.find(({ end }) => end.test(name))?.format
}

/**
 * Returns the format of a file by its first bytes, then by its name: lists and objects are distinguished by the first
 * character, whatever the name says. Throws `unsupported_media_type` for a file that is no text.
 */
export async function formatOfFile({ name, path }: Pick<DataFile, 'name' | 'path'>): Promise<FileFormat> {
  const head = await headOf(path)
  const start = head.toString('latin1')
  if (start.startsWith('PAR1')) return 'parquet'
  if (start.startsWith('PK\u0003\u0004')) return 'zip'
  const named = formatOfName(name)
  if (named === 'parquet' || named === 'zip') throw unsupported(name, `has the name of ${article(named)} but is none`)
  if (head.includes(0)) {
    throw unsupported(name, 'is no text, Parquet or zip file; send .jsonl, .json, .csv, .parquet, or a zip of them')
  }
  const first = start.replace(/^\u00ef\u00bb\u00bf/, '').trimStart()[0]
  if (first === '[') return 'json'
  if (first === '{') return 'jsonl'
  return named === undefined || named === 'json' ? 'csv' : named
}

function article(format: FileFormat): string {
  return format === 'parquet' ? 'a Parquet file' : 'a zip'
}

async function headOf(path: string): Promise<Buffer> {
  const handle = await open(path)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

/** Returns the error of a file that holds no rows. */
export function unsupported(name: string, message: string) {
  return invalidField(name, message, KERNEL_ERRORS.unsupported_media_type)
}
