import type { Json, JsonObject } from '../../../kernel/json/json.ts'
import type { ModelAnswer } from '../../protocol/exchange/answer.ts'
import type { ClassAction, PrivacyPolicy, SensitiveClass } from './classes.ts'
import type { Placeholders } from './placeholders.ts'
import { isCardNumber } from './scan/cards.ts'
import { scanText, type TermFinder } from './scan/scan-text.ts'
import { mapTexts, visitorOf, type TextVisitor } from './walk.ts'

/** Returns the action for a class. */
export type Actions = (kind: SensitiveClass) => ClassAction

/** The actions of a policy with those of single classes. What is forgotten is never sent. */
export function actionsOf(
  policy: PrivacyPolicy,
  classActions: Readonly<Partial<Record<SensitiveClass, ClassAction>>>,
): Actions {
  const usual: ClassAction = policy === 'allow' ? 'allow' : policy === 'block' ? 'block' : 'redact'
  return (kind) => {
    const action = classActions[kind] ?? usual
    return kind === 'forgotten' && action === 'allow' ? 'redact' : action
  }
}

/** A body after redaction. */
export interface RedactedBody {
  readonly body: JsonObject
  /** Classes that it held, sorted. */
  readonly classes: readonly SensitiveClass[]
  /**
   * Names of tools, and numbers that a schema fixes, that hold what is redacted elsewhere: they stand as they are, since a
   * placeholder cannot stand for them.
   */
  readonly unreplaced: ReadonlySet<string | number>
}

/** Classes that count in the name of a tool or a property. `lin_createIssue` and `search.local` only look like the others. */
const NAME_CLASSES: ReadonlySet<SensitiveClass> = new Set<SensitiveClass>([
  'forgotten',
  'ssn',
  'payment_card',
  'email',
  'phone',
  'proprietary_term',
])

/** Settings of a redaction. */
interface Redaction {
  readonly terms: TermFinder | null
  readonly keeps: (kind: SensitiveClass) => boolean
  /** True for a body that is stored and not sent: names of tools are replaced as well. */
  readonly isStored: boolean
}

/** Findings of a redaction. */
interface Met {
  readonly classes: Set<SensitiveClass>
  readonly unreplaced: Set<string | number>
}

/** Replaces what is sensitive in the texts of a body by placeholders, except for the classes that `keeps` names. */
export function redactBody(body: JsonObject, placeholders: Placeholders, how: Redaction): RedactedBody {
  const met = nothingMet()
  return redactedBody(mapTexts(body, redactingVisitor(placeholders, how, met)), met)
}

function nothingMet(): Met {
  return { classes: new Set(), unreplaced: new Set() }
}

function redactedBody(body: JsonObject, { classes, unreplaced }: Met): RedactedBody {
  return { body, classes: [...classes].toSorted(), unreplaced }
}

/** Sees the texts of a body that are in the form of a placeholder before any is given out. */
export function reserveWritten(body: JsonObject, placeholders: Placeholders): void {
  mapTexts(body, reservingVisitor(placeholders))
}

function reservingVisitor(placeholders: Placeholders): TextVisitor {
  return visitorOf((written) => {
    placeholders.reserve(written)
    return written
  })
}

function redactingVisitor(
  placeholders: Placeholders,
  { terms, keeps, isStored }: Redaction,
  { classes, unreplaced }: Met,
): TextVisitor {
  const redact = (text: string, only?: ReadonlySet<SensitiveClass>): string => {
    const finds = scanText(text, terms, only)
    if (finds.length === 0) return text
    let redacted = ''
    let from = 0
    for (const { start, end, kind } of finds) {
      classes.add(kind)
      if (keeps(kind)) continue
      redacted += text.slice(from, start) + placeholders.of(kind, text.slice(start, end))
      from = end
    }
    return redacted + text.slice(from)
  }
  const redactNumber = (value: number): Json => {
    if (!Number.isSafeInteger(value) || !isCardNumber(String(value))) return value
    classes.add('payment_card')
    return keeps('payment_card') ? value : placeholders.of('payment_card', String(value))
  }
  return {
    text: (text) => redact(text),
    fixed: (text) => redact(text),
    property: (name) => redact(name, NAME_CLASSES),
    name(name) {
      const redacted = redact(name, NAME_CLASSES)
      if (redacted === name || isStored) return redacted
      unreplaced.add(name)
      return name
    },
    number: redactNumber,
    fixedNumber(value) {
      const redacted = redactNumber(value)
      if (redacted === value || isStored) return redacted
      // A text in its place would be a value that the schema refuses.
      unreplaced.add(value)
      return value
    },
  }
}

/** A model's answer as it is stored. */
export interface RedactedAnswer {
  readonly answer: ModelAnswer
  /** Classes that it held, sorted. */
  readonly classes: readonly SensitiveClass[]
}

/** Replaces what is sensitive in a model's answer, except for the classes that `keeps` names, for what is stored of it. */
export function redactAnswer(
  answer: ModelAnswer,
  placeholders: Placeholders,
  { terms, keeps }: { readonly terms: TermFinder | null; readonly keeps: (kind: SensitiveClass) => boolean },
): RedactedAnswer {
  const met = nothingMet()
  const visitor = redactingVisitor(placeholders, { terms, keeps, isStored: true }, met)
  const redacted = (text: string): string => visitor.text(text)
  return { answer: mapAnswer(answer, redacted, redacted), classes: [...met.classes].toSorted() }
}

/** Puts the values back into a model's answer. */
export function restoreAnswer(answer: ModelAnswer, placeholders: Placeholders): ModelAnswer {
  return mapAnswer(
    answer,
    (text) => placeholders.restore(text),
    (json) => placeholders.restore(json, true),
  )
}

function mapAnswer(answer: ModelAnswer, text: (text: string) => string, json: (text: string) => string): ModelAnswer {
  return {
    ...answer,
    choices: answer.choices.map((choice) => ({
      ...choice,
      parts: choice.parts.map((part) => {
        if (part.kind === 'text' || part.kind === 'thinking') return { ...part, text: text(part.text) }
        return part.kind === 'tool_call' ? { ...part, arguments: json(part.arguments) } : part
      }),
    })),
  }
}
