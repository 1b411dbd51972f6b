/** Returns the mark that replaces a redacted text. */
export function markOf(kind: string): string {
  return `[${kind}]`
}

/** Returns the redaction result of an envelope: `clean`, or the redacted classes. */
export function redactionResult(classes: readonly string[]): string {
  return classes.length === 0 ? 'clean' : `redacted:${classes.join(',')}`
}
