import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Middleware } from 'koa'
import type { RateLimits } from '../../kernel/guard/rate-limits.ts'
import { namesTag } from '../../kernel/reply/kept-answers.ts'
import { limitPageFiles } from './page-limit.ts'
import { CONSOLE_POLICY } from '../../kernel/security-headers.ts'

const FOLDER = fileURLToPath(new URL('../../../console', import.meta.url))

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
}

interface PageFile {
  readonly mediaType: string
  readonly bytes: Buffer
  readonly etag: string
}

/**
 * The console for people: the page at `/` and its modules under `/console/`. The files are read once and served as
 * they stand in the folder; a browser asks each time whether they have changed, so that all of a page's modules are of
 * one release.
 */
export function serveConsole(rateLimits: RateLimits): Middleware {
  const files = readFiles()
  return async (ctx, next) => {
    const file = files.get(ctx.path)
    if (!file || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return await next()
    await limitPageFiles(ctx, rateLimits)
    ctx.set('Content-Security-Policy', CONSOLE_POLICY)
    ctx.set('Cache-Control', 'no-cache')
    ctx.set('ETag', file.etag)
    if (namesTag(ctx.req.headers['if-none-match'], file.etag)) {
      ctx.status = 304
      return
    }
    ctx.type = file.mediaType
    ctx.body = file.bytes
  }
}

/** Reads the files of known media types; other files of the folder are not served. */
function readFiles(): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>()
  for (const name of readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })) {
    const mediaType = MEDIA_TYPES[extname(name)]
    if (mediaType === undefined) continue
    const bytes = readFileSync(join(FOLDER, name))
    const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`
    const path = name === 'index.html' ? '/' : `/console/${name.replaceAll('\\', '/')}`
    files.set(path, { mediaType, bytes, etag })
  }
  return files
}
