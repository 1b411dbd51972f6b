import type { z } from 'zod'
import type { Limits } from '../../../core/limits.ts'

/** A schema, or how it follows from the limits in force. */
export type Schema<T extends z.ZodType, L = Limits> = T | ((limits: L) => T)

/** The schemas of a route's input under one table of limits. */
export interface RouteSchemas {
  readonly params: z.ZodObject | undefined
  readonly query: z.ZodObject | undefined
  readonly body: z.ZodType | undefined
  readonly multipart: z.ZodObject | undefined
}

/** The schemas as a route declares them. */
interface DeclaredSchemas {
  readonly params?: z.ZodObject
  readonly query?: Schema<z.ZodObject>
  readonly body?: Schema<z.ZodType>
  readonly multipart?: z.ZodObject
}

/** The schemas by the limits in force. A process has one table of limits, so each schema is built once. */
export function createSchemas(declared: DeclaredSchemas): (limits: Limits) => RouteSchemas {
  const built = new WeakMap<Limits, RouteSchemas>()
  return (limits) => {
    const known = built.get(limits)
    if (known) return known
    const schemas = {
      params: declared.params,
      query: declared.query && schemaUnder(declared.query, limits),
      body: declared.body && schemaUnder(declared.body, limits),
      multipart: declared.multipart,
    }
    built.set(limits, schemas)
    return schemas
  }
}

function schemaUnder<T extends z.ZodType>(schema: Schema<T>, limits: Limits): T {
  return typeof schema === 'function' ? schema(limits) : schema
}
