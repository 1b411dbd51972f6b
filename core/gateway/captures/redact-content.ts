import { isJsonObject, type Json, type JsonObject } from '../../kernel/json/json.ts'
import type { SensitiveClass } from '../privacy/classes.ts'
import { scanText, type TermFinder } from '../privacy/scan/scan-text.ts'

/** Replaces sensitive parts of the texts of one capture; equal parts get one placeholder. */
export interface ContentRedactor {
  /** The classes that were replaced so far. */
  readonly classes: ReadonlySet<SensitiveClass>
  text(text: string): string
  /** Replaces in every text of a value, and in none of its names. */
  value<T extends Json>(value: T): T
}

/** Starts to redact one capture. `isKept` names classes that stay; `terms` are those of the namespace. */
export function redactContent(
  options: { readonly terms?: TermFinder | null; readonly isKept?: (kind: SensitiveClass) => boolean } = {},
): ContentRedactor {
  const { terms = null, isKept = () => false } = options
  const classes = new Set<SensitiveClass>()
  const placeholders = new Map<string, string>()
  const counts = new Map<SensitiveClass, number>()
  const placeholderOf = (kind: SensitiveClass, part: string): string => {
    const name = `${kind} ${part}`
    const known = placeholders.get(name)
    if (known !== undefined) return known
    const count = (counts.get(kind) ?? 0) + 1
    counts.set(kind, count)
    const made = `VAR_${kind.toUpperCase()}_${count}`
    placeholders.set(name, made)
    return made
  }
  const text = (given: string): string => {
    const finds = scanText(given, terms).filter(({ kind }) => !isKept(kind))
    if (finds.length === 0) return given
    let at = 0
    const parts: string[] = []
    for (const { start, end, kind } of finds) {
      classes.add(kind)
      parts.push(given.slice(at, start), placeholderOf(kind, given.slice(start, end)))
      at = end
    }
    return [...parts, given.slice(at)].join('')
  }
  const value = (given: Json): Json => {
    if (typeof given === 'string') return text(given)
    if (Array.isArray(given)) return (given as readonly Json[]).map((each) => value(each))
    if (!isJsonObject(given)) return given
    const redacted: JsonObject = Object.fromEntries(
      Object.entries(given).map(([name, each]) => [name, value(each as Json)]),
    )
    return redacted
  }
  return { classes, text, value: <T extends Json>(given: T): T => value(given) as T }
}

/** The classes of a value's texts, without a change. */
export function classesIn(value: Json, terms: TermFinder | null): ReadonlySet<SensitiveClass> {
  const redactor = redactContent({ terms })
  redactor.value(value)
  return redactor.classes
}
