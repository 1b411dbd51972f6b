import type { SensitiveClass } from '../classes.ts'
import { isWord, type Find } from './characters.ts'
import type { TermFinder } from './scan-text.ts'

/** Words and phrases of a tenant that count as one class. */
export interface Terms {
  readonly kind: SensitiveClass
  readonly terms: readonly string[]
}

/** A node of the trie of terms: the next nodes by character, and the class of a term that ends here. */
interface Node {
  readonly next: Map<number, Node>
  kind: SensitiveClass | null
}

/** Longest term, characters. */
const MOST_CHARS = 256

/**
 * Compiles terms into a trie that is walked once from the start of each word, whatever the case. Terms of different
 * classes may share words; the longest that ends with its word counts.
 */
export function compileTerms(lists: readonly Terms[]): TermFinder {
  const root: Node = { next: new Map(), kind: null }
  for (const { kind, terms } of lists) {
    for (const term of terms) insert(root, term.trim().slice(0, MOST_CHARS), kind)
  }
  return { find: (text, add) => (root.next.size === 0 ? undefined : findTerms(root, text, add)) }
}

function insert(root: Node, term: string, kind: SensitiveClass): void {
  if (term === '') return
  let node = root
  for (let i = 0; i < term.length; i++) {
    const code = lower(term.charCodeAt(i))
    const next = node.next.get(code) ?? { next: new Map<number, Node>(), kind: null }
    node.next.set(code, next)
    node = next
  }
  node.kind = kind
}

function findTerms(root: Node, text: string, add: (find: Find) => void): void {
  const firsts = firstCodes(root)
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 128 && firsts[code] === 0) continue
    const first = root.next.get(lower(code))
    if (first === undefined || (isWord(text.charCodeAt(at)) && isWord(text.charCodeAt(at - 1)))) continue
    const found = longest(first, text, at)
    if (found === null) continue
    add(found)
    at = found.end - 1
  }
}

/** By code: 1 for an ASCII character with which a term may begin. */
function firstCodes({ next }: Node): Uint8Array {
  const firsts = new Uint8Array(128)
  for (let code = 0; code < 128; code++) if (next.has(lower(code))) firsts[code] = 1
  return firsts
}

function longest(first: Node, text: string, start: number): Find | null {
  let found: Find | null = null
  let node: Node | undefined = first
  for (let at = start; node !== undefined; at++) {
    const isEnd = !isWord(text.charCodeAt(at)) || !isWord(text.charCodeAt(at + 1))
    if (node.kind !== null && isEnd) found = { start, end: at + 1, kind: node.kind }
    node = at + 1 < text.length ? node.next.get(lower(text.charCodeAt(at + 1))) : undefined
  }
  return found
}

/** Returns the lower case of a UTF-16 unit; most are ASCII. */
export function lower(code: number): number {
  if (code < 128) return code >= 0x41 && code <= 0x5a ? code + 32 : code
  const text = String.fromCharCode(code).toLowerCase()
  return text.length === 1 ? text.charCodeAt(0) : code
}
