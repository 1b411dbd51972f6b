import { createWriteStream, openAsBlob } from 'node:fs'
import { mkdtemp, open, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { usageError } from '../cli-error.ts'
import type { ExampleFormat } from './example-formats.ts'

/** Above one of these the rows travel as an upload. */
const INLINE_ROWS = 10_000
const INLINE_BYTES = 8 * 1024 * 1024
const SNIFFED_BYTES = 64 * 1024

/** Examples to send: small ones as rows, files unchanged. */
export type Examples = {
  /** Fields of the compile request from the file itself. */
  readonly spec: Readonly<Record<string, unknown>>
  /** Removes temporary files. */
  dispose(): Promise<void>
} & (
  | { readonly kind: 'inline'; readonly rows: readonly unknown[] }
  | { readonly kind: 'upload'; makeForm(spec: Readonly<Record<string, unknown>>): Promise<FormData> }
)

/**
 * Reads examples from a file or, for `-`, standard input. JSONL and CSV files of any size are streamed from disk as
 * they are sent; a JSON file holds a list of rows, or an object with `examples` and further members of the request.
 * Throws `CliError`.
 */
export async function readExamples(file: string, given: ExampleFormat | undefined): Promise<Examples> {
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
    const name = file === '-' ? `examples.${format}` : basename(file)
    if (format !== 'json') return { ...uploadOf(path, withExtension(name, format)), spec: {}, dispose }
    const { spec, rows } = await readJson(path, file)
    if (rows.length <= INLINE_ROWS && size <= INLINE_BYTES) return { kind: 'inline', rows, spec, dispose }
    const folder = await mkdtemp(join(tmpdir(), 'svc-examples-'))
    const lines = join(folder, 'examples.jsonl')
    await writeFile(lines, rows.map((row) => `${JSON.stringify(row)}\n`).join(''), { mode: 0o600 })
    const disposeBoth = async () => {
      await dispose()
      await rm(folder, { recursive: true, force: true })
    }
    return { ...uploadOf(lines, 'examples.jsonl'), spec, dispose: disposeBoth }
  } catch (error) {
    await dispose()
    throw error
  }
}

function uploadOf(path: string, name: string) {
  return {
    kind: 'upload' as const,
    makeForm: async (spec: Readonly<Record<string, unknown>>) => {
      const form = new FormData()
      form.set('spec', JSON.stringify(spec))
      form.set('file', await openAsBlob(path), name)
      return form
    },
  }
}

async function readJson(path: string, file: string): Promise<{ spec: Record<string, unknown>; rows: unknown[] }> {
  let value: unknown
  try {
    value = JSON.parse(await readFile(path, 'utf8'))
  } catch (error) {
    throw usageError(`${file} is not JSON: ${error instanceof Error ? error.message : ''}`, error)
  }
  if (Array.isArray(value)) return { spec: {}, rows: value }
  if (typeof value === 'object' && value !== null && 'examples' in value && Array.isArray(value.examples)) {
    const { examples, ...spec } = value
    return { spec, rows: examples }
  }
  throw usageError(`${file} must hold a list of rows, or an object with a list "examples"`)
}

function formatByName(file: string): ExampleFormat | undefined {
  if (/\.(jsonl|ndjson)$/i.test(file)) return 'jsonl'
  if (/\.csv$/i.test(file)) return 'csv'
  return /\.json$/i.test(file) ? 'json' : undefined
}

/** The server determines the format by the file name. */
function withExtension(name: string, format: ExampleFormat): string {
  return name.toLowerCase().endsWith(`.${format}`) ? name : `${name}.${format}`
}

async function sniffFormat(path: string): Promise<ExampleFormat> {
  const handle = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(SNIFFED_BYTES), 0, SNIFFED_BYTES, 0)
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
