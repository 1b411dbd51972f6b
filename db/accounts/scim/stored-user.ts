import { sql } from 'kysely'
import { z } from 'zod'
import type { ScimUserInput } from '../../../core/accounts/scim/directory.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'

/** Members that SCIM sees: all active ones, and those who were shut out and not deleted. */
export const IS_VISIBLE = sql<boolean>`(state = 'active' or scim is not null)`

const Stored = z.object({
  userName: z.string(),
  attributes: z.custom<JsonObject>((value) => value !== null && typeof value === 'object'),
})

/** What SCIM sent of somebody; without members for one whom SCIM did not make. */
export type StoredUser = Partial<z.infer<typeof Stored>>

/** What is kept of a person beside the columns: the name as it was written, and the attributes. */
export function stored({ userName, attributes }: ScimUserInput): JsonObject {
  return { userName, attributes }
}

/** Reads it back. */
export function readStored(scim: JsonObject | null): StoredUser {
  return Stored.safeParse(scim).data ?? {}
}
