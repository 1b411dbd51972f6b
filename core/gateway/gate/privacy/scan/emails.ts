import { isAlphanumeric, isWord, type Find } from './characters.ts'

const MOST_LOCAL = 64
const MOST_DOMAIN = 253
/** Endings of files, as in `logo@2x.png`. */
const FILES = new Set(['png', 'jpg', 'jpeg', 'gif', 'svg', 'webp', 'css', 'js', 'ts', 'json', 'html', 'pdf'])
const TOP_LEVEL = /^(?:xn--[a-z0-9-]{2,59}|\p{L}{2,24})$/iu

/** The address around an `@`. */
export function emailAt(text: string, at: number): Find | null {
  let start = at
  while (at - start < MOST_LOCAL && isLocal(text, start - 1)) start--
  while (start < at && !isWord(text.charCodeAt(start))) start++
  if (start === at || text.charAt(at - 1) === '.' || (isLocal(text, start - 1) && at - start >= MOST_LOCAL)) return null
  let end = at + 1
  while (end - at <= MOST_DOMAIN && isDomain(text, end)) end++
  while (end > at && !isWord(text.charCodeAt(end - 1))) end--
  const labels = text.slice(at + 1, end).split('.')
  const top = labels.at(-1) ?? ''
  if (labels.length < 2 || labels.includes('') || !TOP_LEVEL.test(top) || FILES.has(top.toLowerCase())) return null
  // `git@host.example:path` names a repository.
  if (text.charAt(end) === ':' && isWord(text.charCodeAt(end + 1)) && text.slice(start, at) === 'git') return null
  return { start, end, kind: 'email' }
}

function isLocal(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return isWord(code) || code === 0x2e || code === 0x2b || code === 0x2d || code === 0x25
}

function isDomain(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return isAlphanumeric(code) || code === 0x2d || code === 0x2e || (code > 128 && isWord(code))
}
