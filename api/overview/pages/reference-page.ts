import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Middleware } from 'koa'
import type { RateLimits } from '../../kernel/guard/rate-limits.ts'
import { namesTag } from '../../kernel/reply/kept-answers.ts'
import { limitPageFiles } from './page-limit.ts'
import { DOCS_POLICY } from '../../kernel/security-headers.ts'

const ASSETS = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
} as const

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>svc API reference</title>
<link rel="icon" type="image/png" href="/docs/assets/favicon-32x32.png">
<link rel="stylesheet" href="/docs/assets/swagger-ui.css">
</head>
<body>
<div id="reference"></div>
<script src="/docs/assets/swagger-ui-bundle.js"></script>
<script src="/docs/assets/start.js"></script>
</body>
</html>
`

const START = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: 'list',
  validatorUrl: null,
})
`

interface DocsFile {
  readonly mediaType: string
  readonly bytes: Buffer
  readonly etag: string
}

/**
 * The reference page at `/docs`: the machine contract made browsable. Page, script and styles come from this server,
 * read once and kept, and its policy lets the browser load nothing from any other.
 */
export function serveReference(rateLimits: RateLimits): Middleware {
  const files = readFiles()
  return async (ctx, next) => {
    const file = files.get(ctx.path)
    if (!file || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return await next()
    await limitPageFiles(ctx, rateLimits)
    ctx.set('Content-Security-Policy', DOCS_POLICY)
    ctx.set('Cache-Control', 'public, max-age=300')
    ctx.set('ETag', file.etag)
    if (namesTag(ctx.req.headers['if-none-match'], file.etag)) {
      ctx.status = 304
      return
    }
    ctx.type = file.mediaType
    ctx.body = file.bytes
  }
}

function readFiles(): ReadonlyMap<string, DocsFile> {
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  const assets = Object.entries(ASSETS).map(([name, mediaType]): [string, DocsFile] => {
    return [`/docs/assets/${name}`, fileOf(mediaType, readFileSync(join(folder, name)))]
  })
  return new Map([
    ...assets,
    ['/docs', fileOf('text/html; charset=utf-8', Buffer.from(PAGE))],
    ['/docs/assets/start.js', fileOf('text/javascript; charset=utf-8', Buffer.from(START))],
  ])
}

function fileOf(mediaType: string, bytes: Buffer): DocsFile {
  return { mediaType, bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` }
}
