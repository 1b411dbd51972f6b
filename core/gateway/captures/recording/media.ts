import { hash } from 'node:crypto'
import type { Sha256 } from '../../../kernel/json/json.ts'

/** Kinds of files. */
export type MediumKind = 'image' | 'audio' | 'video' | 'blob'

/** A file of a capture. */
export interface Medium {
  readonly name: string
  readonly filename: string | null
  readonly mime: string
  readonly bytes: Uint8Array
  readonly sha256: Sha256
}

const MIME = /^[a-z]+\/[a-z0-9][a-z0-9.+-]{0,80}$/
const ENDINGS: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/svg+xml': 'svg',
  'audio/mpeg': 'mp3',
  'audio/x-wav': 'wav',
  'text/plain': 'txt',
  'application/octet-stream': 'bin',
}

/** A file with its digest. A media type that is none becomes that of plain bytes. */
export function mediumOf(part: {
  readonly name: string
  readonly filename: string
  readonly mediaType: string
  readonly bytes: Uint8Array
}): Medium {
  const mime = part.mediaType.toLowerCase().split(';')[0]?.trim() ?? ''
  return {
    name: part.name,
    // The last name of a path alone: it is shown, and never opened.
    filename: part.filename === '' ? null : fileName(part.filename),
    mime: MIME.test(mime) ? mime : 'application/octet-stream',
    bytes: part.bytes,
    sha256: `sha256:${hash('sha256', part.bytes)}`,
  }
}

/** The kind of a media type. */
export function kindOf(mime: string): MediumKind {
  const [family] = mime.split('/')
  return family === 'image' || family === 'audio' || family === 'video' ? family : 'blob'
}

/** The usual ending of a file's name. */
export function endingOf(mime: string): string {
  return ENDINGS[mime] ?? mime.split('/')[1]?.replace(/^x-/, '').replace(/\+.*$/, '') ?? 'bin'
}

/** The handle of a file: it names the bytes within one account. */
export function handleOf({ sha256 }: Pick<Medium, 'sha256'>): string {
  return `media:${sha256.slice('sha256:'.length)}`
}

/** The bytes of a data URI; null for what is no base64. */
export function readDataUri(uri: string): Pick<Medium, 'mime' | 'bytes'> | null {
  const comma = uri.indexOf(',')
  const head = uri.slice('data:'.length, comma)
  const text = uri.slice(comma + 1)
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 === 1) return null
  return { mime: head.replace(/;base64$/, ''), bytes: Buffer.from(text, 'base64') }
}

function fileName(given: string): string {
  const last = given.split(/[/\\]/).at(-1) ?? ''
  return last
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, '')
    .slice(0, 200)
}
