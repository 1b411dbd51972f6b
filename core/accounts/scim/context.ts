import type { JsonObject } from '../../kernel/json/json.ts'
import type { ScimDirectory } from './directory.ts'

/** A call apart from the resource that it names. */
export interface ScimCall {
  /** A PATCH that leaves a user without `active` removed it; a PUT without it means an active user. */
  readonly isPatch?: boolean | undefined
  /** The resources of a list, which are only to be written. */
  readonly listed?: readonly JsonObject[] | undefined
}

/**
 * State of one call, passed through the library. The library's handlers are declared once per process, so all tenant
 * state is kept here and none in a module.
 */
export class ScimContext {
  readonly directory: ScimDirectory
  readonly isPatch: boolean
  readonly listed: readonly JsonObject[]
  /** Error thrown by a handler; the library would report it as a resource that does not exist. */
  failure: { readonly error: unknown } | undefined

  constructor(directory: ScimDirectory, { isPatch = false, listed = [] }: ScimCall) {
    this.directory = directory
    this.isPatch = isPatch
    this.listed = listed
  }

  /** Runs a handler and keeps the error that it throws. */
  async keep<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      this.failure = { error }
      throw error
    }
  }
}

/** The context of a call, as the library hands it on. */
export function contextOf(given: unknown): ScimContext {
  if (given instanceof ScimContext) return given
  throw new Error('a SCIM handler was called without its context')
}
