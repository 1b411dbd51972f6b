import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { pageFile, type PageFile } from './page-file.ts'

const FOLDER = fileURLToPath(new URL('../../../console', import.meta.url))

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
}

const ImportMap = z.object({ imports: z.record(z.string(), z.string()) })

/** Files of packages that the console uses, as they come from npm, by the names of the import map in `index.html`. */
const LIBRARY: Readonly<Record<string, string>> = {
  'preact.js': import.meta.resolve('preact'),
  'preact-hooks.js': import.meta.resolve('preact/hooks'),
  'preact-signals.js': import.meta.resolve('@preact/signals'),
  'preact-signals-core.js': import.meta.resolve('@preact/signals-core'),
  'htm.js': import.meta.resolve('htm'),
  'htm-preact.js': import.meta.resolve('htm/preact'),
  'uplot.js': import.meta.resolve('uplot/dist/uPlot.esm.js'),
  'uplot.css': import.meta.resolve('uplot/dist/uPlot.min.css'),
}

/** Reads the files by their paths: those of the console's folder with a known media type, and those of its packages. */
export function readConsoleFiles(): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>()
  for (const name of readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })) {
    const mediaType = MEDIA_TYPES[extname(name)]
    if (mediaType === undefined) continue
    const path = name === 'index.html' ? '/' : `/console/${name.replaceAll('\\', '/')}`
    files.set(path, pageFile(mediaType, readFileSync(join(FOLDER, name))))
  }
  for (const [name, url] of Object.entries(LIBRARY)) {
    const mediaType = MEDIA_TYPES[extname(name)] ?? ''
    files.set(`/console/library/${name}`, pageFile(mediaType, readFileSync(fileURLToPath(url))))
  }
  return files
}

/** Returns the CSP source of the page's import map, the one script that stands in the page itself. */
export function importMapSource(page: string): string {
  return `'sha256-${createHash('sha256').update(findImportMap(page)).digest('base64')}'`
}

/** Returns the paths of the packages by the names that modules import them by. Throws for a page without them. */
export function readImportMap(page: string): Readonly<Record<string, string>> {
  return ImportMap.parse(JSON.parse(findImportMap(page))).imports
}

function findImportMap(page: string): string {
  return /<script type="importmap">([^]*?)<\/script>/.exec(page)?.[1] ?? ''
}
