import { createWriteStream, openAsBlob } from 'node:fs'
import { mkdtemp, open, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { OUTPUT_NAMES } from '../../../core/compile/rows/intake/parse-example.ts'
import { usageError } from '../../cli-error.ts'
import type { ExampleFormat } from './example-formats.ts'

/** Above one of these the rows travel as an upload. */
const INLINE_ROWS = 10_000
const INLINE_BYTES = 8 * 1024 * 1024
const SNIFFED_BYTES = 64 * 1024

/** Examples to send: small ones as rows, files unchanged. */
export type Examples = {
  /** Fields of the compile request from the file itself. */
  readonly spec: Readonly<Record<string, unknown>>
  /** Makes the body of an upload. */
  makeForm(spec: Readonly<Record<string, unknown>>): Promise<FormData>
  /** Removes temporary files. */
  dispose(): Promise<void>
} & ({ readonly kind: 'inline'; readonly rows: readonly unknown[] } | { readonly kind: 'upload' })

/**
 * Reads examples from a file or, for `-`, standard input. Tables of any size, JSONL and lists of objects that are to be
 * mapped are streamed from disk as they are; another JSON file holds a list of rows, or an object with `examples` and
 * further members of the request. Throws `CliError`.
 */
export async function readExamples(
  file: string,
  given: ExampleFormat | undefined,
  isMapped = false,
): Promise<Examples> {
  if (file === '-' && process.stdin.isTTY) throw usageError('name a file of examples, or pipe them in')
  const spool = file === '-' ? await spoolStdin() : undefined
  const path = spool?.path ?? file
  const dispose = async () => {
    if (spool !== undefined) await rm(spool.folder, { recursive: true, force: true })
  }
  try {
    const { size } = await stat(path).catch((error: unknown) => {
      throw usageError(`${file}: there is no such file`, error)
    })
    if (size === 0) throw usageError(`${file === '-' ? 'standard input' : file} is empty`)
    const format = given ?? formatByName(file) ?? (await sniffFormat(path))
    const name = withExtension(file === '-' ? `examples.${format}` : basename(file), format)
    if (format !== 'json') return { kind: 'upload', ...uploadOf(path, name), spec: {}, dispose }
    const { spec, rows, isList } = await readJson(path, file)
    if (isList && (isMapped || !isExample(rows[0]) || rows.some(hasNoAnswer)))
      return { kind: 'upload', ...uploadOf(path, name), spec, dispose }
    const isSmall = rows.length <= INLINE_ROWS && size <= INLINE_BYTES && !isMapped
    if (isSmall && isList) return { kind: 'inline', rows, spec, ...uploadOf(path, name), dispose }
    const folder = await mkdtemp(join(tmpdir(), 'svc-examples-'))
    const lines = join(folder, 'examples.jsonl')
    await writeFile(lines, rows.map((row) => `${JSON.stringify(row)}\n`).join(''), { mode: 0o600 })
    const disposeBoth = async () => {
      await dispose()
      await rm(folder, { recursive: true, force: true })
    }
    const upload = { ...uploadOf(lines, 'examples.jsonl'), spec, dispose: disposeBoth }
    return isSmall ? { kind: 'inline', rows, ...upload } : { kind: 'upload', ...upload }
  } catch (error) {
    await dispose()
    throw error
  }
}

/** True for a row with an input by one of its names; others have columns of their own. */
function isExample(row: unknown): boolean {
  return typeof row !== 'object' || row === null || 'input' in row || 'prompt' in row
}

/** True for a row without an answer, which a file may have and the rows of a request may not. */
function hasNoAnswer(row: unknown): boolean {
  if (typeof row !== 'object' || row === null || 'kind' in row) return false
  const given = Object.entries(row).find(([name]) => OUTPUT_NAMES.some((one) => one === name))
  return given === undefined || given[1] === null
}

function uploadOf(path: string, name: string) {
  return {
    makeForm: async (spec: Readonly<Record<string, unknown>>) => {
      const form = new FormData()
      form.set('spec', JSON.stringify(spec))
      form.set('file', await openAsBlob(path), name)
      return form
    },
  }
}

async function readJson(
  path: string,
  file: string,
): Promise<{ spec: Record<string, unknown>; rows: unknown[]; isList: boolean }> {
  let value: unknown
  const text = await readFile(path, 'utf8')
  try {
    value = JSON.parse(text)
  } catch (error) {
    // The server reads other encodings, and names the place of a fault in a list.
    if (!text.trimStart().startsWith('{')) return { spec: {}, rows: [{}], isList: true }
    throw usageError(`${file} is not JSON: ${error instanceof Error ? error.message : ''}`, error)
  }
  if (Array.isArray(value)) return { spec: {}, rows: value, isList: true }
  if (typeof value === 'object' && value !== null && 'examples' in value && Array.isArray(value.examples)) {
    const { examples, ...spec } = value
    return { spec, rows: examples, isList: false }
  }
  throw usageError(`${file} must hold a list of rows, or an object with a list "examples"`)
}

function formatByName(file: string): ExampleFormat | undefined {
  if (/\.(jsonl|ndjson)$/i.test(file)) return 'jsonl'
  if (/\.csv$/i.test(file)) return 'csv'
  if (/\.(tsv|tab)$/i.test(file)) return 'tsv'
  if (/\.xls[a-z]?$/i.test(file)) return 'xlsx'
  return /\.json$/i.test(file) ? 'json' : undefined
}

/** The server determines the format by the file name. */
function withExtension(name: string, format: ExampleFormat): string {
  return formatByName(name) === format ? name : `${name}.${format}`
}

async function sniffFormat(path: string): Promise<ExampleFormat> {
  const handle = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(SNIFFED_BYTES), 0, SNIFFED_BYTES, 0)
    if (buffer.subarray(0, 2).toString('latin1') === 'PK') return 'xlsx'
    const head = buffer.toString('utf8', 0, bytesRead).trimStart()
    if (head.startsWith('[')) return 'json'
    if (!head.startsWith('{')) return 'csv'
    // A complete object on the first line is a row; one that continues on the next line is a document.
    const isRow = isJson(head.split('\n', 1)[0] ?? '') && !/^\{\s*"(?:task|examples)"\s*:/.test(head)
    return isRow ? 'jsonl' : 'json'
  } finally {
    await handle.close()
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

async function spoolStdin(): Promise<{ folder: string; path: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-examples-'))
  const path = join(folder, 'stdin')
  await pipeline(process.stdin, createWriteStream(path, { mode: 0o600 }))
  return { folder, path }
}
