/** The scopes that routes ask for. A key holds exact names, families (`compile:*`), or everything (`*`). */
export const SCOPES = [
  'account:read',
  'compile:read',
  'compile:write',
  'run',
  'concepts:read',
  'concepts:write',
  'artifacts:read',
  'artifacts:export',
] as const

/** One scope that a route asks for. */
export type Scope = (typeof SCOPES)[number]

/** True when one of the held scopes grants the asked one: by name, by its family (`family:*`), or as `*`. */
export function grantsScope(held: readonly string[], asked: Scope): boolean {
  return held.some((scope) => {
    if (scope === '*' || scope === asked) return true
    return scope.endsWith(':*') && asked.startsWith(scope.slice(0, -1))
  })
}
