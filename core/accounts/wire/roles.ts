import { z } from 'zod'
import { ROLES } from '../roles.ts'

/** A role of a member. */
export const RoleName = z
  .enum(ROLES)
  .meta({ id: 'Role', description: 'Role of a member; each role includes the permissions of those before it' })
