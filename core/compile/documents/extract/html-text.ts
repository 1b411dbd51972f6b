/** Elements whose content is no text of the page. */
const HIDDEN = new Set(['script', 'style', 'template', 'noscript', 'svg', 'head'])
/** Elements after which a line ends. */
const BLOCKS = new Set(
  'address article aside blockquote br dd div dl dt figcaption footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table td th title tr ul'.split(
    ' ',
  ),
)
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  copy: '©',
  reg: '®',
  euro: '€',
  auml: 'ä',
  ouml: 'ö',
  uuml: 'ü',
  Auml: 'Ä',
  Ouml: 'Ö',
  Uuml: 'Ü',
  szlig: 'ß',
  eacute: 'é',
  egrave: 'è',
  agrave: 'à',
  ccedil: 'ç',
}

/**
 * Returns the text of a page: its title, then what a reader sees, one line for each block. Looks at every character once,
 * so its time is linear whatever the page holds.
 */
export function htmlText(html: string): string {
  const pieces: string[] = []
  let at = 0
  for (;;) {
    const open = html.indexOf('<', at)
    if (open === -1) break
    pieces.push(html.slice(at, open))
    if (html.startsWith('<!--', open)) {
      at = behind(html, '-->', open + 4)
      continue
    }
    const name = /^<\/?([a-zA-Z][a-zA-Z0-9]{0,20})/.exec(html.slice(open, open + 24))?.[1]?.toLowerCase()
    if (name === undefined && html[open + 1] !== '!' && html[open + 1] !== '?') {
      // A less-than sign in a text.
      pieces.push('<')
      at = open + 1
      continue
    }
    at = behind(html, '>', open + 1)
    if (name === undefined) continue
    if (BLOCKS.has(name)) pieces.push('\n')
    if (HIDDEN.has(name) && html[open + 1] !== '/' && html[at - 2] !== '/') {
      const end = closing(html, name, at)
      if (name === 'head') pieces.push(titleOf(html.slice(at, end)), '\n')
      at = end
    }
  }
  pieces.push(html.slice(at))
  return withoutEntities(pieces.join(''))
    .replaceAll(/[^\S\n]+/g, ' ')
    .replaceAll(/ ?\n ?/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
}

function behind(html: string, mark: string, from: number): number {
  const at = html.indexOf(mark, from)
  return at === -1 ? html.length : at + mark.length
}

/** Returns where the end tag of a hidden element begins; the end of the page when there is none. */
function closing(html: string, name: string, from: number): number {
  const end = new RegExp(`</${name}[\\s/>]`, 'gi')
  end.lastIndex = from
  return end.exec(html)?.index ?? html.length
}

function titleOf(head: string): string {
  const open = head.search(/<title[\s>]/i)
  if (open === -1) return ''
  const from = behind(head, '>', open)
  return head.slice(from, closing(head, 'title', from))
}

function withoutEntities(text: string): string {
  return text.replaceAll(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,8});/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return ENTITIES[name] ?? whole
    const code = name[1] === 'x' || name[1] === 'X' ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
    return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : whole
  })
}
