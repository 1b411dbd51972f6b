import { sql } from 'kysely'
import { z } from 'zod'
import type { ScimUserInput } from '../../../core/accounts/scim/directory.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'

/** Members that SCIM sees: all active ones, and deactivated ones that are not deleted. */
export const IS_VISIBLE = sql<boolean>`(state = 'active' or scim is not null)`

const Stored = z.object({
  userName: z.string(),
  attributes: z.custom<JsonObject>((value) => value !== null && typeof value === 'object'),
})

/** SCIM's data of a person; without members for a person whom SCIM did not make. */
export type StoredUser = Partial<z.infer<typeof Stored>>

/** Returns the stored data of a person beside the columns: the name as it was written, and the attributes. */
export function stored({ userName, attributes }: ScimUserInput): JsonObject {
  return { userName, attributes }
}

/** Reads it back. */
export function readStored(scim: JsonObject | null): StoredUser {
  return Stored.safeParse(scim).data ?? {}
}
