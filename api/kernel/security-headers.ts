import { IncomingMessage, ServerResponse, type OutgoingHttpHeader } from 'node:http'
import { Socket } from 'node:net'
import Koa, { type Middleware } from 'koa'
import helmet from 'koa-helmet'

/**
 * JSON and archives: nothing in an answer may load, run or be framed, whatever a browser makes of it. Every answer gets the
 * same headers, so they are made once.
 */
export function apiHeaders(isHttps: boolean): Middleware {
  const made = headersOf(apiPolicy(isHttps))
  let headers: Awaited<typeof made> | undefined
  return async (ctx, next) => {
    headers ??= await made
    for (const [name, value] of headers) ctx.res.setHeader(name, value)
    await next()
  }
}

/** The headers that a middleware sets on an answer. */
async function headersOf(middleware: Middleware): Promise<readonly (readonly [string, OutgoingHttpHeader])[]> {
  const request = new IncomingMessage(new Socket())
  const response = new ServerResponse(request)
  await middleware(new Koa().createContext(request, response), async () => undefined)
  return Object.entries(response.getHeaders()).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
}

function apiPolicy(isHttps: boolean): Middleware {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"], baseUri: ["'none'"], formAction: ["'none'"] },
    },
    strictTransportSecurity: isHttps ? { maxAge: 31_536_000, includeSubDomains: true } : false,
    referrerPolicy: { policy: 'strict-origin-when-cross-origin' },
    xFrameOptions: { action: 'deny' },
    crossOriginResourcePolicy: { policy: 'same-origin' },
  })
}

/**
 * Headers that say something of a document only. A page has some fifty scripts, and with each of them these would weigh as
 * much as the script.
 */
export const DOCUMENT_HEADERS = [
  'Access-Control-Expose-Headers',
  'Content-Security-Policy',
  'Cross-Origin-Opener-Policy',
  'Origin-Agent-Cluster',
  'X-DNS-Prefetch-Control',
  'X-Download-Options',
  'X-Frame-Options',
  'X-Permitted-Cross-Domain-Policies',
  'X-XSS-Protection',
] as const

/**
 * The API reference: its own scripts, calls to this server, and nothing from another host. Its script adds styles to the
 * page, so those may be in it.
 */
export const REFERENCE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

/**
 * A page that the server writes: scripts and styles of this server, calls to it, and nothing inline. No text becomes markup
 * there (Trusted Types).
 */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

/**
 * The console: its own modules and styles, calls to this server, one inline script, which is its import map, and nothing
 * else inline or from another host. No text ever becomes markup or code there (Trusted Types), so none can by mistake.
 */
export function consolePolicy(importMapSource: string): string {
  return [
    "default-src 'none'",
    `script-src 'self' ${importMapSource}`,
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
}
