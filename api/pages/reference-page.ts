import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Middleware } from 'koa'
import { DOCS_POLICY } from '../kernel/security-headers.ts'

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

/**
 * The reference page at `/docs`: the machine contract made browsable. Page, script and styles come from this server,
 * and its policy lets the browser load nothing from any other.
 */
export function serveReference(): Middleware {
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  return async (ctx, next) => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return await next()
    const name = ctx.path.startsWith('/docs/assets/') ? ctx.path.slice('/docs/assets/'.length) : undefined
    if (ctx.path === '/docs') {
      ctx.type = 'text/html; charset=utf-8'
      ctx.body = PAGE
    } else if (name === 'start.js') {
      ctx.type = 'text/javascript; charset=utf-8'
      ctx.body = START
    } else if (name !== undefined && isAsset(name)) {
      const path = join(folder, name)
      ctx.type = ASSETS[name]
      ctx.length = (await stat(path)).size
      ctx.body = createReadStream(path)
    } else return await next()
    ctx.set('Content-Security-Policy', DOCS_POLICY)
    ctx.set('Cache-Control', 'public, max-age=300')
  }
}

function isAsset(name: string): name is keyof typeof ASSETS {
  return Object.hasOwn(ASSETS, name)
}
