import type { JsonObject } from '../../json.ts'

/** A person as SCIM sees them. */
export interface ScimUser {
  readonly id: string
  readonly externalId: string | null
  readonly userName: string
  readonly isActive: boolean
  /** What SCIM sent beside these; answered as it came. */
  readonly attributes: JsonObject
  readonly groups: readonly { readonly id: string; readonly displayName: string }[]
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** What SCIM wants a person to be. */
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

/** What SCIM wants a group to be. */
export interface ScimGroupInput {
  readonly displayName: string
  readonly externalId: string | null
  readonly memberIds: readonly string[]
}

/**
 * The people and groups of one tenant, in one transaction. Finding answers null for what is unknown; all else throws
 * `not_found` for it, `duplicate` for a name that is taken, `seat_limit`, and `forbidden` for what SCIM may not do.
 */
export interface ScimDirectory {
  findUser(id: string): Promise<ScimUser | null>
  listUsers(): Promise<readonly ScimUser[]>
  createUser(input: ScimUserInput): Promise<ScimUser>
  updateUser(id: string, input: ScimUserInput): Promise<ScimUser>
  removeUser(id: string): Promise<void>
  findGroup(id: string): Promise<ScimGroup | null>
  listGroups(): Promise<readonly ScimGroup[]>
  createGroup(input: ScimGroupInput): Promise<ScimGroup>
  updateGroup(id: string, input: ScimGroupInput): Promise<ScimGroup>
  removeGroup(id: string): Promise<void>
}
