/** Kinds of sensitive text that are recognised. */
export const SENSITIVE_CLASSES = ['email', 'phone', 'card', 'iban', 'api_key', 'token', 'secret'] as const
/** One of them. */
export type SensitiveClass = (typeof SENSITIVE_CLASSES)[number]

/** How a text stands where it was taken out. */
export function markOf(kind: string): string {
  return `[${kind}]`
}

/** How it stands in an envelope: `clean`, or what was taken out. */
export function redactionResult(classes: readonly string[]): string {
  return classes.length === 0 ? 'clean' : `redacted:${classes.join(',')}`
}
