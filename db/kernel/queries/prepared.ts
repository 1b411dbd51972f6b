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

/** A kept plan whose result type changed, a name that the server lost, and a parameter whose column has another type now. */
const STALE: ReadonlySet<unknown> = new Set(['0A000', '26000', '42804'])

/** Returns true for a failure that a kept plan may be the cause of: its connection would repeat it forever. */
export function isStalePlan(error: unknown): boolean {
  return error instanceof Error && 'code' in error && STALE.has(error.code)
}
