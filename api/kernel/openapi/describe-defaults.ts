import { z } from 'zod'

const Named = z.object({
  components: z.object({ schemas: z.record(z.string(), z.record(z.string(), z.unknown())) }),
})

/**
 * Moves the defaults of named schemas into the descriptions of their members. Generators of types take a member with a
 * `default` for one that is always there, which is right for answers; named schemas with defaults are those of requests,
 * where such a member may be left out. Returns the document, changed in place.
 */
export function describeDefaults<T extends object>(document: T): T {
  const { schemas } = Named.parse(document).components
  for (const schema of Object.values(schemas)) describeWithin(schema)
  return Object.assign(document, { components: { ...componentsOf(document), schemas } })
}

function componentsOf(document: object): object {
  return 'components' in document && typeof document.components === 'object' ? (document.components ?? {}) : {}
}

function describeWithin(schema: Record<string, unknown>): void {
  const members = schema['properties']
  if (typeof members !== 'object' || members === null) return
  for (const member of Object.values<unknown>({ ...members })) {
    if (!isRecord(member)) continue
    if ('default' in member) {
      const { default: value, description } = member
      const said = `Default: \`${JSON.stringify(value)}\`.`
      member['description'] = typeof description === 'string' ? `${withStop(description)} ${said}` : said
      delete member['default']
    }
    describeWithin(member)
  }
}

function withStop(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
