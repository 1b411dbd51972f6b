import { isJsonObject, type Json } from '../../../kernel/json/json.ts'
import type { SensitiveClass } from '../../gate/privacy/classes.ts'
import { createPlaceholders } from '../../gate/privacy/placeholders.ts'
import { scanText, type TermFinder } from '../../gate/privacy/scan/scan-text.ts'
import { mapTexts, visitorOf } from '../../gate/privacy/walk.ts'

/** Replaces sensitive parts of the texts of one capture; equal parts get one placeholder. */
export interface ContentRedactor {
  /** The classes that were found so far. */
  readonly found: ReadonlySet<SensitiveClass>
  /** Those of them that were replaced. */
  readonly classes: ReadonlySet<SensitiveClass>
  text(text: string): string
  /** Replaces in the texts of a body or an answer; names, ids and kinds stay. */
  value<T extends Json>(value: T): T
}

/** Characters from which on a text is scanned once, also where it stands in the prompt and in the body. */
const REMEMBERED_CHARS = 1000

/** Starts to redact one capture. `isKept` names classes that stay; `terms` are those of the namespace. */
export function redactContent(
  options: { readonly terms?: TermFinder | null; readonly isKept?: (kind: SensitiveClass) => boolean } = {},
): ContentRedactor {
  const { terms = null, isKept = () => false } = options
  const found = new Set<SensitiveClass>()
  const classes = new Set<SensitiveClass>()
  const placeholders = createPlaceholders()
  const known = new Map<string, string>()
  const redact = (given: string): string => {
    const finds = scanText(given, terms)
    for (const { kind } of finds) found.add(kind)
    const replaced = finds.filter(({ kind }) => !isKept(kind))
    if (replaced.length === 0) return given
    placeholders.reserve(given)
    let at = 0
    const parts: string[] = []
    for (const { start, end, kind } of replaced) {
      classes.add(kind)
      parts.push(given.slice(at, start), placeholders.of(kind, given.slice(start, end)))
      at = end
    }
    return [...parts, given.slice(at)].join('')
  }
  const text = (given: string): string => {
    if (given.length < REMEMBERED_CHARS) return redact(given)
    const redacted = known.get(given) ?? redact(given)
    known.set(given, redacted)
    return redacted
  }
  const value = (given: Json): Json => {
    if (typeof given === 'string') return text(given)
    if (Array.isArray(given)) return (given as readonly Json[]).map((each) => value(each))
    return isJsonObject(given) ? mapTexts(given, visitorOf(text)) : given
  }
  return { found, classes, text, value: <T extends Json>(given: T): T => value(given) as T }
}
