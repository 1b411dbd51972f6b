import type { Middleware } from 'koa'
import type { RateLimits } from '../../kernel/guard/rate-limits.ts'
import { wantsPage } from '../../kernel/request/wants-page.ts'
import { PAGE_POLICY, REFERENCE_POLICY } from '../../kernel/security-headers.ts'
import { sendPageFile } from '../pages/page-file.ts'
import { limitPageFiles } from '../pages/page-limit.ts'
import { documentationSite } from './site.ts'

/**
 * The documentation under `/docs`: the guides as pages, the search index over them, and the API reference at `/docs/api`.
 * All of it comes from this server, and the policies let the browser load nothing from any other.
 */
export function serveDocs(rateLimits: RateLimits): Middleware {
  return async (ctx, next) => {
    const isDocs = ctx.path === '/docs' || ctx.path.startsWith('/docs/')
    if (!isDocs || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return await next()
    const path = ctx.path === '/docs/' ? '/docs' : ctx.path
    const { files, missing } = documentationSite()
    const file = files.get(path)
    if (!file) {
      // As people type addresses: with a slash at the end, or with the name of the file.
      const page = path.replace(/(?:\/|\.md)$/, '')
      if (page !== path && files.has(page)) return ctx.redirect(page)
      ctx.vary('Accept')
      if (!wantsPage(ctx.req)) return await next()
    }
    await limitPageFiles(ctx, rateLimits)
    if (!file) ctx.status = 404
    ctx.set('Content-Security-Policy', path === '/docs/api' ? REFERENCE_POLICY : PAGE_POLICY)
    await sendPageFile(ctx, file ?? missing)
  }
}
