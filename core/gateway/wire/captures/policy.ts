import { z } from 'zod'
import { ROLES } from '../../../accounts/roles.ts'
import { CaptureNamespace } from './fields.ts'

/** The policy of captures. */
export const CapturePolicyAnswer = z.object({
  spec: z.literal('svc-team-capture-rbac/1'),
  roles: z.array(z.object({ id: z.enum(ROLES), rank: z.int() }).meta({ id: 'CaptureRole' })),
  actions: z.record(
    z.string(),
    z
      .object({ min_role: z.enum(ROLES), accepted_scopes: z.array(z.string()) })
      .meta({ id: 'CaptureActionRule', description: 'The least role, and the scopes of which a key needs one' }),
  ),
  tenant_fencing: z.array(z.string()).meta({ description: 'Rules that hold for every action' }),
  secret_values_included: z.literal(false),
})

/** An action to judge. */
export const EvaluateAccessBody = z
  .object({
    action: z.string().min(1).max(64).meta({ example: 'capture:read' }),
    namespace: CaptureNamespace.optional(),
  })
  .meta({ id: 'EvaluateCaptureAccess', example: { action: 'capture:read', namespace: 'support' } })

/** The decision for the caller. */
export const EvaluateAccessAnswer = z.object({
  allowed: z.boolean(),
  action: z.string(),
  namespace: z.string().nullable(),
  reason: z
    .enum([
      'allowed',
      'unknown_action',
      'team_membership_required',
      'insufficient_role',
      'insufficient_scope',
      'namespace_not_allowed',
    ])
    .meta({ description: 'Why the action is refused, or `allowed`' }),
  member_role: z.enum(ROLES).nullable(),
  required_role: z.enum(ROLES).exactOptional(),
  accepted_scopes: z.array(z.string()).exactOptional(),
  matched_scope: z.string().exactOptional(),
  tenant_fenced: z.literal(true),
})
