import { GUIDE_GROUPS } from './guides.ts'
import { escapeHtml } from './html.ts'
import type { RenderedGuide } from './render-guide.ts'

/** The files that every page of the site loads. The reference loads its own script beside them. */
const HEAD = `<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" type="image/svg+xml" href="/console/icon.svg">
<link rel="stylesheet" href="/console/style/base.css">
<link rel="stylesheet" href="/console/docs/bar.css">
<link rel="stylesheet" href="/console/docs/site.css">
<script src="/console/theme.js"></script>
<script type="module" src="/console/docs/site.js"></script>`

/** The page of a guide: bar, list of guides, text, and the guide's own headings. */
export function guidePage(path: string, guide: RenderedGuide, titles: ReadonlyMap<string, string>): string {
  const sections = guide.headings.filter(({ level }) => level === 2)
  const own =
    sections.length < 2
      ? ''
      : `<nav class="own" aria-label="On this page"><p>On this page</p><ul>${sections
          .map(({ text, anchor }) => `<li><a href="#${escapeHtml(anchor)}">${escapeHtml(text)}</a></li>`)
          .join('')}</ul></nav>`
  const text = guide.html.replace('</h1>\n', `</h1>\n${own}`)
  return page(`${guide.title} · svc`, `${text}${followers(path, titles)}`, listGuides(path, titles))
}

/** The first page: each guide with its summary. */
export function indexPage(titles: ReadonlyMap<string, string>): string {
  const groups = GUIDE_GROUPS.map(
    ({ title, guides }) =>
      `<h2>${escapeHtml(title)}</h2>\n<ul class="cards">${guides
        .map(
          ({ path, summary }) =>
            `<li><a href="/docs/${path}">${escapeHtml(titles.get(path) ?? path)}</a><span>${escapeHtml(summary)}</span></li>`,
        )
        .join('\n')}</ul>`,
  )
  const main = `<h1>Documentation</h1>
<p class="lead">svc compiles examples into a small, signed artifact: a program, a classifier, a tabular model or an adapter. Start with
<a href="/docs/guides/get-started">Get started</a>.</p>
${groups.join('\n')}
<h2>HTTP</h2>
<ul class="cards"><li><a href="/docs/api">API reference</a><span>Every route with its fields, errors and a recorded example.</span></li>
<li><a href="/openapi.json">OpenAPI document</a><span>The machine contract, OpenAPI 3.1.</span></li></ul>`
  return page('Documentation · svc', main, listGuides('', titles))
}

/** The page for an address of the site that leads nowhere, beside the list of guides. */
export function noSuchPage(titles: ReadonlyMap<string, string>): string {
  const main = `<h1>This page does not exist</h1>
<p class="lead">The address may have changed. Start with <a href="/docs">all guides</a> or the <a href="/docs/api">API reference</a>.</p>`
  return page('This page does not exist · svc', main, listGuides('', titles))
}

/** Returns the links in the bar above every page of the site. */
export function barLinks(current: 'guides' | 'api'): string {
  return `<nav aria-label="Site"><a class="brand" href="/docs">svc <span>docs</span></a><a href="/docs"${marked(current === 'guides')}>Guides</a><a href="/docs/api"${marked(current === 'api')}>API</a><a href="/">Console</a></nav>`
}

function page(title: string, main: string, guides: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<title>${escapeHtml(title)}</title>
${HEAD}
</head>
<body>
<a class="skip" href="#main">Skip to the text</a>
<header class="bar">${barLinks('guides')}<button type="button" class="menu" popovertarget="guides">All guides</button></header>
<div class="columns">
<nav id="guides" popover aria-label="Guides">${guides}</nav>
<main id="main" tabindex="-1">
${main}
</main>
</div>
</body>
</html>
`
}

function listGuides(current: string, titles: ReadonlyMap<string, string>): string {
  return GUIDE_GROUPS.map(
    ({ title, guides }) =>
      `<p>${escapeHtml(title)}</p><ul>${guides
        .map(
          ({ path }) =>
            `<li><a href="/docs/${path}"${marked(path === current)}>${escapeHtml(titles.get(path) ?? path)}</a></li>`,
        )
        .join('')}</ul>`,
  ).join('\n')
}

/** Links to the guides before and after this one. */
function followers(current: string, titles: ReadonlyMap<string, string>): string {
  const paths = GUIDE_GROUPS.flatMap(({ guides }) => guides.map(({ path }) => path))
  const at = paths.indexOf(current)
  const link = (path: string | undefined, label: string): string =>
    path === undefined ? '' : `<a href="/docs/${path}">${label}: ${escapeHtml(titles.get(path) ?? path)}</a>`
  return `<nav class="followers" aria-label="Previous and next guide">${link(paths[at - 1], 'Previous')}${link(paths[at + 1], 'Next')}</nav>`
}

function marked(isCurrent: boolean): string {
  return isCurrent ? ' aria-current="page"' : ''
}
