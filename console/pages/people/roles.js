/** Roles of a member, from the fewest rights to the most. */
export const ROLES = /** @type {const} */ ([
  ['viewer', 'viewer: looks on'],
  ['member', 'member: compiles and runs'],
  ['admin', 'admin: runs the account'],
  ['owner', 'owner'],
])

/** Roles that are given; the owner of an organisation changes by handing it over. */
export const GIVEN_ROLES = ROLES.slice(0, 3)
