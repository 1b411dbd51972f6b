import { readFileSync } from 'node:fs'
import { z } from 'zod'

const Row = z.strictObject({ input: z.string(), output: z.string() })

/** One line of a contact list as people typed it, and the entry that it means. */
export type ContactRow = z.infer<typeof Row>

/** The example task in one sentence. */
export const CONTACT_TASK =
  'Make a line of a call list from a line of a contact list that many people typed: first name before last name, then the phone number as (123) 456-7890.'

/** The file of examples that are compiled. */
export const CONTACT_FILE = new URL('rows.jsonl', import.meta.url)

/** Lines that the compile never sees, with the entries they mean. */
export function readUnseenRows(): readonly ContactRow[] {
  return readFileSync(new URL('unseen.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => Row.parse(JSON.parse(line)))
}
