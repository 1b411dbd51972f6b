import type { Span } from './occurrences.ts'

/** A text with the places where the wanted part may stand. */
export interface Placed {
  readonly text: string
  readonly spans: readonly Span[]
}

/** Text that precedes and follows the extracted part in all texts. */
export interface Context {
  readonly left: string
  readonly right: string
}

const CONTEXT = 100
const MAX_PIVOTS = 6
const MAX_COMPARED = 256
const LINE_BREAK = 10

/** A unit of a text between two line breaks; -1 outside. */
function unitAt(text: string, at: number): number {
  if (at === -1 || at === text.length) return LINE_BREAK
  return at < -1 || at > text.length ? -1 : text.charCodeAt(at)
}

function commonLeft(a: string, aEnd: number, b: string, bEnd: number): number {
  let length = 0
  while (length < CONTEXT) {
    const unit = unitAt(a, aEnd - 1 - length)
    if (unit < 0 || unit !== unitAt(b, bEnd - 1 - length)) break
    length++
  }
  return length
}

function commonRight(a: string, aStart: number, b: string, bStart: number): number {
  let length = 0
  while (length < CONTEXT) {
    const unit = unitAt(a, aStart + length)
    if (unit < 0 || unit !== unitAt(b, bStart + length)) break
    length++
  }
  return length
}

/** Items spread evenly over a list, the first and the last among them. */
export function spread<T>(items: readonly T[], count: number): T[] {
  if (items.length <= count) return [...items]
  return Array.from({ length: count }, (_, i) => items[Math.round((i * (items.length - 1)) / (count - 1))]).filter(
    (item) => item !== undefined,
  )
}

/** The text between two places, with a line break before its start and behind its end. */
function framed(text: string, from: number, to: number): string {
  return `${from < 0 ? '\n' : ''}${text.slice(Math.max(0, from), Math.min(text.length, to))}${to > text.length ? '\n' : ''}`
}

/**
 * Finds what all texts have in common around the wanted part. Where it may stand at several places, those are compared
 * that are most alike. The text with the fewest places leads: each of its places gives a context.
 */
export function commonContexts(texts: readonly Placed[]): Context[] {
  const pivot = texts.reduce<Placed | undefined>(
    (best, one) => (best === undefined || one.spans.length < best.spans.length ? one : best),
    undefined,
  )
  if (pivot === undefined || pivot.spans.length === 0) return []
  const contexts = new Map<string, Context & { readonly size: number }>()
  for (const { start, end } of spread(pivot.spans, MAX_PIVOTS)) {
    let left = CONTEXT
    let right = CONTEXT
    for (const other of texts) {
      if (other === pivot) continue
      let best = { left: 0, right: 0 }
      for (const span of spread(other.spans, MAX_COMPARED)) {
        const one = {
          left: commonLeft(pivot.text, start, other.text, span.start),
          right: commonRight(pivot.text, end, other.text, span.end),
        }
        if (one.left + one.right > best.left + best.right) best = one
      }
      left = Math.min(left, best.left)
      right = Math.min(right, best.right)
    }
    const context = {
      left: framed(pivot.text, start - left, start),
      right: framed(pivot.text, end, end + right),
      size: left + right,
    }
    contexts.set(`${context.left}\u0000${context.right}`, context)
  }
  // A line that starts alike everywhere says more than a longer run inside lines.
  const isLine = ({ left }: Context) => Number(left.includes('\n'))
  return [...contexts.values()].toSorted((a, b) => isLine(b) - isLine(a) || b.size - a.size)
}

const TOKEN = /<\/?[A-Za-z][^<>\n]*>|\p{L}+|\p{N}+|[^\S\n]+|\n\s*|[^\p{L}\p{N}\s]/gu
const MAX_LANDMARK = 60

/** Texts that end where the wanted part starts, likeliest first. */
export function leftLandmarks(left: string): string[] {
  const starts = [...left.matchAll(TOKEN)].map(({ index }) => index)
  // The first token may be the end of a longer one.
  const whole = left.startsWith('\n') || !/^[\p{L}\p{N}]/u.test(left) ? starts : starts.slice(1)
  const out: string[] = []
  const line = left.lastIndexOf('\n')
  if (line >= 0 && line < left.length - 1) out.push(left.slice(line))
  const above = line > 0 ? left.lastIndexOf('\n', line - 1) : -1
  if (line === left.length - 1 && above >= 0 && above < line - 1) out.push(left.slice(above))
  const tails = [4, 6, 3, 2, 1].flatMap((count) => whole.at(-count) ?? []).map((start) => left.slice(start))
  const longest = whole.find((start) => left.length - start <= MAX_LANDMARK)
  if (longest !== undefined) tails.splice(1, 0, left.slice(longest))
  if (line >= 0) tails.push(left.slice(line))
  return [...new Set([...out, ...tails])].filter((text) => text !== '' && text.length <= 2 * MAX_LANDMARK)
}

/** Texts that start where the wanted part ends, likeliest first. */
export function rightLandmarks(right: string): string[] {
  const tokens = [...right.matchAll(TOKEN)].map(({ index, 0: token }) => ({ end: index + token.length }))
  const out: string[] = []
  const tag = /^<[^>\n]*>/.exec(right)?.[0]
  if (tag !== undefined) out.push(tag)
  const breaks = /^\n+/.exec(right)?.[0]
  if (breaks !== undefined) out.push(breaks, '\n')
  if (/^ {3}/.test(right)) out.push('  ')
  const line = /^[^\n]+\n/.exec(right)?.[0]
  // The next line says little about the end of this one.
  const last = line?.length ?? Infinity
  const heads = [3, 2, 1, 4, 6]
    .flatMap((count) => tokens[count - 1]?.end ?? [])
    .map((end) => right.slice(0, Math.min(end, last)))
  return [...new Set([...out, ...heads, ...(line === undefined ? [] : [line])])].filter(
    (text) => text !== '' && text.length <= MAX_LANDMARK,
  )
}

const LOOK_BACK = 8000
const MAX_ANCHORS = 24

/** Lines that all texts hold before the wanted part, those that occur once first, then the nearest. */
export function anchorLines(texts: readonly Placed[]): string[] {
  const [pivot, ...others] = texts.toSorted((a, b) => a.spans.length - b.spans.length)
  const start = pivot?.spans[0]?.start
  if (pivot === undefined || start === undefined) return []
  const before = pivot.text.slice(Math.max(0, start - LOOK_BACK), start)
  const lines = before.split('\n').slice(start > LOOK_BACK ? 1 : 0, -1)
  const found = new Map<string, number>()
  for (const line of lines.toReversed()) {
    const text = line.replace(/\r$/, '')
    if (found.size >= MAX_ANCHORS) break
    if (text.length < 2 || text.length > MAX_LANDMARK) continue
    const anchor = `\n${text}`
    if (found.has(anchor)) continue
    const isShared = others.every((other) => {
      const last = other.spans.at(-1)?.start ?? -1
      const at = `\n${other.text.slice(0, Math.max(0, last))}`.indexOf(anchor)
      return at >= 0
    })
    if (isShared) found.set(anchor, pivot.text.split(text).length)
  }
  return [...found].toSorted(([, a], [, b]) => Math.min(a, 3) - Math.min(b, 3)).map(([anchor]) => anchor)
}
