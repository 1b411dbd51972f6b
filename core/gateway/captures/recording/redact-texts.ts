import { GATEWAY_ERRORS } from '../../errors.ts'
import type { SensitiveClass } from '../../gate/privacy/classes.ts'
import { fileText } from '../../protocol/media/media-text.ts'
import { mediumOf, type Medium } from './media.ts'
import type { CallRules } from './record-call.ts'
import { redactContent } from './redact-content.ts'

/** A text or a file as it may be stored, and the classes that were replaced in it. */
export interface Stored<T> {
  readonly kind: 'stored'
  readonly value: T
  readonly classes: readonly SensitiveClass[]
}

/** The same, or the classes that the namespace refuses. */
export type Redacted<T> = Stored<T> | { readonly kind: 'blocked'; readonly classes: readonly SensitiveClass[] }

/** Redacts texts that are stored together as the rules of a namespace say; equal values get one placeholder. */
export function redactTexts(texts: readonly string[], rules: CallRules): Redacted<readonly string[]> {
  const finder = redactContent({ terms: rules.terms })
  for (const text of texts) finder.text(text)
  const blocked = [...finder.classes].filter((kind) => rules.actionOf(kind) === 'block').toSorted()
  if (blocked.length > 0) return { kind: 'blocked', classes: blocked }
  const redactor = redactContent({ terms: rules.terms, isKept: (kind) => rules.actionOf(kind) === 'allow' })
  const value = texts.map((text) => redactor.text(text))
  return { kind: 'stored', value, classes: [...redactor.classes].toSorted() }
}

/** Redacts the name of a file, and its text where it is one; the digest is that of the bytes that are stored. */
export function redactMedium(medium: Medium, rules: CallRules): Redacted<Medium> {
  const inside = fileText(Buffer.from(medium.bytes), medium.mime)
  const redacted = redactTexts([medium.filename ?? '', inside?.text ?? ''], rules)
  if (redacted.kind === 'blocked' || redacted.classes.length === 0) {
    return redacted.kind === 'blocked' ? redacted : { ...redacted, value: medium }
  }
  const [filename = '', text = ''] = redacted.value
  const bytes = inside === null || text === inside.text ? medium.bytes : inside.with(text)
  return { ...redacted, value: mediumOf({ name: medium.name, filename, mediaType: medium.mime, bytes }) }
}

/** Returns texts as a namespace stores them. Throws `privacy_blocked` where its policy is to block. */
export function textsUnder(texts: readonly string[], rules: CallRules, field: string): readonly string[] {
  const redacted = redactTexts(texts, rules)
  if (redacted.kind === 'stored') return redacted.value
  throw GATEWAY_ERRORS.privacy_blocked(
    `${field}: holds ${redacted.classes.join(', ')}, which the policy of the namespace refuses; nothing was stored`,
    { details: { classes: [...redacted.classes], fields: [{ field, message: 'holds sensitive text' }] } },
  )
}
