import { z } from 'zod'
import { ROLES } from '../roles.ts'

/** A role of a member. */
export const RoleName = z
  .enum(ROLES)
  .meta({ id: 'Role', description: 'What a member may do; each role may do what those before it may' })
