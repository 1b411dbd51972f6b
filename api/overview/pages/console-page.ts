import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Middleware } from 'koa'
import type { RateLimits } from '../../kernel/guard/rate-limits.ts'
import { namesTag } from '../../kernel/reply/kept-answers.ts'
import { consolePolicy } from '../../kernel/security-headers.ts'
import { importMapSource, readConsoleFiles, type PageFile } from './console-files.ts'
import { limitPageFiles } from './page-limit.ts'

type Encoding = 'br' | 'gzip' | 'identity'

const COMPRESSORS = {
  br: async (bytes: Buffer) =>
    await promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: async (bytes: Buffer) => await promisify(gzip)(bytes, { level: 9 }),
  identity: async (bytes: Buffer) => await Promise.resolve(bytes),
} as const satisfies Record<Encoding, (bytes: Buffer) => Promise<Buffer>>

/**
 * The console for people: the page at `/` and its modules under `/console/`. The files are read once, compressed once
 * when first asked for, and served as they stand in the folder and in the packages; a browser asks each time whether
 * they have changed, so that all of a page's modules are of one release.
 */
export function serveConsole(rateLimits: RateLimits): Middleware {
  const files = readConsoleFiles()
  const policy = consolePolicy(importMapSource(files.get('/')?.bytes.toString('utf8') ?? ''))
  const compressed = new Map<string, Promise<Buffer>>()
  const bytesOf = async (file: PageFile, encoding: Encoding): Promise<Buffer> => {
    const name = `${file.digest}-${encoding}`
    const bytes = compressed.get(name) ?? COMPRESSORS[encoding](file.bytes)
    compressed.set(name, bytes)
    return await bytes
  }
  return async (ctx, next) => {
    const file = files.get(ctx.path)
    if (!file || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return await next()
    await limitPageFiles(ctx, rateLimits)
    const encoding = encodingOf(ctx.acceptsEncodings('br', 'gzip', 'identity'))
    const etag = `"${file.digest}-${encoding}"`
    // The policy of the page holds for its modules; alone, they keep that of the API.
    if (ctx.path === '/') ctx.set('Content-Security-Policy', policy)
    ctx.set('Cache-Control', 'no-cache')
    ctx.vary('Accept-Encoding')
    ctx.set('ETag', etag)
    if (namesTag(ctx.req.headers['if-none-match'], etag)) {
      ctx.status = 304
      return
    }
    if (encoding !== 'identity') ctx.set('Content-Encoding', encoding)
    ctx.type = file.mediaType
    ctx.body = await bytesOf(file, encoding)
  }
}

function encodingOf(accepted: string | false): Encoding {
  return accepted === 'br' || accepted === 'gzip' ? accepted : 'identity'
}
