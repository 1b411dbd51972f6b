import type { JsonObject } from '../../kernel/json/json.ts'
import type { ScimDirectory } from './directory.ts'

/** What a call is, beside the resource that it names. */
export interface ScimCall {
  /** A PATCH that leaves a person without `active` took it away; a PUT without it means an active one. */
  readonly isPatch?: boolean | undefined
  /** The resources of a list, which are only to be written. */
  readonly listed?: readonly JsonObject[] | undefined
}

/**
 * What one call carries through the library: its handlers are declared once for the whole process, so everything of a
 * tenant is in here and nothing in a module.
 */
export class ScimContext {
  readonly directory: ScimDirectory
  readonly isPatch: boolean
  readonly listed: readonly JsonObject[]
  /** What a handler threw: the library would call any error of ours a resource that is not found. */
  failure: { readonly error: unknown } | undefined

  constructor(directory: ScimDirectory, { isPatch = false, listed = [] }: ScimCall) {
    this.directory = directory
    this.isPatch = isPatch
    this.listed = listed
  }

  /** Runs a handler and keeps what it throws. */
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
