import type { Expr } from '../../language/ast.ts'
import { compileRegex, regexTest } from '../../language/primitives/text/regex.ts'
import { costOf, type Cost } from '../ranking/cost.ts'
import { literalPattern } from '../search/build.ts'
import { isRegexOfLanguage } from '../search/candidate-program.ts'

/** A condition on a record. */
export interface RecordFilter {
  readonly build: (record: Expr) => Expr
  readonly holds: (record: string) => boolean
  readonly cost: Cost
}

const TOKEN = /\p{L}+|\p{N}+|\s+|[^\p{L}\p{N}\s]/gu
const MAX_TOKENS = 60
const MAX_PARTS = 160
const MAX_PART = 40

function startsWith(text: string): RecordFilter {
  return {
    build: (record) => ({ op: 'startsWith', text: record, pattern: literalPattern(text) }),
    holds: (record) => record.startsWith(text),
    cost: costOf('records.filter.start'),
  }
}

function contains(text: string): RecordFilter {
  return {
    build: (record) => ({ op: 'contains', text: record, pattern: literalPattern(text) }),
    holds: (record) => record.includes(text),
    cost: costOf('records.filter.part'),
  }
}

function like(regex: string): RecordFilter[] {
  if (!isRegexOfLanguage(regex)) return []
  const compiled = compileRegex(regex)
  return [
    {
      build: (record) => ({ op: 'contains', text: record, pattern: { kind: 'regex', regex } }),
      holds: (record) => regexTest(record, compiled),
      cost: costOf('records.filter.shape'),
    },
  ]
}

function classOf(token: string, isExact: boolean): string {
  const count = isExact ? (token.length === 1 ? '' : `{${token.length}}`) : '+'
  if (/^\p{N}/u.test(token)) return `[0-9]${count}`
  if (/^\p{Lu}+$/u.test(token)) return `[A-Z]${count}`
  if (/^\p{L}/u.test(token)) return '[A-Za-z]+'
  if (/^\s/.test(token)) return token.length === 1 ? ' ' : ' +'
  return token.replace(/[\\^$.|?*+()[\]{}/-]/g, '\\$&')
}

/** Conditions that hold for a record, likeliest first: how it starts, what it holds, which shape its start has. */
export function filtersOf(record: string): RecordFilter[] {
  const tokens = [...record.matchAll(TOKEN)].slice(0, MAX_TOKENS)
  const starts = [1, 2, 3, 4].flatMap((count) => {
    const last = tokens[count - 1]
    return last === undefined ? [] : [startsWith(record.slice(0, last.index + last[0].length))]
  })
  const parts = new Set<string>()
  for (let length = 1; length <= 4; length++) {
    for (const [i, first] of tokens.entries()) {
      const last = tokens[i + length - 1]
      if (last === undefined) break
      const part = record.slice(first.index, last.index + last[0].length)
      if (part.trim().length > 1 && part.length <= MAX_PART && parts.size < MAX_PARTS) parts.add(part)
    }
  }
  const shapes = [true, false].flatMap((isExact) =>
    [8, 6, 5, 4, 3, 2, 1].flatMap((count) => {
      const head = tokens.slice(0, count)
      if (head.length < count) return []
      return like(`^${head.map(([token]) => classOf(token, isExact)).join('')}`)
    }),
  )
  return [...starts, ...[...parts].map(contains), ...shapes]
}
