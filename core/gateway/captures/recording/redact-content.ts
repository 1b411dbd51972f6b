import { isJsonObject, type Json } from '../../../kernel/json/json.ts'
import type { SensitiveClass } from '../../gate/privacy/classes.ts'
import { createPlaceholders } from '../../gate/privacy/placeholders.ts'
import { scanText, type TermFinder } from '../../gate/privacy/scan/scan-text.ts'
import { mapTexts, visitorOf } from '../../gate/privacy/walk.ts'

/** Replaces sensitive parts of the texts of one capture; equal parts get one placeholder. */
export interface ContentRedactor {
  /** The classes that were replaced so far. */
  readonly classes: ReadonlySet<SensitiveClass>
  text(text: string): string
  /** Replaces in the texts of a body or an answer; names, ids and kinds stay. */
  value<T extends Json>(value: T): T
}

/** Starts to redact one capture. `isKept` names classes that stay; `terms` are those of the namespace. */
export function redactContent(
  options: { readonly terms?: TermFinder | null; readonly isKept?: (kind: SensitiveClass) => boolean } = {},
): ContentRedactor {
  const { terms = null, isKept = () => false } = options
  const classes = new Set<SensitiveClass>()
  const placeholders = createPlaceholders()
  const text = (given: string): string => {
    const finds = scanText(given, terms).filter(({ kind }) => !isKept(kind))
    if (finds.length === 0) return given
    placeholders.reserve(given)
    let at = 0
    const parts: string[] = []
    for (const { start, end, kind } of finds) {
      classes.add(kind)
      parts.push(given.slice(at, start), placeholders.of(kind, given.slice(start, end)))
      at = end
    }
    return [...parts, given.slice(at)].join('')
  }
  const value = (given: Json): Json => {
    if (typeof given === 'string') return text(given)
    if (Array.isArray(given)) return (given as readonly Json[]).map((each) => value(each))
    return isJsonObject(given) ? mapTexts(given, visitorOf(text)) : given
  }
  return { classes, text, value: <T extends Json>(given: T): T => value(given) as T }
}

/** The classes of a value's texts, without a change. */
export function classesIn(value: Json, terms: TermFinder | null): ReadonlySet<SensitiveClass> {
  const redactor = redactContent({ terms })
  redactor.value(value)
  return redactor.classes
}
