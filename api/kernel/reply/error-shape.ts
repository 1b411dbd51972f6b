import type { z } from 'zod'
import type { ErrorAnswer } from './errors.ts'

/** A form of error answers that the clients of a route's protocol know. */
export interface ErrorShape {
  /** Upper-case start; part of names in the reference document. */
  readonly name: string
  /** The media type of the route's JSON, answers and errors. */
  readonly mediaType: string
  readonly schema: z.ZodObject
  write(answer: ErrorAnswer): object
}
