import type { Middleware } from 'koa'
import type { RateLimits } from '../../kernel/guard/rate-limits.ts'
import { consolePolicy } from '../../kernel/security-headers.ts'
import { importMapSource, readConsoleFiles } from './console-files.ts'
import { sendPageFile } from './page-file.ts'
import { limitPageFiles } from './page-limit.ts'

/**
 * The console for people: the page at `/` and its modules under `/console/`. The files are read once and served as they
 * stand in the folder and in the packages.
 */
export function serveConsole(rateLimits: RateLimits): Middleware {
  const files = readConsoleFiles()
  const policy = consolePolicy(importMapSource(files.get('/')?.bytes.toString('utf8') ?? ''))
  return async (ctx, next) => {
    const file = files.get(ctx.path)
    if (!file || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return await next()
    await limitPageFiles(ctx, rateLimits)
    // The policy of the page holds for its modules.
    if (ctx.path === '/') ctx.set('Content-Security-Policy', policy)
    await sendPageFile(ctx, file)
  }
}
