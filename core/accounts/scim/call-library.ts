import { ScimContext, type ScimCall } from './context.ts'
import type { ScimDirectory } from './directory.ts'
import { explainScim } from './refusal.ts'

/** Calls the library with the context of its handlers; every failure is thrown as a `DomainError`. */
export async function callLibrary<T>(
  directory: ScimDirectory,
  call: ScimCall,
  work: (context: ScimContext) => Promise<T>,
): Promise<T> {
  const context = new ScimContext(directory, call)
  try {
    return await work(context)
  } catch (error) {
    // An error thrown by a handler takes precedence over the library's wrapping of it.
    const cause = context.failure === undefined ? error : context.failure.error
    throw explainScim(cause) ?? cause
  }
}
