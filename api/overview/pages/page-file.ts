import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Context } from 'koa'
import { namesTag } from '../../kernel/reply/kept-answers.ts'
import { DOCUMENT_HEADERS } from '../../kernel/security-headers.ts'

type Encoding = 'br' | 'gzip' | 'identity'

const COMPRESSORS = {
  br: async (bytes: Buffer) =>
    await promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: async (bytes: Buffer) => await promisify(gzip)(bytes, { level: 9 }),
  identity: async (bytes: Buffer) => await Promise.resolve(bytes),
} as const satisfies Record<Encoding, (bytes: Buffer) => Promise<Buffer>>

/** A file of a page for people, held in memory. */
export interface PageFile {
  readonly mediaType: string
  readonly bytes: Buffer
  /** Digest of the bytes. */
  readonly digest: string
}

/** Makes a file of its bytes. */
export function pageFile(mediaType: string, bytes: Buffer): PageFile {
  return { mediaType, bytes, digest: createHash('sha256').update(bytes).digest('base64url') }
}

/** Compressed bytes by file, which live as long as the file. */
const compressed = new WeakMap<PageFile, Map<Encoding, Promise<Buffer>>>()

/**
 * Answers with a file, compressed as the browser asks (once, when first asked for). A browser asks each time whether the
 * file has changed, so that all files of a page are of one release.
 */
export async function sendPageFile(ctx: Context, file: PageFile): Promise<void> {
  const encoding = encodingOf(ctx.acceptsEncodings('br', 'gzip', 'identity'))
  const etag = `"${file.digest}-${encoding}"`
  ctx.set('Cache-Control', 'no-cache')
  ctx.vary('Accept-Encoding')
  ctx.set('ETag', etag)
  if (!file.mediaType.startsWith('text/html')) for (const name of DOCUMENT_HEADERS) ctx.remove(name)
  if (namesTag(ctx.req.headers['if-none-match'], etag)) {
    ctx.status = 304
    return
  }
  if (encoding !== 'identity') ctx.set('Content-Encoding', encoding)
  ctx.type = file.mediaType
  ctx.body = await bytesOf(file, encoding)
}

async function bytesOf(file: PageFile, encoding: Encoding): Promise<Buffer> {
  const known = compressed.get(file) ?? new Map<Encoding, Promise<Buffer>>()
  compressed.set(file, known)
  const bytes = known.get(encoding) ?? COMPRESSORS[encoding](file.bytes)
  known.set(encoding, bytes)
  return await bytes
}

function encodingOf(accepted: string | false): Encoding {
  return accepted === 'br' || accepted === 'gzip' ? accepted : 'identity'
}
