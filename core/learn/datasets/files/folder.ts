import { createWriteStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { parse } from 'yaml'
import { RE2JS } from 're2js'
import yauzl from 'yauzl'
import { DomainError, invalidField, KERNEL_ERRORS } from '../../../kernel/errors.ts'
import { formatOfName, unsupported, type DataFile, type FileBounds } from './data-file.ts'

const MOST_ENTRIES = 10_000
const ENCRYPTED = 1
/** Words in names of files and folders that state the side, as `datasets` reads them. */
const HELD_WORDS = /(?:^|[/_.\s-])(?:test|testing|eval|evaluation|validation|valid|dev|val|holdout)(?:[/_.\s-]|\d|$)/i

/** A file that lies somewhere in a folder. */
export interface FolderFile {
  /** Path within the folder, with slashes. */
  readonly name: string
  readonly path: string
}

/**
 * Unpacks a zip into a folder and returns its files with rows and its card. Throws `unsupported_media_type` for a broken or
 * encrypted zip and `payload_too_large` for one that inflates beyond the bound.
 */
export async function unpackFolder(
  { name, path }: Pick<DataFile, 'name' | 'path'>,
  into: string,
  bounds: FileBounds,
): Promise<readonly FolderFile[]> {
  const files: FolderFile[] = []
  let total = 0
  let entries = 0
  try {
    const zip = await yauzl.openPromise(path, { validateEntrySizes: true })
    for await (const entry of zip.eachEntry()) {
      if (++entries > MOST_ENTRIES) throw tooLarge(name, `has more than ${MOST_ENTRIES} entries`)
      if ((entry.generalPurposeBitFlag & ENCRYPTED) !== 0) throw unsupported(name, 'is an encrypted zip; send it open')
      const inner = entry.fileName
      if (inner.endsWith('/') || !isOfInterest(inner)) continue
      total += entry.uncompressedSize
      if (total > bounds.inflatedBytes) throw tooLarge(name, `inflates to more than ${bounds.inflatedBytes} bytes`)
      const target = join(into, `entry-${files.length}`)
      await pipeline(await zip.openReadStreamPromise(entry), createWriteStream(target))
      files.push({ name: inner, path: target })
    }
    return files
  } catch (error) {
    if (error instanceof DomainError) throw error
    throw invalidField(name, 'is a damaged zip; pack the folder again', KERNEL_ERRORS.unsupported_media_type, error)
  }
}

/** True for a file that a folder of a dataset is read from: rows, or its card. */
export function isOfInterest(name: string): boolean {
  const base = name.slice(name.lastIndexOf('/') + 1)
  if (base.startsWith('.') || name.startsWith('__MACOSX/')) return false
  if (/^(?:dataset_infos?|state|dataset_dict)\.json$/.test(base)) return false
  return base === 'README.md' || (formatOfName(base) ?? 'zip') !== 'zip'
}

/**
 * Returns the files with rows of a Hugging Face folder, each with its side: as the card's `configs` state it, else by the
 * words in its path. Files named test, validation, eval or dev are held out. Throws `validation_failed` where no file has
 * rows.
 */
export async function filesOfFolder(folder: readonly FolderFile[], name: string): Promise<readonly DataFile[]> {
  const cards = folder.filter((file) => /(?:^|\/)README\.md$/.test(file.name))
  const [card] = cards.toSorted((a, b) => a.name.length - b.name.length)
  const data = folder.filter((file) => !cards.includes(file)).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const stated = card === undefined ? null : patternsOf(await readFile(card.path, 'utf8'))
  const root = card === undefined ? '' : card.name.slice(0, -'README.md'.length)
  const files = data.flatMap((file): DataFile[] => {
    if (stated === null) return [{ ...file, isHeld: HELD_WORDS.test(file.name) }]
    const inner = file.name.startsWith(root) ? file.name.slice(root.length) : file.name
    const match = stated.find(({ pattern }) => pattern.matches(inner))
    return match === undefined ? [] : [{ ...file, isHeld: match.isHeld }]
  })
  if (files.length === 0) {
    throw unsupported(name, 'holds no .jsonl, .json, .csv or .parquet file; Arrow files are read after save as Parquet')
  }
  return files
}

/** The patterns of files that the first configuration of a card states; null where it states none. */
function patternsOf(card: string): readonly { readonly pattern: RE2JS; readonly isHeld: boolean }[] | null {
  const [, front] = /^---\r?\n([\s\S]*?)\r?\n---/.exec(card) ?? []
  if (front === undefined) return null
  let value: unknown
  try {
    value = parse(front, { maxAliasCount: 0 })
  } catch {
    return null
  }
  const configs = listOf(memberOf(value, 'configs'))
  const chosen = configs.find((each) => memberOf(each, 'config_name') === 'default') ?? configs[0]
  const given = memberOf(chosen, 'data_files')
  const entries = Array.isArray(given) ? given : given === undefined ? [] : [{ split: 'train', path: given }]
  const patterns = entries.flatMap((entry: unknown) => {
    const split = memberOf(entry, 'split')
    const paths = typeof entry === 'string' ? [entry] : listOrOne(memberOf(entry, 'path'))
    const isHeld = typeof split === 'string' && HELD_WORDS.test(split)
    return paths.flatMap((each) => (typeof each === 'string' ? [{ pattern: globPattern(each), isHeld }] : []))
  })
  return patterns.length === 0 ? null : patterns
}

/** A pattern of a card: `*` within a part of a path, `**` across, `?` one character. */
function globPattern(glob: string): RE2JS {
  const source = glob
    .replace(/^\.\//, '')
    .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll(/\*\*\/?|\*|\?/g, (mark) => (mark.startsWith('**') ? '.*' : mark === '*' ? '[^/]*' : '[^/]'))
  // In linear time, whatever the card says.
  return RE2JS.compile(source)
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return Object.entries(value).find(([member]) => member === name)?.[1]
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function listOrOne(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value]
}

function tooLarge(name: string, message: string): DomainError {
  return invalidField(name, message, KERNEL_ERRORS.payload_too_large)
}
