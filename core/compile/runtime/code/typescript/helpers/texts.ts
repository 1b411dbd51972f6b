import { NoAnswer, need, typed } from './answers.ts'
import type { Json, JsonObject } from '../../../../../kernel/json/json.ts'
import { matchIndex, sliceText } from '../../../../language/primitives/text/positions.ts'
import { padText } from '../../../../language/primitives/text/edit.ts'
import { regionsBetween } from '../../../../language/primitives/text/regions.ts'
import { capitaliseText } from '../../../../language/primitives/text/casing.ts'

/** Starts and ends of matches, one after the other. */
export type Matches = readonly number[]

/** The inside of a class of white space. */
export const SPACE_CLASS = '\\s\\x85'

/** True for a unit that is white space. */
export function isSpace(unit: number): boolean {
  return /[\s\x85]/.test(String.fromCharCode(unit))
}

/** The text without the characters of a class at its ends. */
export function trimText(text: string, side: 'both' | 'start' | 'end', members: string): string {
  const ends = [...(side === 'end' ? [] : [`^[${members}]+`]), ...(side === 'start' ? [] : [`[${members}]+$`])]
  return text.replaceAll(new RegExp(ends.join('|'), 'gu'), '')
}

/** The text between two positions. */
export function cut(text: string, start: number, end: number): string {
  return need(sliceText(text, start, end), 'no_match')
}

/** Returns the index of the first occurrence of a part. */
export function indexIn(text: string, part: string): number {
  return inRange(text, text.indexOf(part))
}

/** Returns the index of the last occurrence of a part. */
export function lastIndexIn(text: string, part: string): number {
  return inRange(text, text.lastIndexOf(part))
}

/** A position that the text has. */
export function inRange(text: string, at: number): number {
  if (!Number.isInteger(at) || at < 0 || at > text.length) throw new NoAnswer('no_match')
  return at
}

/** A position; a negative number counts from the end. */
export function position(text: string, at: number): number {
  return inRange(text, at < 0 ? text.length + at : at)
}

/** The matches, without an empty one right at the end of another. */
export function matchesOf(pattern: RegExp, text: string): RegExpExecArray[] {
  const search = new RegExp(pattern.source, pattern.flags)
  const found: RegExpExecArray[] = []
  let last = -1
  for (let at = 0; at <= text.length;) {
    search.lastIndex = at
    const match = search.exec(text)
    if (match === null) break
    const end = match.index + match[0].length
    if (match[0] !== '' || end !== last) found.push(match)
    last = end
    at = match[0] !== '' ? end : end + ((text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1)
  }
  return found
}

/** The match number `occurrence`, from the end when negative. */
export function nthMatch(pattern: RegExp, text: string, occurrence = 1, group = 0): RegExpExecArray {
  const found = matchesOf(pattern, text).filter((match) => match[group] !== undefined)
  return need(found.at(occurrence > 0 ? occurrence - 1 : occurrence), 'no_match')
}

/** The text of a match, or of a group of it. */
export function matchText(pattern: RegExp, text: string, occurrence = 1, group = 0): string {
  return need(nthMatch(pattern, text, occurrence, group)[group], 'no_match')
}

/** Every match, or a group of each. */
export function allMatches(pattern: RegExp, text: string, group = 0): string[] {
  return matchesOf(pattern, text).flatMap((match) => match[group] ?? [])
}

/** Returns the index at which a match starts or ends. */
export function edgeOf(pattern: RegExp, text: string, occurrence: number, edge: 'start' | 'end'): number {
  const match = nthMatch(pattern, text, occurrence)
  return edge === 'start' ? match.index : match.index + match[0].length
}

/** The k-th position where a match of one pattern ends and one of another starts. */
export function boundary(left: RegExp, right: RegExp, text: string, occurrence: number): number {
  const ends = new Set(matchesOf(left, text).map((match) => match.index + match[0].length))
  const found = [...new Set(matchesOf(right, text).map(({ index }) => index))].filter((index) => ends.has(index))
  return need(found.at(occurrence > 0 ? occurrence - 1 : occurrence), 'no_match')
}

/** An edge of the k-th match after a position, or before it when the occurrence is negative. */
export function seek(pattern: RegExp, text: string, base: number, occurrence: number, edge: 'start' | 'end'): number {
  const found = matchesOf(pattern, text)
  const isBefore = (match: RegExpExecArray) =>
    occurrence > 0 ? match.index < base : match.index + match[0].length <= base
  const index = found.filter(isBefore).length + (occurrence > 0 ? occurrence - 1 : occurrence)
  const match = need(index < 0 ? undefined : found[index], 'no_match')
  return edge === 'start' ? match.index : match.index + match[0].length
}

/** A pattern for a text that is computed; the empty text has no matches. */
export function literalPattern(text: string): RegExp {
  return new RegExp(text === '' ? '(?!)' : text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'gu')
}

/** True when the pattern matches the whole text. */
export function matchesWhole(pattern: RegExp, text: string): boolean {
  return new RegExp(`^(?:${pattern.source})$`, pattern.flags.replace('g', '')).test(text)
}

/** True when the last match ends with the text. */
export function endsWithMatch(pattern: RegExp, text: string): boolean {
  const last = matchesOf(pattern, text).at(-1)
  return last !== undefined && last.index + last[0].length === text.length
}

/** Puts a text in the place of every match, or of one. */
export function replaceMatches(pattern: RegExp, text: string, put: string, occurrence?: number): string {
  const all = matchesOf(pattern, text)
  const one = occurrence === undefined ? undefined : all.at(occurrence > 0 ? occurrence - 1 : occurrence)
  let out = ''
  let copied = 0
  for (const match of occurrence === undefined ? all : one === undefined ? [] : [one]) {
    out += text.slice(copied, match.index) + put
    copied = match.index + match[0].length
  }
  return out + text.slice(copied)
}

/** The parts between the matches; empty matches do not split. */
export function splitAtMatches(pattern: RegExp, text: string): string[] {
  const parts: string[] = []
  let copied = 0
  for (const match of matchesOf(pattern, text)) {
    if (match[0] === '') continue
    parts.push(text.slice(copied, match.index))
    copied = match.index + match[0].length
  }
  return [...parts, text.slice(copied)]
}

/** The groups of the first match; a group that took no part is empty. */
export function groupsOf(pattern: RegExp, text: string): string[] {
  return nthMatch(pattern, text)
    .slice(1)
    .map((group: string | undefined) => group ?? '')
}

/** At least `width` units of text, filled at one side. */
export function pad(text: string, side: 'start' | 'end', width: number, fill: string): string {
  return need(padText(text, side, wholeCount(width), fill), 'no_match')
}

/** A whole number, 0 or more. */
export function wholeCount(value: number): number {
  if (!Number.isInteger(value) || value < 0) throw new NoAnswer('out_of_range')
  return value
}

/** The text so many times. */
export function repeat(text: string, times: number): string {
  const count = wholeCount(times)
  return text === '' ? '' : text.repeat(count)
}

/** The texts of a list with a separator between them. */
export function join(items: readonly Json[], separator: string): string {
  return items.map((item) => typed(item, 'text')).join(separator)
}

/** Lower case, then the first letter upper-case. */
export function sentence(text: string): string {
  return capitaliseText(text.toLowerCase())
}

/** One region between landmarks. */
export function between(text: string, after: readonly string[], before: readonly string[], occurrence: number): string {
  const regions = regionsBetween(text, { after, before })
  const index = matchIndex(regions, occurrence)
  return cut(text, regions[index] ?? -1, regions[index + 1] ?? -1)
}

/** Every region between landmarks. */
export function betweenAll(text: string, after: readonly string[], before: readonly string[]): string[] {
  const regions = regionsBetween(text, { after, before })
  return regions.flatMap((start, at) => (at % 2 === 0 ? [text.slice(start, regions[at + 1])] : []))
}

/** Units of a text, items of a list, members of an object. */
export function sizeOf(value: string | readonly Json[] | JsonObject): number {
  return typeof value === 'string' || Array.isArray(value) ? value.length : Object.keys(value).length
}

/** True when the text ends with another that is not empty. */
export function endsWithText(text: string, end: string): boolean {
  return end !== '' && text.endsWith(end)
}

/** A text backwards by code points, a list by items. */
export function reversed(value: string | readonly Json[]): string | readonly Json[] {
  return typeof value === 'string' ? Array.from(value).reverse().join('') : [...value].reverse()
}
