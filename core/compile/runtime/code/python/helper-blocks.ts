import { readFileSync } from 'node:fs'
import { DATA_CONSTANTS } from './data.ts'
import { CLASS_CONSTANTS } from './classes.ts'
import type { Uses } from '../writing/uses.ts'

/** Files of helpers, in the order in which they are written. */
const FILES = [
  'text',
  'casing',
  'values',
  'numbers',
  'number_texts',
  'quantities',
  'dates',
  'date_reading',
  'date_days',
  'date_times',
  'date_words',
  'classifier',
  'tabular',
]

/** Modules of the standard library by the names that code uses of them. */
const IMPORTS: readonly (readonly [name: RegExp, statement: string])[] = [
  [/\bcalendar\./, 'import calendar'],
  [/\bfunctools\./, 'import functools'],
  [/\bitertools\./, 'import itertools'],
  [/\bjson\./, 'import json'],
  [/\bmath\./, 'import math'],
  [/\bpathlib\./, 'import pathlib'],
  [/\bre\.\w/, 'import re'],
  [/\bstruct\./, 'import struct'],
  [/\bsys\./, 'import sys'],
  [/\bunicodedata\./, 'import unicodedata'],
  [/\bDecimal\b/, 'from decimal import Decimal'],
  [/\bFraction\b/, 'from fractions import Fraction'],
]

interface Block {
  readonly name: string
  readonly source: string
  readonly mentions: ReadonlySet<string>
}

let blocks: ReadonlyMap<string, Block> | undefined

function readBlocks(): ReadonlyMap<string, Block> {
  const found = new Map<string, Block>()
  for (const file of FILES) {
    const text = readFileSync(new URL(`./helpers/${file}.py`, import.meta.url), 'utf8')
    for (const source of text.split(/\n(?=(?:def |class |\w+ = ))/)) {
      const name = /^(?:def |class )?(\w+)/.exec(source)?.[1]
      if (name !== undefined) found.set(name, { name, source: source.trimEnd(), mentions: mentionsOf(source) })
    }
  }
  return found
}

/** Names with a leading underscore that code mentions; all helpers and their constants have one. */
function mentionsOf(code: string): ReadonlySet<string> {
  return new Set(code.match(/(?<![\w.])_[A-Za-z]\w*/g) ?? [])
}

/** Helpers and constants that code needs, as Python. */
export interface HelperCode {
  readonly imports: readonly string[]
  readonly constants: readonly string[]
  readonly helpers: readonly string[]
}

/** Collects the helpers that code mentions, with all that these mention in turn. */
export function helperCode(code: string, uses: Uses): HelperCode {
  blocks ??= readBlocks()
  const wanted = new Set<string>()
  const waiting = [...mentionsOf(code), ...uses.helpers]
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (wanted.has(name)) continue
    wanted.add(name)
    waiting.push(...(blocks.get(name)?.mentions ?? []))
  }
  const helpers = [...blocks.values()].filter(({ name }) => wanted.has(name)).map(({ source }) => source)
  const constants: string[] = []
  for (const [name, make] of Object.entries({ ...CLASS_CONSTANTS, ...DATA_CONSTANTS }))
    if (wanted.has(name)) constants.push(`${name} = ${make()}`)
  for (const [name, entries] of uses.tables) {
    const lines = [...entries].map(([key, value]) => `    ${key}: ${value},\n`)
    constants.push(`${name} = {\n${lines.join('')}}`)
  }
  const all = [code, ...helpers].join('\n')
  const dates = ['datetime', 'timedelta', 'timezone'].filter((name) => new RegExp(`\\b${name}\\b`).test(all))
  const imports = IMPORTS.filter(([name]) => name.test(all)).map(([, statement]) => statement)
  if (dates.length > 0) imports.push(`from datetime import ${dates.join(', ')}`)
  return { imports: imports.toSorted(), constants, helpers }
}
