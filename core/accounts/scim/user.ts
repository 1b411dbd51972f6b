import { ACCOUNTS_ERRORS } from '../errors.ts'
import { z } from 'zod'
import type { Json, JsonObject } from '../../kernel/json/json.ts'
import { readAddress } from '../address.ts'
import type { ScimUser, ScimUserInput } from './directory.ts'
import { refuseScim } from './refusal.ts'

/** The extension that most providers send. */
export const ENTERPRISE_USER = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
/** Path prefix of the SCIM routes. */
export const SCIM_PATH = '/scim/v2'

/** Attributes stored besides the columns and returned unchanged. */
const KEPT = [
  'name',
  'displayName',
  'nickName',
  'profileUrl',
  'title',
  'userType',
  'preferredLanguage',
  'locale',
  'timezone',
  'emails',
  'phoneNumbers',
  'addresses',
  ENTERPRISE_USER,
] as const

const MAX_KEPT_CHARS = 8192

const Given = z.looseObject({
  userName: z.string().trim().min(1).max(254),
  externalId: z.string().max(256).nullish(),
  displayName: z.string().max(160).nullish(),
  active: z.boolean().nullish(),
  name: z.looseObject({ formatted: z.string().max(200).nullish() }).nullish(),
  emails: z
    .array(z.looseObject({ value: z.string().max(254).nullish(), primary: z.boolean().nullish() }))
    .max(16)
    .nullish(),
})

/**
 * Reads a user resource. The sign-in address is the user name or, if that is not an address, the primary e-mail
 * address. Throws `invalid_value`.
 */
export function readUser(resource: unknown, { isPatch }: { readonly isPatch: boolean }): ScimUserInput {
  const plain = storable(plainOf(resource))
  const parsed = Given.safeParse(plain)
  if (!parsed.success) {
    const said = parsed.error.issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`)
    throw refuseScim(ACCOUNTS_ERRORS.invalid_value, 'invalidValue', said.join('; '))
  }
  const { userName, externalId, displayName, active, name, emails } = parsed.data
  const primary = emails?.find((one) => one.primary === true) ?? emails?.[0]
  const email = readAddress(userName) ?? readAddress(primary?.value ?? undefined)
  if (email === null) {
    throw refuseScim(
      ACCOUNTS_ERRORS.invalid_value,
      'invalidValue',
      'userName or the primary of emails must be an e-mail address',
    )
  }
  const attributes: JsonObject = Object.fromEntries(
    KEPT.flatMap((attribute) => {
      const value = plain[attribute]
      return value === undefined || value === null ? [] : [[attribute, value] as const]
    }),
  )
  if (JSON.stringify(attributes).length > MAX_KEPT_CHARS) {
    throw refuseScim(ACCOUNTS_ERRORS.invalid_value, 'tooMany', 'the user has more attributes than can be stored')
  }
  return {
    userName,
    email,
    externalId: externalId ?? null,
    displayName: displayName ?? name?.formatted ?? null,
    isActive: active ?? !isPatch,
    attributes,
  }
}

/** A person in the form of SCIM; addresses of resources are paths. */
export function writeUser(user: ScimUser): JsonObject {
  const groups = user.groups.map(({ id, displayName }) => ({
    value: id,
    display: displayName,
    $ref: `${SCIM_PATH}/Groups/${id}`,
    type: 'direct',
  }))
  return {
    ...user.attributes,
    id: user.id,
    ...(user.externalId !== null && { externalId: user.externalId }),
    userName: user.userName,
    active: user.isActive,
    ...(groups.length > 0 && { groups }),
    meta: { created: user.createdAt.toISOString(), lastModified: user.updatedAt.toISOString() },
  }
}

/** The same resource. Throws `invalid_value` when a text in it holds U+0000, which the database has no place for. */
export function storable(plain: JsonObject): JsonObject {
  JSON.stringify(plain, (name, value: unknown) => {
    if (typeof value !== 'string' || !value.includes('\0')) return value
    throw refuseScim(ACCOUNTS_ERRORS.invalid_value, 'invalidValue', `${name}: holds U+0000`)
  })
  return plain
}

/** A resource of the library as plain JSON. */
export function plainOf(resource: unknown): { readonly [member: string]: Json } {
  const plain: { readonly [member: string]: Json } = JSON.parse(JSON.stringify(resource))
  return plain
}
