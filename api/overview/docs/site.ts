import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { pageFile, type PageFile } from '../pages/page-file.ts'
import { guidePage, indexPage, noSuchPage } from './guide-page.ts'
import { GUIDE_FILES, GUIDE_GROUPS } from './guides.ts'
import { REFERENCE_PAGE } from './reference-page.ts'
import { renderGuide } from './render-guide.ts'

const FOLDER = new URL('../../../docs/', import.meta.url)
const HTML = 'text/html; charset=utf-8'
const SCALAR = new URL('browser/standalone.js', import.meta.resolve('@scalar/api-reference'))

/** The documentation site. */
interface Site {
  /** By their paths. */
  readonly files: ReadonlyMap<string, PageFile>
  /** The page for an address that leads nowhere. */
  readonly missing: PageFile
}

let site: Site | undefined

/** Returns the documentation site. The guides are rendered when it is first asked for. */
export function documentationSite(): Site {
  site ??= makeSite()
  return site
}

function makeSite(): Site {
  const guides = renderGuides()
  const titles = new Map(guides.map(({ path, guide }) => [path, guide.title]))
  const files = new Map([
    ['/docs', html(indexPage(titles))],
    ...guides.map(({ path, guide }) => [`/docs/${path}`, html(guidePage(path, guide, titles))] as const),
    ['/docs/search.json', pageFile('application/json', Buffer.from(JSON.stringify(guides.flatMap(indexGuide))))],
    ['/docs/api', html(REFERENCE_PAGE)],
    ['/docs/assets/scalar.js', pageFile('text/javascript; charset=utf-8', readFileSync(fileURLToPath(SCALAR)))],
    ...Object.entries(GUIDE_FILES).map(
      ([path, mediaType]) => [`/docs/${path}`, pageFile(mediaType, readFileSync(new URL(path, FOLDER)))] as const,
    ),
  ])
  return { files, missing: html(noSuchPage(titles)) }
}

function renderGuides() {
  return GUIDE_GROUPS.flatMap((group) => group.guides).map(({ path }) => ({
    path,
    guide: renderGuide(readFileSync(new URL(`${path}.md`, FOLDER), 'utf8'), path),
  }))
}

/** A section as the search reads it: address, title of its guide, heading, words. */
type IndexedSection = readonly [address: string, guide: string, heading: string, text: string]

function indexGuide({ path, guide }: { path: string; guide: ReturnType<typeof renderGuide> }): IndexedSection[] {
  return guide.sections.map(({ heading, text }) => [
    heading.level === 1 ? `/docs/${path}` : `/docs/${path}#${heading.anchor}`,
    guide.title,
    heading.text,
    text,
  ])
}

function html(text: string): PageFile {
  return pageFile(HTML, Buffer.from(text))
}
