const NAMES = new Map<string, string>()

/**
 * Makes each connection parse and plan a statement once, at its first use. For statements with one possible plan, such
 * as an insert: the server keeps a plan until statistics change, whatever the values are.
 */
export function rememberPlan(text: string): void {
  if (!NAMES.has(text)) NAMES.set(text, `svc_${NAMES.size}`)
}

/** Returns the name under which connections keep the plan of a statement; undefined for all others. */
export function planNameOf(text: string): string | undefined {
  return NAMES.get(text)
}
