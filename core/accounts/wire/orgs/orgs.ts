import { z } from 'zod'
import { TenantId } from '../../../kernel/wire/ids.ts'
import { Plan } from '../../../kernel/wire/tenant.ts'
import { RoleName } from '../roles.ts'

/** An organisation as its members see it. */
export const OrgView = z
  .object({
    id: TenantId,
    name: z.string(),
    plan: Plan,
    seats_max: z.int(),
    seats_used: z.int().meta({ description: 'Active members and open invitations' }),
    role: RoleName.meta({ description: 'The caller’s role in it' }),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Org', description: 'An organisation: a tenant, seen as its members' })

/** Answer of `GET /v1/orgs`. */
export const ListOrgsAnswer = z.object({
  orgs: z.array(z.object({ id: TenantId, name: z.string(), plan: Plan, role: RoleName, is_current: z.boolean() })),
})

/** Answer of `GET /v1/orgs/{id}`. */
export const GetOrgAnswer = z.object({ org: OrgView })

/** Body of `PATCH /v1/orgs/{id}`. */
export const ChangeOrgBody = z
  .object({
    name: z
      .string()
      .regex(/^[a-z0-9](?:[a-z0-9-]{1,61}[a-z0-9])$/, {
        error: 'must have 3 to 63 lower-case letters, digits and hyphens',
      })
      .optional(),
  })
  .refine(({ name }) => name !== undefined, { error: 'must have a name', params: { code: 'no_fields' } })
  .meta({ example: { name: 'example-labs' } })

/** Answer of `PATCH /v1/orgs/{id}`. */
export const ChangeOrgAnswer = z.object({ org: OrgView })
