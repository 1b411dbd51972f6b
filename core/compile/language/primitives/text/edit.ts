import type { Edge, Side } from '../../names.ts'
import { type CompiledCharSet, inCharSet, isSpace } from './char-classes.ts'
import { isInsidePair, matchIndex } from './positions.ts'
import type { Matches } from './tokens.ts'

/** Removes the characters of the set from one or both ends. */
export function trimText(text: string, side: Side, set: CompiledCharSet): string {
  let start = 0
  let end = text.length
  if (side !== 'end') {
    while (start < end) {
      const codePoint = text.codePointAt(start) ?? 0
      if (!inCharSet(set, codePoint)) break
      start += codePoint > 0xffff ? 2 : 1
    }
  }
  if (side !== 'start') {
    while (end > start) {
      const width = isInsidePair(text, end - 1) ? 2 : 1
      if (!inCharSet(set, text.codePointAt(end - width) ?? 0)) break
      end -= width
    }
  }
  return text.slice(start, end)
}

/** Every run of white space becomes one space; the ends are not trimmed. */
export function collapseSpaceIn(text: string): string {
  let out = ''
  let copied = 0
  for (let at = 0; at < text.length; at++) {
    if (!isSpace(text.charCodeAt(at))) continue
    const start = at
    while (at + 1 < text.length && isSpace(text.charCodeAt(at + 1))) at++
    if (start === at && text.charCodeAt(at) === 32) continue
    out += `${text.slice(copied, start)} `
    copied = at + 1
  }
  return copied === 0 ? text : out + text.slice(copied)
}

/** Returns the characters in the set (`isKept` true), or the characters outside it. */
export function filterChars(text: string, set: CompiledCharSet, isKept: boolean): string {
  let out = ''
  let copied = 0
  let at = 0
  while (at < text.length) {
    const codePoint = text.codePointAt(at) ?? 0
    const width = codePoint > 0xffff ? 2 : 1
    if (inCharSet(set, codePoint) !== isKept) {
      out += text.slice(copied, at)
      copied = at + width
    }
    at += width
  }
  return copied === 0 ? text : out + text.slice(copied)
}

/** Pads with repetitions of `fill`, the last of which is cut, up to `width` units; undefined if that tears a pair. */
export function padText(text: string, side: Edge, width: number, fill: string): string | undefined {
  const missing = width - text.length
  if (missing <= 0 || fill === '') return text
  const padding = fill.repeat(Math.ceil(missing / fill.length)).slice(0, missing)
  if (!padding.isWellFormed()) return undefined
  return side === 'start' ? padding + text : text + padding
}

/** Puts `replacement` in the place of every match. */
export function replaceMatches(text: string, matches: Matches, replacement: string): string {
  let out = ''
  let copied = 0
  for (let index = 0; index < matches.length; index += 2) {
    out += text.slice(copied, matches[index]) + replacement
    copied = matches[index + 1] ?? copied
  }
  return out + text.slice(copied)
}

/** Puts `replacement` in the place of the k-th match; without one, the text stays as it was. */
export function replaceNth(text: string, matches: Matches, occurrence: number, replacement: string): string {
  const index = matchIndex(matches, occurrence)
  if (index === -1) return text
  return text.slice(0, matches[index]) + replacement + text.slice(matches[index + 1])
}

/** Returns the texts between the matches: one more than there are matches. Empty matches do not split. */
export function splitAt(text: string, matches: Matches, dropEmpty: boolean): string[] {
  const parts: string[] = []
  let copied = 0
  for (let index = 0; index < matches.length; index += 2) {
    const start = matches[index] ?? 0
    const end = matches[index + 1] ?? 0
    if (start === end) continue
    if (!dropEmpty || start > copied) parts.push(text.slice(copied, start))
    copied = end
  }
  if (!dropEmpty || copied < text.length) parts.push(text.slice(copied))
  return parts
}

/** The text backwards, by code points. */
export function reverseText(text: string): string {
  return Array.from(text).reverse().join('')
}
