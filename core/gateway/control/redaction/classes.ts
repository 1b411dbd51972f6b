/** Kinds of sensitive text that are recognised. */
export const SENSITIVE_CLASSES = ['email', 'phone', 'card', 'iban', 'api_key', 'token', 'secret'] as const
/** One of them. */
export type SensitiveClass = (typeof SENSITIVE_CLASSES)[number]

/** Returns the mark that replaces a redacted text. */
export function markOf(kind: string): string {
  return `[${kind}]`
}

/** Returns the redaction result of an envelope: `clean`, or the redacted classes. */
export function redactionResult(classes: readonly string[]): string {
  return classes.length === 0 ? 'clean' : `redacted:${classes.join(',')}`
}
