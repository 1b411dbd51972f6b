import { GATEWAY_ERRORS } from '../../errors.ts'
import type { SensitiveClass } from '../../gate/privacy/classes.ts'
import { fileText } from '../../protocol/media/media-text.ts'
import { mediumOf, type Medium } from './media.ts'
import type { CallRules } from './record-call.ts'
import { redactContent } from './redact-content.ts'

/** A text or a file as it may be stored, and the classes that were found and those that were replaced in it. */
export interface Stored<T> {
  readonly kind: 'stored'
  readonly value: T
  readonly found: readonly SensitiveClass[]
  readonly classes: readonly SensitiveClass[]
}

/** The same, or the classes that the namespace refuses. */
export type Redacted<T> = Stored<T> | { readonly kind: 'blocked'; readonly classes: readonly SensitiveClass[] }

/** Redacts texts that are stored together as the rules of a namespace say; equal values get one placeholder. */
export function redactTexts(
  texts: readonly string[],
  { terms, actionOf }: Pick<CallRules, 'terms' | 'actionOf'>,
): Redacted<readonly string[]> {
  const redactor = redactContent({ terms, isKept: (kind) => actionOf(kind) === 'allow' })
  const value = texts.map((text) => redactor.text(text))
  const found = [...redactor.found].toSorted()
  const blocked = found.filter((kind) => actionOf(kind) === 'block')
  if (blocked.length > 0) return { kind: 'blocked', classes: blocked }
  return { kind: 'stored', value, found, classes: [...redactor.classes].toSorted() }
}

/** Redacts the name of a file, and its text where it is one; the digest is that of the bytes that are stored. */
export function redactMedium(medium: Medium, rules: Pick<CallRules, 'terms' | 'actionOf'>): Redacted<Medium> {
  const { bytes: given } = medium
  const inside = fileText(Buffer.from(given.buffer, given.byteOffset, given.byteLength), medium.mime)
  const redacted = redactTexts([medium.filename ?? '', inside?.text ?? ''], rules)
  if (redacted.kind === 'blocked') return redacted
  const [filename = '', text = ''] = redacted.value
  if (redacted.classes.length === 0) return { ...redacted, value: medium }
  const bytes = inside === null || text === inside.text ? given : inside.with(text)
  return { ...redacted, value: mediumOf({ name: medium.name, filename, mediaType: medium.mime, bytes }) }
}

/** Returns texts as a namespace stores them. Throws `privacy_blocked` where its policy is to block. */
export function textsUnder(
  texts: readonly string[],
  rules: Pick<CallRules, 'terms' | 'actionOf'>,
  field: string,
): readonly string[] {
  const redacted = redactTexts(texts, rules)
  if (redacted.kind === 'stored') return redacted.value
  throw GATEWAY_ERRORS.privacy_blocked(
    `${field}: holds ${redacted.classes.join(', ')}, which the policy of the namespace refuses; nothing was stored`,
    { details: { classes: [...redacted.classes], fields: [{ field, message: 'holds sensitive text' }] } },
  )
}
