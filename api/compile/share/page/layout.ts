import { markup, type Markup, type Part } from '../../../../core/kernel/wire/markup.ts'
import { PAGE_POLICY } from '../../../kernel/security-headers.ts'
import { LINK_HEADERS } from '../link-terms.ts'

/** Headers of every page under `/r/`. */
export const PAGE_HEADERS = { ...LINK_HEADERS, 'Content-Security-Policy': PAGE_POLICY } as const

/** Styles of the console that the pages use. */
const STYLES = ['base', 'frame', 'controls', 'forms', 'tables', 'jobs', 'rows', 'narrow', 'share'] as const

/** Content of a page. */
export interface PageContent {
  readonly title: string
  /** Further elements of the head. */
  readonly head?: Part
  readonly main: Markup
}

/** Returns a page as text: the frame of the console around its content. It needs no script. */
export function renderPage({ title, head, main }: PageContent): string {
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex, nofollow">
<title>${title} · svc</title>
<link rel="icon" type="image/svg+xml" href="/console/icon.svg">
${STYLES.map((name) => markup`<link rel="stylesheet" href="/console/style/${name}.css">\n`)}<script src="/console/theme.js"></script>
${head}</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="bar"><a class="brand" href="/"><img src="/console/icon.svg" alt="" width="22" height="22">svc</a></header>
<main id="content" class="shared" tabindex="-1">
${main}
</main>
<footer>svc compiles examples into small models that are signed and carry the evidence of their accuracy. <a href="/">Start here</a></footer>
</body>
</html>
`.toString()
}
