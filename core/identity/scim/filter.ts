import SCIMMY from 'scimmy'

/** Attributes whose letter case counts (RFC 7643, 3.1 and 4), and those that are no texts of people. */
const EXACT = new Set(['id', 'externalid', 'meta'])

/** A filter as the library reads it, checked once more: it reads `userName eq` too. Throws what the library throws. */
export function parseFilter(text: string): SCIMMY.Types.Filter {
  return new SCIMMY.Types.Filter(Array.from(new SCIMMY.Types.Filter(text), (expression: unknown) => expression))
}

/**
 * The resources that a filter matches, in their order. The library compares texts letter by letter; RFC 7643 says that
 * names and addresses are compared without regard to case, so both sides are lowered first.
 */
export function matchFilter<T extends object>(resources: readonly T[], filter: SCIMMY.Types.Filter): readonly T[] {
  // A filter is a list of alternatives. Each is asked by itself: one that fails leaves the others their say.
  const alternatives = Array.from(filter, (expression: unknown) => new SCIMMY.Types.Filter([lower(expression)]))
  return resources.filter((resource) => {
    const copy = lower(resource)
    return alternatives.some((alternative) => matches(alternative, copy))
  })
}

/** The library throws where an expression looks into an attribute that a resource does not have: that is no match. */
function matches(alternative: SCIMMY.Types.Filter, resource: unknown): boolean {
  try {
    return alternative.match([resource]).length > 0
  } catch (error) {
    if (error instanceof TypeError) return false
    throw error
  }
}

function lower(value: unknown): unknown {
  if (typeof value === 'string') return value.toLowerCase()
  if (Array.isArray(value)) return value.map(lower)
  if (value === null || typeof value !== 'object' || value instanceof Date) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, EXACT.has(name.toLowerCase()) ? part : lower(part)] as const),
  )
}
