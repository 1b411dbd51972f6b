const OPEN = ['{{', '{%', '{#'] as const
const CLOSE = { '{{': '}}', '{%': '%}', '{#': '#}' } as const
/** Begins a name whose letters are written in hexadecimal digits. */
const MARK = 'svc_x'
const LETTERS = /[\u0080-\uffff]+/y
const CODED = /svc_x((?:[0-9a-f]{4})+)_/g

/**
 * Writes the letters of names that the library's lexer does not know, in the tags of a template, in hexadecimal digits. Comments,
 * texts and what stands outside of tags stay as they are.
 */
export function codeNames(source: string): string {
  const parts: string[] = []
  for (let at = 0; at < source.length;) {
    const start = nextTag(source, at)
    parts.push(source.slice(at, start))
    if (start === source.length) break
    const end = endOfTag(source, start)
    const tag = source.slice(start, end)
    parts.push(tag.startsWith('{#') ? tag : codeTag(tag))
    at = end
  }
  return parts.join('')
}

/** Returns a name as its template has it. */
export function readName(name: string): string {
  return name.replaceAll(CODED, (_, digits: string) =>
    digits.replaceAll(/.{4}/g, (code) => String.fromCharCode(Number.parseInt(code, 16))),
  )
}

function nextTag(source: string, from: number): number {
  for (let at = source.indexOf('{', from); at >= 0; at = source.indexOf('{', at + 1)) {
    if (OPEN.some((open) => source.startsWith(open, at))) return at
  }
  return source.length
}

/** The place behind a tag: texts in it may hold what ends it. A comment ends at its first end. */
function endOfTag(source: string, start: number): number {
  const open = OPEN.find((each) => source.startsWith(each, start)) ?? '{{'
  if (open === '{#') {
    const end = source.indexOf(CLOSE[open], start + 2)
    return end < 0 ? source.length : end + 2
  }
  let depth = 0
  for (let at = start + 2; at < source.length; at++) {
    const character = source.charAt(at)
    if (depth === 0 && source.startsWith(CLOSE[open], at)) return at + 2
    if (character === '"' || character === "'") at = endOfText(source, at)
    else if (character === '{') depth++
    else if (character === '}') depth = Math.max(0, depth - 1)
  }
  return source.length
}

/** The place of the quotation mark that ends a text. */
function endOfText(source: string, start: number): number {
  for (let at = start + 1; at < source.length; at++) {
    if (source[at] === '\\') at++
    else if (source[at] === source[start]) return at
  }
  return source.length
}

function codeTag(tag: string): string {
  let coded = ''
  for (let at = 0; at < tag.length;) {
    const character = tag.charAt(at)
    if (character === '"' || character === "'") {
      const end = endOfText(tag, at) + 1
      coded += tag.slice(at, end)
      at = end
      continue
    }
    LETTERS.lastIndex = at
    const [letters = ''] = LETTERS.exec(tag) ?? []
    const isMark = tag.startsWith(MARK, at)
    coded += letters !== '' || isMark ? codeText(letters === '' ? character : letters) : character
    at += Math.max(1, letters.length)
  }
  return coded
}

function codeText(text: string): string {
  return `${MARK}${Array.from({ length: text.length }, (_, at) => text.charCodeAt(at).toString(16).padStart(4, '0')).join('')}_`
}
