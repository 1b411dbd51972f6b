import { ScimContext, type ScimCall } from './context.ts'
import type { ScimDirectory } from './directory.ts'
import { explainScim } from './refusal.ts'

/** Calls the library with what its handlers need, and throws in our form whatever went wrong. */
export async function callLibrary<T>(
  directory: ScimDirectory,
  call: ScimCall,
  work: (context: ScimContext) => Promise<T>,
): Promise<T> {
  const context = new ScimContext(directory, call)
  try {
    return await work(context)
  } catch (error) {
    // What a handler threw counts before what the library made of it.
    const cause = context.failure === undefined ? error : context.failure.error
    throw explainScim(cause) ?? cause
  }
}
