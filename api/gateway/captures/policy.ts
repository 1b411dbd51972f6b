import {
  acceptedScopes,
  CAPTURE_ACTIONS,
  decideAccess,
  isCaptureAction,
  ROLE_RANKS,
} from '../../../core/gateway/captures/access.ts'
import { ROLES } from '../../../core/accounts/roles.ts'
import {
  CapturePolicyAnswer,
  EvaluateAccessAnswer,
  EvaluateAccessBody,
} from '../../../core/gateway/wire/captures/policy.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'
import { identityOf } from './access.ts'

const FENCING = [
  'Every action is of the tenant of the credential; no body, query or path names another.',
  'Captures of another tenant are unknown: they answer 404.',
  'A key with namespace:<name> scopes reaches the captures of these namespaces.',
] as const

export const getCapturePolicyRoute = defineRoute({
  method: 'get',
  path: '/v1/capture/rbac/policy',
  operationId: 'getCapturePolicy',
  group: 'captures',
  summary: 'Show the access policy of captures',
  description:
    'The roles, and for each action the least role and the accepted scopes. Every route of captures enforces it: the role is that of the member in the team of the key, else in the organisation.',
  auth: 'key',
  scope: 'capture:read',
  orScopes: ['capture:write', 'capture:stream', 'lake:read', 'lake:export'],
  namespace: 'none: the policy is the same for all',
  answers: { 200: envelope('The policy', CapturePolicyAnswer) },
}).handle(async () => {
  const actions = Object.keys(CAPTURE_ACTIONS).filter((name) => isCaptureAction(name))
  const rules = actions.map((action) => [
    action,
    { min_role: CAPTURE_ACTIONS[action].role, accepted_scopes: [...acceptedScopes(action)] },
  ])
  return await Promise.resolve({
    status: 200,
    body: {
      spec: 'svc-team-capture-rbac/1',
      roles: ROLES.map((id) => ({ id, rank: ROLE_RANKS[id] })),
      actions: Object.fromEntries(rules),
      tenant_fencing: [...FENCING],
      secret_values_included: false,
    },
  })
})

export const evaluateCaptureAccessRoute = defineRoute({
  method: 'post',
  path: '/v1/capture/rbac/evaluate',
  operationId: 'evaluateCaptureAccess',
  group: 'captures',
  summary: 'Judge an action on captures for the caller',
  description:
    'Decides as the routes do, for the credential of the call: its scopes, and the role of its member. A body names the action and the namespace, nothing else.',
  auth: 'key',
  scope: 'capture:read',
  orScopes: ['capture:write', 'capture:stream', 'lake:read', 'lake:export'],
  namespace: 'bounded',
  stores: 'bounded',
  body: EvaluateAccessBody,
  answers: { 200: envelope('The decision', EvaluateAccessAnswer) },
}).handle(async ({ op, principal, body }) => {
  const namespace = body.namespace ?? null
  const identity = await identityOf({ op, principal })
  const decision = decideAccess(identity, body.action, namespace)
  return {
    status: 200,
    body: {
      allowed: decision.isAllowed,
      action: body.action,
      namespace,
      reason: decision.isAllowed ? 'allowed' : decision.reason,
      member_role: identity.role,
      ...(decision.isAllowed && { matched_scope: decision.matchedScope }),
      ...(!decision.isAllowed && decision.reason === 'insufficient_role' && { required_role: decision.requiredRole }),
      ...(!decision.isAllowed &&
        decision.reason === 'insufficient_scope' && { accepted_scopes: [...decision.acceptedScopes] }),
      tenant_fenced: true,
    },
  }
})
