import type { JsonObject } from '../../kernel/json/json.ts'

/** A person as SCIM sees them. */
export interface ScimUser {
  readonly id: string
  readonly externalId: string | null
  readonly userName: string
  readonly isActive: boolean
  /** All further attributes from SCIM, returned unchanged. */
  readonly attributes: JsonObject
  readonly groups: readonly { readonly id: string; readonly displayName: string }[]
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** A user as SCIM sends it. */
export interface ScimUserInput {
  readonly userName: string
  /** The address that the person signs in with, lower-case. */
  readonly email: string
  readonly externalId: string | null
  readonly displayName: string | null
  readonly isActive: boolean
  readonly attributes: JsonObject
}

/** A group as SCIM sees it. */
export interface ScimGroup {
  readonly id: string
  readonly externalId: string | null
  readonly displayName: string
  readonly members: readonly { readonly id: string; readonly display: string }[]
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** A group as SCIM sends it. */
export interface ScimGroupInput {
  readonly displayName: string
  readonly externalId: string | null
  readonly memberIds: readonly string[]
}

/** The attributes that resources are looked up by. */
export type ScimKey = 'id' | 'userName' | 'externalId' | 'displayName'

/** Filter and page of a resource list. */
export interface ScimWanted {
  /** Only resources with this value, names compared case-insensitively; null for no filter. */
  readonly equals: { readonly attribute: ScimKey; readonly value: string } | null
  /** Which of these, in the order in which they were made. */
  readonly page: { readonly skip: number; readonly take: number }
}

/** One page, and the total number of matches. */
export interface ScimFound<T> {
  readonly items: readonly T[]
  readonly total: number
}

/**
 * The users and groups of one tenant, in one transaction. Finders return null for an unknown resource; other calls
 * throw `not_found` for it, `duplicate` for a name already in use, `seat_limit`, `limit_reached`, and `forbidden` for
 * an action that SCIM may not take.
 */
export interface ScimDirectory {
  /** More resources than these are not looked through one by one. */
  readonly mostScanned: number
  findUser(id: string): Promise<ScimUser | null>
  listUsers(wanted: ScimWanted): Promise<ScimFound<ScimUser>>
  createUser(input: ScimUserInput): Promise<ScimUser>
  updateUser(id: string, input: ScimUserInput): Promise<ScimUser>
  removeUser(id: string): Promise<void>
  findGroup(id: string): Promise<ScimGroup | null>
  listGroups(wanted: ScimWanted): Promise<ScimFound<ScimGroup>>
  createGroup(input: ScimGroupInput): Promise<ScimGroup>
  updateGroup(id: string, input: ScimGroupInput): Promise<ScimGroup>
  removeGroup(id: string): Promise<void>
}
