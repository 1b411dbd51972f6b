import type { Middleware } from 'koa'
import type { RateLimits } from '../../kernel/guard/rate-limits.ts'
import { consolePolicy } from '../../kernel/security-headers.ts'
import { importMapSource, readConsoleFiles, readImportMap } from './console-files.ts'
import { readConsoleModules } from './console-modules.ts'
import { pageFile, sendPageFile, type PageFile } from './page-file.ts'
import { limitPageFiles } from './page-limit.ts'

/** Path of the style sheets of the page. */
const STYLES = '/console/styles.css'
const STYLE_LINKS = /<link rel="stylesheet" href="([^"]+)" \/>\n\s*/g

/**
 * The console for people: the page at `/` and its modules under `/console/`. The files are read once and served as they
 * stand in the folder and in the packages, but for the style sheets, which are one file. The page names the modules that it
 * needs, so that the browser asks for all of them at once. Throws for a style sheet that the page names and is not there.
 */
export function serveConsole(rateLimits: RateLimits): Middleware {
  const read = readConsoleFiles()
  const { html, styles } = joinStyles(read, read.get('/')?.bytes.toString('utf8') ?? '')
  const files = new Map([...read, [STYLES, styles]])
  const policy = consolePolicy(importMapSource(html))
  let page: PageFile | undefined
  return async (ctx, next) => {
    const isPage = ctx.path === '/'
    // With the first visit: a process that serves no person does not read the modules.
    const file = isPage ? (page ??= nameModules(files, html)) : files.get(ctx.path)
    if (!file || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return await next()
    await limitPageFiles(ctx, rateLimits)
    // The policy of the page holds for its modules.
    if (isPage) ctx.set('Content-Security-Policy', policy)
    await sendPageFile(ctx, file)
  }
}

/** Joins the style sheets of the page into one file, in their order: each request of a first load takes its time. */
function joinStyles(files: ReadonlyMap<string, PageFile>, html: string) {
  const sheets = [...html.matchAll(STYLE_LINKS)].map(([, path = '']) => {
    const sheet = files.get(path)
    if (sheet === undefined) throw new Error(`console/index.html names the style sheet ${path}, which is not there`)
    return sheet.bytes
  })
  let places = 0
  return {
    html: html.replaceAll(STYLE_LINKS, () => (places++ === 0 ? `<link rel="stylesheet" href="${STYLES}" />\n` : '')),
    styles: pageFile('text/css; charset=utf-8', Buffer.concat(sheets)),
  }
}

/** The page with the paths of all modules: those of the frame as links, those of its pages for `console/preload.js`. */
function nameModules(files: ReadonlyMap<string, PageFile>, html: string): PageFile {
  const { early, frame, pages } = readConsoleModules(files, readImportMap(html))
  const links = [
    ...early.map((path) => `<link rel="modulepreload" href="${path}" />`),
    // Behind the calls that read the session: without it no page is shown.
    ...frame.map((path) => `<link rel="modulepreload" href="${path}" fetchpriority="low" />`),
  ]
  const named = html
    .replace('id="page-modules">', () => `id="page-modules">${JSON.stringify(pages)}`)
    .replace('<script type="module"', (start) => [...links, start].join('\n    '))
  return pageFile('text/html; charset=utf-8', Buffer.from(named))
}
