import { posix } from 'node:path'
import createMarkdown, { type MarkdownIt, type Token } from 'markdown-it'
import type { PassageBlock } from '../../../core/kernel/search/passage.ts'
import { highlight } from './highlight.ts'
import { escapeHtml } from './html.ts'

/** A heading of a guide. */
export interface GuideHeading {
  readonly level: number
  readonly text: string
  /** Fragment of the page's address. */
  readonly anchor: string
}

/** A guide as HTML, with what navigation and search need. */
export interface RenderedGuide {
  readonly title: string
  readonly html: string
  readonly headings: readonly GuideHeading[]
  /** The words below each heading, without markup. */
  readonly sections: readonly { readonly heading: GuideHeading; readonly text: string }[]
}

/** A guide as its parts, for those who answer from it. */
export interface GuideParts {
  readonly title: string
  readonly headings: readonly GuideHeading[]
  /** The parts below each heading: prose in Markdown without links, and commands; other code is left out. */
  readonly blocks: readonly (readonly PassageBlock[])[]
}

/**
 * Renders a guide. HTML in the Markdown is shown as text, and links with other schemes than http, https and mailto are
 * not made. `path` is the guide's path below `docs/`, from which its relative links lead.
 */
export function renderGuide(markdown: string, path: string): RenderedGuide {
  const renderer = markdownFor(path)
  const tokens = renderer.parse(markdown, {})
  const headings = nameHeadings(tokens)
  return {
    title: headings[0]?.text ?? path,
    html: renderer.renderer.render(tokens, renderer.options, {}),
    headings,
    sections: sectionsOf(tokens, headings),
  }
}

/** Reads a guide without rendering it. */
export function readGuide(markdown: string, path: string): GuideParts {
  const tokens = markdownFor(path).parse(markdown, {})
  const headings = nameHeadings(tokens)
  return { title: headings[0]?.text ?? path, headings, blocks: blocksOf(tokens, headings.length) }
}

function markdownFor(path: string): MarkdownIt {
  const markdown = createMarkdown({ html: false, linkify: false, typographer: false })
  const { rules } = markdown.renderer
  rules['fence'] = (tokens, index) => {
    const { info = '', content = '' } = tokens[index] ?? {}
    const [language = ''] = info.split(' ')
    return `<pre tabindex="0"><code data-language="${escapeHtml(language)}">${highlight(content, language)}</code></pre>\n`
  }
  rules['code_block'] = (tokens, index) =>
    `<pre tabindex="0"><code>${escapeHtml(tokens[index]?.content ?? '')}</code></pre>\n`
  rules['table_open'] = () => '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>\n'
  rules['table_close'] = () => '</table></div>\n'
  rules['heading_close'] = (tokens, index) => {
    const { tag = '' } = tokens[index] ?? {}
    const anchor = String(tokens[index - 2]?.attrGet('id') ?? '')
    const text = tokens[index - 1]?.content ?? ''
    const link = `<a class="anchor" href="#${escapeHtml(anchor)}" aria-label="Link to ${escapeHtml(text)}">#</a>`
    return `${tag === 'h1' ? '' : ` ${link}`}</${tag}>\n`
  }
  rules['link_open'] = (tokens, index, options, _env, self) => {
    const token = tokens[index]
    token?.attrSet('href', addressOf(String(token.attrGet('href') ?? ''), path))
    return self.renderToken(tokens, index, options)
  }
  return markdown
}

/** Returns the address on the site of a link as the Markdown files write it, relative to their folder. */
export function addressOf(href: string, path: string): string {
  if (/^(?:[a-z]+:|#|\/)/i.test(href)) return href
  const [file = '', fragment] = href.split('#')
  const target = posix.join('/docs', posix.dirname(path), file).replace(/\.md$/, '')
  return fragment === undefined ? target : `${target}#${fragment}`
}

/** Gives every heading its anchor, in the way of GitHub, so that links work in both places. */
function nameHeadings(tokens: readonly Token[]): readonly GuideHeading[] {
  const counts = new Map<string, number>()
  return tokens.flatMap((token, index) => {
    if (token.type !== 'heading_open') return []
    const text = plainText(tokens[index + 1])
    const slug = slugOf(text)
    const count = counts.get(slug) ?? 0
    counts.set(slug, count + 1)
    const anchor = count === 0 ? slug : `${slug}-${count}`
    token.attrSet('id', anchor)
    return [{ level: Number(token.tag.slice(1)), text, anchor }]
  })
}

function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')
}

function sectionsOf(tokens: readonly Token[], headings: readonly GuideHeading[]): RenderedGuide['sections'] {
  const texts = headings.map((): string[] => [])
  let current = -1
  for (const token of tokens) {
    if (token.type === 'heading_open') current += 1
    else if (token.type === 'inline') texts[current]?.push(plainText(token))
    else if (token.type === 'fence' || token.type === 'code_block') texts[current]?.push(token.content)
  }
  // The first text of a section is its heading.
  return headings.map((heading, i) => ({ heading, text: (texts[i] ?? []).slice(1).join(' ').replaceAll(/\s+/g, ' ') }))
}

/** Commands that answer by themselves; others carry data of an example. */
const COMMAND = /^(?:npx )?svc [^\\]*$|^npm [^\\]*$/

function blocksOf(tokens: readonly Token[], headings: number): readonly (readonly PassageBlock[])[] {
  const blocks = Array.from({ length: headings }, (): PassageBlock[] => [])
  let current = -1
  let cells: string[] | null = null
  let isHeading = false
  for (const { type, content, info } of tokens) {
    if (type === 'heading_open') current += 1
    isHeading = type === 'heading_open' || (isHeading && type === 'inline')
    if (isHeading) continue
    const text = content.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    if (type === 'tr_open') cells = []
    else if (type === 'tr_close') {
      blocks[current]?.push({ kind: 'row', text: (cells ?? []).filter((cell) => cell !== '').join(' · ') })
      cells = null
    } else if (type === 'inline' && cells !== null) cells.push(text)
    else if (type === 'inline') blocks[current]?.push({ kind: 'prose', text })
    else if (type === 'fence' && /^sh\b/.test(info)) {
      const commands = content.split('\n').filter((line) => COMMAND.test(line))
      if (commands.length > 0) blocks[current]?.push({ kind: 'code', text: commands.join('\n') })
    }
  }
  return blocks
}

function plainText(token: Token | undefined): string {
  const children = token?.children ?? []
  return children.map(({ type, content }) => (type === 'softbreak' ? ' ' : content)).join('')
}
