import { createHash } from 'node:crypto'
import type { SensitiveClass } from './classes.ts'

/** The form of a placeholder; one that begins inside of what looks like another counts. */
const FORM = /VAR_(?:(?!VAR_)[A-Z_]){1,40}_\d+/g

/** A value with its placeholder. */
export type GivenPlaceholder = readonly [kind: SensitiveClass, name: string, value: string]

/** Placeholders of one call, and the values that they stand for. */
export interface Placeholders {
  readonly size: number
  /** All that were given so far, in their order. */
  readonly given: readonly GivenPlaceholder[]
  /** Names that the caller's texts hold. */
  readonly reserved: ReadonlySet<string>
  /** Takes a value with the placeholder that it was given elsewhere. */
  adopt(given: GivenPlaceholder): void
  /** Returns the placeholder of a value; equal values of a class share one. */
  of(kind: SensitiveClass, value: string): string
  /** Keeps what a text of the caller's says in the form of a placeholder from being given to a value. */
  reserve(text: string): void
  /** Returns the text with the values in place of their placeholders; within a JSON text, escaped for it. */
  restore(text: string, isJson?: boolean): string
  /**
   * Number of characters at the end of a text that may begin a placeholder that continues in the next part of a stream.
   */
  heldBack(text: string): number
}

/**
 * Starts with no placeholder, and gives none of the reserved names. All names that it gives have the tag: `VAR_EMAIL_TAG_1` is
 * none that was given elsewhere without it.
 */
export function createPlaceholders(reserved: readonly string[] = [], tag?: string): Placeholders {
  const taken = new Set(reserved)
  const given: GivenPlaceholder[] = []
  const byValue = new Map<string, string>()
  const values = new Map<string, string>()
  const counts = new Map<SensitiveClass, number>()
  /** Beginnings of the names. */
  const begins = new Set<string>()
  let longest = 0
  const adopt = (one: GivenPlaceholder): void => {
    const [kind, name, value] = one
    given.push(one)
    byValue.set(`${kind} ${value}`, name)
    values.set(name, value)
    longest = Math.max(longest, name.length)
    for (let end = 1; end < name.length; end++) begins.add(name.slice(0, end))
  }
  const next = (kind: SensitiveClass): string => {
    for (let count = (counts.get(kind) ?? 0) + 1; ; count++) {
      const name = `VAR_${kind.toUpperCase()}_${tag === undefined ? '' : `${tag}_`}${count}`
      if (taken.has(name) || values.has(name)) continue
      counts.set(kind, count)
      return name
    }
  }
  return {
    get size() {
      return values.size
    },
    given,
    reserved: taken,
    adopt,
    of(kind, value) {
      const known = byValue.get(`${kind} ${value}`)
      if (known !== undefined) return known
      const name = next(kind)
      adopt([kind, name, value])
      return name
    },
    reserve(text) {
      if (!text.includes('VAR_')) return
      for (const [name] of text.matchAll(FORM)) taken.add(name)
    },
    restore(text, isJson = false) {
      if (values.size === 0 || !text.includes('VAR_')) return text
      return text.replaceAll(FORM, (name) => {
        const value = values.get(name)
        if (value === undefined) return name
        return isJson ? JSON.stringify(value).slice(1, -1) : value
      })
    },
    heldBack(text) {
      if (values.size === 0) return 0
      for (let at = Math.max(0, text.length - longest); at < text.length; at++) {
        if (text.charCodeAt(at) !== LETTER_V) continue
        const tail = text.slice(at)
        // More digits may follow one that is whole.
        if (begins.has(tail) || values.has(tail)) return tail.length
      }
      return 0
    },
  }
}

const LETTER_V = 0x56
const TAG_LETTERS = 8
/** Without the one that begins a placeholder, which none has inside. */
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUWXYZ'

/** Returns a tag of a call by its id, which no other has: another call has the same by chance once in 150 thousand million times. */
export function tagOf(captureId: string): string {
  const bytes = createHash('sha256').update(captureId).digest().subarray(0, TAG_LETTERS)
  return [...bytes].map((byte) => LETTERS.charAt(byte % LETTERS.length)).join('')
}
