import type { Middleware } from 'koa'
import type { RateLimits } from '../../kernel/guard/rate-limits.ts'
import { PAGE_POLICY, REFERENCE_POLICY } from '../../kernel/security-headers.ts'
import { sendPageFile } from '../pages/page-file.ts'
import { limitPageFiles } from '../pages/page-limit.ts'
import { documentationFiles } from './site.ts'

/**
 * The documentation under `/docs`: the guides as pages, the search index over them, and the API reference at `/docs/api`.
 * All of it comes from this server, and the policies let the browser load nothing from any other.
 */
export function serveDocs(rateLimits: RateLimits): Middleware {
  return async (ctx, next) => {
    const isDocs = ctx.path === '/docs' || ctx.path.startsWith('/docs/')
    if (!isDocs || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return await next()
    const path = ctx.path === '/docs/' ? '/docs' : ctx.path
    const file = documentationFiles().get(path)
    if (!file) return await next()
    await limitPageFiles(ctx, rateLimits)
    ctx.set('Content-Security-Policy', path === '/docs/api' ? REFERENCE_POLICY : PAGE_POLICY)
    await sendPageFile(ctx, file)
  }
}
