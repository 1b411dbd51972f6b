import type { TextExpr } from '../ast.ts'
import { capitaliseText, normalizeText, sentenceText, titleText } from '../primitives/text/casing.ts'
import { compileCharSet, WHITE_SPACE } from '../primitives/text/char-classes.ts'
import {
  collapseSpaceIn,
  filterChars,
  padText,
  replaceMatches,
  replaceNth,
  reverseText,
  splitAt,
  trimText,
} from '../primitives/text/edit.ts'
import { countMatches, matchIndex, sliceText } from '../primitives/text/positions.ts'
import { type Compiler, isList, isObject, listOf, numberOf, textOf } from './compiler.ts'
import { failure, found, type Frame, made, reserve, reserveItems, scan, type Step } from './frame.ts'
import { matchesNeeded } from './search.ts'

/** A step that maps one text to another. */
function mapText(text: Step<string>, change: (text: string) => string): Step {
  return (frame) => {
    const value = text(frame)
    scan(frame, value.length)
    return made(frame, change(value))
  }
}

function wholeCount(value: number, op: string): number {
  if (!Number.isInteger(value) || value < 0) throw failure('out_of_range', op)
  return value
}

/** Joins texts; the size is known before anything is built. */
export function joinTexts(frame: Frame, texts: readonly string[], separator: string): string {
  let length = separator.length * Math.max(0, texts.length - 1)
  for (const text of texts) length += text.length
  reserve(frame, length)
  return texts.join(separator)
}

function compileConcat(compiler: Compiler, node: TextExpr & { op: 'concat' }): Step {
  const parts = node.parts.map((part) => textOf(compiler, part, 'concat'))
  return (frame) => {
    let out = ''
    for (const part of parts) {
      const text = part(frame)
      reserve(frame, text.length)
      out += text
    }
    return out
  }
}

function compileReplace(compiler: Compiler, node: TextExpr & { op: 'replace' }): Step {
  const text = textOf(compiler, node.text, 'replace')
  const find = compiler.pattern(node.find)
  const replacement = textOf(compiler, node.with, 'replace')
  const { occurrence } = node
  return (frame) => {
    const value = text(frame)
    const matches = find.all(frame, value, occurrence === undefined ? Infinity : matchesNeeded(occurrence))
    const put = replacement(frame)
    if (matches.length === 0) return value
    if (occurrence !== undefined) return made(frame, replaceNth(value, matches, occurrence, put))
    reserve(frame, value.length + countMatches(matches) * put.length)
    return replaceMatches(value, matches, put)
  }
}

function compileExtract(compiler: Compiler, node: TextExpr & { op: 'extract' }): Step {
  const text = textOf(compiler, node.text, 'extract')
  const pattern = compiler.pattern(node.pattern, node.group)
  const { occurrence } = node
  const limit = node.group === undefined ? matchesNeeded(occurrence) : Infinity
  const noMatch = failure('no_match', 'extract')
  return (frame) => {
    const value = text(frame)
    const matches = pattern.all(frame, value, limit)
    const index = matchIndex(matches, occurrence)
    if (index === -1) throw noMatch
    return made(frame, value.slice(matches[index], matches[index + 1]))
  }
}

function compileExtractAll(compiler: Compiler, node: TextExpr & { op: 'extractAll' }): Step {
  const text = textOf(compiler, node.text, 'extractAll')
  const pattern = compiler.pattern(node.pattern, node.group)
  return (frame) => {
    const value = text(frame)
    const matches = pattern.all(frame, value, Infinity)
    reserveItems(frame, countMatches(matches))
    const out: string[] = []
    for (let i = 0; i < matches.length; i += 2) out.push(made(frame, value.slice(matches[i], matches[i + 1])))
    return out
  }
}

function compileSplit(compiler: Compiler, node: TextExpr & { op: 'split' }): Step {
  const text = textOf(compiler, node.text, 'split')
  const pattern = compiler.pattern(node.by)
  const dropEmpty = node.dropEmpty ?? false
  return (frame) => {
    const value = text(frame)
    const matches = pattern.all(frame, value, Infinity)
    reserveItems(frame, countMatches(matches) + 1)
    reserve(frame, value.length)
    return splitAt(value, matches, dropEmpty)
  }
}

function compileSize(compiler: Compiler, node: TextExpr & { op: 'length' }): Step {
  const of = compiler.expr(node.of)
  const mismatch = failure('type_mismatch', 'length')
  return (frame) => {
    const value = of(frame)
    if (typeof value === 'string' || isList(value)) return value.length
    if (isObject(value)) return Object.keys(value).length
    throw mismatch
  }
}

function compileReverse(compiler: Compiler, node: TextExpr & { op: 'reverse' }): Step {
  const of = compiler.expr(node.of)
  const mismatch = failure('type_mismatch', 'reverse')
  return (frame) => {
    const value = of(frame)
    if (typeof value === 'string') {
      reserve(frame, value.length)
      return reverseText(value)
    }
    if (!isList(value)) throw mismatch
    reserveItems(frame, value.length)
    return value.toReversed()
  }
}

/** Compiles an operator on texts. */
export function compileText(compiler: Compiler, node: TextExpr): Step {
  const text = (): Step<string> => {
    if (!('text' in node)) throw new TypeError(`${node.op} has no text`)
    return textOf(compiler, node.text, node.op)
  }
  switch (node.op) {
    case 'concat':
      return compileConcat(compiler, node)
    case 'slice': {
      const of = text()
      const start = compiler.pos(node.start)
      const end = compiler.pos(node.end)
      const noMatch = failure('no_match', 'slice')
      return (frame) => {
        const value = of(frame)
        return made(frame, found(sliceText(value, start(frame, value), end(frame, value)), noMatch))
      }
    }
    case 'upper':
      return mapText(text(), (value) => value.toUpperCase())
    case 'lower':
      return mapText(text(), (value) => value.toLowerCase())
    case 'capitalise':
      return mapText(text(), capitaliseText)
    case 'sentence':
      return mapText(text(), sentenceText)
    case 'title': {
      const words = node.words ?? 'word'
      return mapText(text(), (value) => titleText(value, words))
    }
    case 'trim': {
      const side = node.side ?? 'both'
      const set = node.set === undefined ? WHITE_SPACE : compileCharSet(node.set)
      return mapText(text(), (value) => trimText(value, side, set))
    }
    case 'collapseSpace':
      return mapText(text(), collapseSpaceIn)
    case 'pad': {
      const of = text()
      const width = numberOf(compiler, node.width, 'pad')
      const { side, fill } = node
      const torn = failure('no_match', 'pad')
      return (frame) => {
        const value = of(frame)
        const wanted = wholeCount(width(frame), 'pad')
        reserve(frame, Math.max(wanted, value.length))
        return found(padText(value, side, wanted, fill), torn)
      }
    }
    case 'replace':
      return compileReplace(compiler, node)
    case 'split':
      return compileSplit(compiler, node)
    case 'join': {
      const list = listOf(compiler, node.list, 'join')
      const separator = textOf(compiler, node.separator, 'join')
      const mismatch = failure('type_mismatch', 'join')
      return (frame) => {
        const items = list(frame)
        const between = separator(frame)
        if (!items.every((item) => typeof item === 'string')) throw mismatch
        return joinTexts(frame, items, between)
      }
    }
    case 'repeat': {
      const of = text()
      const times = numberOf(compiler, node.times, 'repeat')
      return (frame) => {
        const value = of(frame)
        const count = wholeCount(times(frame), 'repeat')
        if (value === '') return ''
        reserve(frame, value.length * count)
        return value.repeat(count)
      }
    }
    case 'removeChars':
    case 'keepChars': {
      const set = compileCharSet(node.set)
      const isKept = node.op === 'keepChars'
      return mapText(text(), (value) => filterChars(value, set, isKept))
    }
    case 'extract':
      return compileExtract(compiler, node)
    case 'extractAll':
      return compileExtractAll(compiler, node)
    case 'count': {
      const of = text()
      const { all } = compiler.pattern(node.pattern)
      return (frame) => countMatches(all(frame, of(frame), Infinity))
    }
    case 'indexOf': {
      const of = text()
      const { all } = compiler.pattern(node.pattern)
      const { occurrence } = node
      const limit = matchesNeeded(occurrence)
      const noMatch = failure('no_match', 'indexOf')
      return (frame) => {
        const matches = all(frame, of(frame), limit)
        const index = matchIndex(matches, occurrence)
        return index === -1 ? found<number>(undefined, noMatch) : (matches[index] ?? 0)
      }
    }
    case 'contains': {
      const of = text()
      const { isIn } = compiler.pattern(node.pattern)
      return (frame) => isIn(frame, of(frame))
    }
    case 'startsWith': {
      const of = text()
      const { isAtStart } = compiler.pattern(node.pattern)
      return (frame) => isAtStart(frame, of(frame))
    }
    case 'endsWith': {
      const of = text()
      const { isAtEnd } = compiler.pattern(node.pattern)
      return (frame) => isAtEnd(frame, of(frame))
    }
    case 'matches': {
      const of = text()
      const { isWhole } = compiler.pattern(node.pattern)
      return (frame) => isWhole(frame, of(frame))
    }
    case 'length':
      return compileSize(compiler, node)
    case 'reverse':
      return compileReverse(compiler, node)
    case 'chars': {
      const of = text()
      return (frame) => {
        const value = of(frame)
        reserveItems(frame, value.length)
        return Array.from(value)
      }
    }
    case 'normalize': {
      const { form } = node
      return mapText(text(), (value) => normalizeText(value, form))
    }
  }
}
