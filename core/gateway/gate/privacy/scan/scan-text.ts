import { SENSITIVE_CLASSES, type SensitiveClass } from '../classes.ts'
import { TRIGGERS, isUpper, isDigit, isWord, type Find } from './characters.ts'
import { customerIdAt } from './customer-ids.ts'
import { emailAt } from './emails.ts'
import { hostAt } from './hosts.ts'
import { ipv6At } from './ip-addresses.ts'
import { nameAt } from './names.ts'
import { findAtDigit, findSsnsInName } from './numbers.ts'
import { assignedAt, bearerAt, cloudKeyAt, keyAt, privateKeyAt, urlAt, webTokenAt } from './secrets.ts'

const RANK: Readonly<Record<SensitiveClass, number>> = Object.fromEntries(
  SENSITIVE_CLASSES.map((kind, rank) => [kind, rank]),
) as Record<SensitiveClass, number>

/** Finds what a list of a tenant's names; see `compileTerms`. */
export interface TermFinder {
  find(text: string, add: (find: Find) => void): void
}

/**
 * Returns the sensitive parts of a text, in order and apart from each other. One pass over the characters; each look from
 * one of them is bounded, so that the time is linear in the text, whatever it holds. `only`: the classes that count.
 */
export function scanText(
  text: string,
  terms: TermFinder | null = null,
  only?: ReadonlySet<SensitiveClass>,
): readonly Find[] {
  const finds: Find[] = []
  const add = (find: Find): void => {
    if (only === undefined || only.has(find.kind)) finds.push(find)
  }
  scanCharacters(text, add, only)
  scanBearers(text, add)
  if (only?.has('ssn') === true) findSsnsInName(text, add)
  terms?.find(text, add)
  return apart(finds)
}

/** `only`: classes that count; a find of another one hides nothing that stands in it. */
function scanCharacters(text: string, add: (find: Find) => void, only: ReadonlySet<SensitiveClass> | undefined): void {
  const { length } = text
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at)
    if (code > 127 || TRIGGERS[code] === 0) continue
    if (isDigit(code)) {
      at = findAtDigit(text, at, add, only) - 1
      continue
    }
    const found = isUpper(code) ? findAtCapital(text, at, code) : findAtSign(text, at, code)
    if (found === null || only?.has(found.kind) === false) continue
    add(found)
    // What a sign joins may begin before it.
    if (found.end > at) at = found.end - 1
  }
}

function findAtCapital(text: string, at: number, code: number): Find | null {
  if (isWord(text.charCodeAt(at - 1))) {
    return code === 0x4a && text.startsWith('ey', at - 2) ? webTokenAt(text, at - 2) : null
  }
  if (code === 0x41 && (text.startsWith('AIza', at) || text.startsWith('AKIA', at) || text.startsWith('ASIA', at))) {
    const key = cloudKeyAt(text, at)
    if (key !== null) return key
  }
  return nameAt(text, at)
}

function findAtSign(text: string, at: number, code: number): Find | null {
  switch (code) {
    case 0x40: {
      return emailAt(text, at)
    }
    case 0x2e: {
      return hostAt(text, at)
    }
    case 0x2d: {
      if (text.charCodeAt(at + 1) === 0x2d) return privateKeyAt(text, at)
      return keyAt(text, at) ?? customerIdAt(text, at)
    }
    case 0x5f: {
      return keyAt(text, at) ?? customerIdAt(text, at)
    }
    case 0x3a: {
      if (text.startsWith('//', at + 1)) return urlAt(text, at)
      return ipv6At(text, at) ?? assignedAt(text, at)
    }
    default: {
      return assignedAt(text, at)
    }
  }
}

/** Words that are too common in their letters to be looked for at each. */
function scanBearers(text: string, add: (find: Find) => void): void {
  for (const word of ['earer ', 'asic ']) {
    for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + word.length)) {
      const found = bearerAt(text, at - 1)
      if (found !== null) add(found)
    }
  }
}

/** Of finds that overlap, the one whose class stands first stays, and of one class the longer. */
function apart(finds: readonly Find[]): readonly Find[] {
  if (finds.length < 2) return finds
  const inOrder = finds.toSorted((one, two) => one.start - two.start || two.end - one.end)
  const kept: Find[] = []
  for (const find of inOrder) {
    const last = kept.at(-1)
    if (last === undefined || find.start >= last.end) kept.push(find)
    else if (RANK[find.kind] < RANK[last.kind]) {
      kept.pop()
      // The one before may reach into it too.
      const before = kept.at(-1)
      if (before === undefined || find.start >= before.end) kept.push(find)
    }
  }
  return kept
}
