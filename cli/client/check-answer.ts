import type { z } from 'zod'
import { fieldPath } from '../../core/kernel/json/field-path.ts'
import { CliError } from '../cli-error.ts'

/**
 * Returns an answer of the server unchanged once it matches its schema. Fields that the schema does not name stay.
 * Throws `CliError` with the code `unexpected_answer`, which names the fields that do not match. `source` is the address
 * that answered.
 */
export function checkAnswer<S extends z.ZodType>(value: unknown, schema: S, source: string): z.input<S> {
  const { error } = schema.safeParse(value)
  // A value that a schema parses is an input of it.
  if (error === undefined) return value as z.input<S>
  const fields = error.issues.map(({ path, message }) => ({ field: fieldPath(path, 'body'), message }))
  const [first] = fields
  throw new CliError(
    `${source} sent an unexpected answer, ${first?.field}: ${first?.message}. Is it the svc API, and of this version?`,
    { code: 'unexpected_answer', details: { fields } },
  )
}
