import { TextDecoder } from 'node:util'
import type { Entry } from 'yauzl'
import { DEFLATED, STORED, type ArchiveLimits, type EntryFacts } from './layout.ts'
import { refuse } from './refusal.ts'

const ENCRYPTION_FLAGS = 0x1 | 0x40 | 0x2000
const DESCRIPTOR_FLAG = 0x8
const MAX_UINT32 = 0xffffffff
const FILE_TYPE = 0o170000
const REGULAR = 0o100000
const SYMLINK = 0o120000
const MS_DOS_DIRECTORY = 0x10
const ZIP64_EXTRA = 0x0001
const CONTROL = /\p{Cc}/u
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The name of an entry. Throws unless it is strict UTF-8 and stays inside the archive. */
export function entryName(entry: Entry): string {
  const name = decodeName(entry.fileNameRaw)
  if (name === '' || CONTROL.test(name)) throw refuse('invalid_name')
  const escapes =
    name.includes('\\') || name.includes(':') || name.startsWith('/') || name.split('/').some((part) => part === '..')
  if (escapes) throw refuse('path_traversal', { member: name })
  return name
}

function decodeName(raw: Uint8Array): string {
  try {
    return UTF8.decode(raw)
  } catch (error) {
    throw refuse('invalid_name', { cause: error })
  }
}

/** Refuses names that are the same, also for systems that fold case or normalise Unicode. */
export function checkNames(names: readonly string[]): void {
  const seen = new Set<string>()
  for (const name of names) {
    const folded = name.normalize('NFKC').toLowerCase().replaceAll('/', '')
    if (seen.has(folded)) throw refuse('duplicate_member', { member: name })
    seen.add(folded)
  }
}

/** The facts of an entry, when its directory record is of the kind an archive may hold. */
export function checkEntryHeader(entry: Entry, name: string, limits: ArchiveLimits): EntryFacts {
  const member = name
  const flags = entry.generalPurposeBitFlag
  if ((flags & ENCRYPTION_FLAGS) !== 0) throw refuse('encrypted', { member })
  if ((flags & DESCRIPTOR_FLAG) !== 0) throw refuse('data_descriptor', { member })
  if (entry.compressionMethod !== STORED && entry.compressionMethod !== DEFLATED) {
    throw refuse('unsupported_method', { member })
  }
  checkFileType(entry, name)
  const isZip64 =
    entry.extraFields.some(({ id }) => id === ZIP64_EXTRA) ||
    entry.compressedSize >= MAX_UINT32 ||
    entry.uncompressedSize >= MAX_UINT32 ||
    entry.relativeOffsetOfLocalHeader >= MAX_UINT32
  if (isZip64) throw refuse('zip64', { member })
  checkSizes(entry, member, limits)
  return {
    name,
    method: entry.compressionMethod,
    crc32: entry.crc32,
    compressedBytes: entry.compressedSize,
    sizeBytes: entry.uncompressedSize,
    offset: entry.relativeOffsetOfLocalHeader,
  }
}

function checkFileType(entry: Entry, member: string): void {
  const type = (entry.externalFileAttributes >>> 16) & FILE_TYPE
  if (type === SYMLINK) throw refuse('symlink', { member })
  const isDirectory = member.endsWith('/') || (entry.externalFileAttributes & MS_DOS_DIRECTORY) !== 0
  if (isDirectory || type !== REGULAR) throw refuse('special_file', { member })
}

function checkSizes(entry: Entry, member: string, limits: ArchiveLimits): void {
  if (entry.uncompressedSize > (limits.largeMembers[member] ?? limits.memberBytes))
    throw refuse('member_too_large', { member })
  if (entry.compressionMethod === STORED && entry.compressedSize !== entry.uncompressedSize) {
    throw refuse('header_mismatch', { member })
  }
  const beyondRatio = entry.uncompressedSize > entry.compressedSize * limits.ratio
  if (entry.uncompressedSize > limits.ratioFreeBytes && beyondRatio) throw refuse('compression_ratio', { member })
}
