import { ACCOUNTS_ERRORS } from '../errors.ts'
import { z } from 'zod'
import type { JsonObject } from '../../kernel/json/json.ts'
import type { ScimGroup, ScimGroupInput } from './directory.ts'
import { refuseScim } from './refusal.ts'
import { plainOf, SCIM_PATH, storable } from './user.ts'

const MAX_MEMBERS = 256

const Given = z.looseObject({
  displayName: z.string().trim().min(1).max(160),
  externalId: z.string().max(256).nullish(),
  members: z
    .array(z.looseObject({ value: z.string().max(100), type: z.string().nullish() }))
    .max(MAX_MEMBERS)
    .nullish(),
})

/** Reads a group resource. Groups hold users, not groups. Throws `invalid_value`. */
export function readGroup(resource: unknown): ScimGroupInput {
  const parsed = Given.safeParse(storable(plainOf(resource)))
  if (!parsed.success) {
    const said = parsed.error.issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`)
    throw refuseScim(ACCOUNTS_ERRORS.invalid_value, 'invalidValue', said.join('; '))
  }
  const { displayName, externalId, members } = parsed.data
  if (members?.some(({ type }) => type === 'Group')) {
    throw refuseScim(ACCOUNTS_ERRORS.invalid_value, 'invalidValue', 'members: groups hold users only')
  }
  return {
    displayName,
    externalId: externalId ?? null,
    memberIds: [...new Set(members?.map(({ value }) => value))],
  }
}

/** A group in the form of SCIM; addresses of resources are paths. */
export function writeGroup(group: ScimGroup): JsonObject {
  const members = group.members.map(({ id, display }) => ({
    value: id,
    display,
    $ref: `${SCIM_PATH}/Users/${id}`,
    type: 'User',
  }))
  return {
    id: group.id,
    ...(group.externalId !== null && { externalId: group.externalId }),
    displayName: group.displayName,
    members,
    meta: { created: group.createdAt.toISOString(), lastModified: group.updatedAt.toISOString() },
  }
}
