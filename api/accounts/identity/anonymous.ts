import { invalidField } from '../../../core/kernel/errors.ts'
import { findPrimaryKey } from '../../../db/accounts/keys/find-key.ts'
import type { Principal } from '../../../db/kernel/tenant/principal.ts'
import { createRateLimiter } from '../../../db/kernel/rate-limits/rate-limiter.ts'
import { systemOperation, type Operation } from '../../../db/kernel/operation.ts'
import { bootstrapWorkspace } from '../../../db/accounts/across/sign-up/bootstrap.ts'
import { mergeByCode, mergeWorkspace } from '../../../db/accounts/across/sign-up/merge-workspace.ts'
import type { ClaimedWorkspace } from '../../../db/accounts/tenants/anonymous/lock-workspace.ts'
import { upgradeWorkspace } from '../../../db/accounts/tenants/anonymous/upgrade-workspace.ts'
import { mailClaimCode } from '../../../db/accounts/across/sign-up/claim-codes.ts'
import { normalizeEmail } from '../../../db/accounts/tenants/verification/email-address.ts'
import { findMemberEmail } from '../../../db/accounts/members/find-email.ts'
import { credentialOf } from '../../kernel/guard/credentials.ts'
import { forgetCredential } from '../../kernel/guard/forget.ts'
import { rateLimitHeaders, RateLimitedError } from '../../kernel/guard/rate-limits.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { presentTenant, tenantOf } from '../../kernel/tenant-view.ts'
import {
  BootstrapAnonymousAnswer,
  BootstrapAnonymousBody,
  ClaimAnonymousBody,
  ClaimCodeSent,
  ClaimAnonymousAnswer,
} from '../../../core/accounts/wire/identity/anonymous.ts'
import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import { defineRoute, type CallFacts, type AccountsServices } from '../services.ts'

/** Opening and claiming share one count, so that neither is a way around the other. */
const ANONYMOUS_LIMIT = { name: 'anon', limit: 'anon_per_ip_day', windowS: 86_400, counts: 'calls' } as const
const GUESSES_WINDOW_S = 900

export const bootstrapRoute = defineRoute({
  method: 'post',
  path: '/v1/anon/bootstrap',
  operationId: 'bootstrapAnonymous',
  group: 'accounts',
  summary: 'Open an anonymous workspace',
  description: 'No e-mail address is needed. The workspace and its data are removed when it expires.',
  auth: 'public',
  scope: undefined,
  stores: 'bounded',
  limit: ANONYMOUS_LIMIT,
  body: BootstrapAnonymousBody,
  answers: {
    200: envelope('The workspace and its token', BootstrapAnonymousAnswer),
  },
  errors: ['signup_disabled'],
}).handle(async ({ services, requestId }) => {
  const { db, limits } = services
  requireOpenSignUp(services)
  const workspace = await bootstrapWorkspace(db, { requestId, now: services.now(), limits })
  return {
    status: 200,
    body: {
      anon_token: workspace.token,
      tenant_id: workspace.tenantId,
      kind: 'anon',
      expires_at: workspace.expiresAt.toISOString(),
      quota: workspace.quota,
      hint: 'send the token in the X-API-Key header; keep the work with POST /v1/anon/claim',
    },
  }
})

export const claimRoute = defineRoute({
  method: 'post',
  path: '/v1/anon/claim',
  operationId: 'claimAnonymous',
  group: 'accounts',
  summary: 'Keep an anonymous workspace',
  description:
    'Upgrades the workspace in place: a tenant of its own, with a new key and an address that is not verified. The session that claims it goes on with that key. With the key or session of a tenant, or with the code of a mail to its verified address, the workspace is merged into that tenant instead, whose keys stay as they are. `send_code` asks for that mail and changes nothing; its answer is the same for every address.',
  auth: 'optional',
  scope: 'account:write',
  namespace: 'refused',
  stores: 'bounded',
  limit: ANONYMOUS_LIMIT,
  body: ClaimAnonymousBody,
  answers: {
    200: envelope('The tenant that has the work now', ClaimAnonymousAnswer),
    202: envelope('If the address has an account, a mail is on its way', ClaimCodeSent),
  },
  errors: [
    'invalid_token',
    'token_expired',
    'anon_expired',
    'ownership_proof_required',
    'jobs_running',
    'signup_disabled',
    'mail_not_configured',
  ],
}).handle(async (call) => {
  const { services, body, op, principal, requestId, request } = call
  const { db, limits, settings } = services
  const workspace =
    body.anon_token === undefined ? ownWorkspace(principal) : await workspaceOf(services, body.anon_token)
  if (body.send_code) {
    if (!settings.isMailConfigured) {
      throw ACCOUNTS_ERRORS.mail_not_configured('no mail server is configured on this service')
    }
    await mailClaimCode(db, { workspaceId: workspace.tenantId, email: body.email, limits, now: services.now() })
    return { status: 202, body: { expires_in_s: limits.mail_token_minutes * 60 } }
  }
  if (body.code !== undefined) {
    const { code, email } = body
    const merged = await guarded(call, () =>
      mergeByCode(db, { merge: services.ports.mergeTenant, workspace, email, code, requestId, now: services.now }),
    )
    forgetCredential(services, workspace.tenantId)
    return await answerMerged(services, merged.tenantId, requestId, null)
  }
  // The token itself may come in the header as well; that says nothing about any other tenant.
  if (op && principal && principal.tenantId !== workspace.tenantId) {
    await requireOwnership(op, principal, body.email)
    await mergeWorkspace(op, { merge: services.ports.mergeTenant, workspace })
    forgetCredential(services, workspace.tenantId)
    const credential = credentialOf(request)
    return await answerMerged(services, op.tenantId, requestId, credential.kind === 'key' ? credential.apiKey : null)
  }
  requireOpenSignUp(services)
  const { tenantId, apiKey } = await upgradeWorkspace(db, {
    workspace,
    sessionId: principal?.tenantId === workspace.tenantId ? principal.sessionId : undefined,
    email: body.email,
    name: body.name,
    mailLinksTo: settings.isMailConfigured ? services.publicUrl() : undefined,
    requestId,
    limits,
    now: services.now(),
  })
  forgetCredential(services, tenantId)
  const tenant = presentTenant(await tenantOf(db, tenantId), limits)
  return { status: 200, body: { mode: 'upgraded', api_key: apiKey, key_prefix: prefixOf(apiKey), tenant } }
})

/** Throws `signup_disabled` in invite-only mode, since claiming a workspace makes a tenant. */
function requireOpenSignUp({ settings }: AccountsServices): void {
  if (settings.isInviteOnly) throw ACCOUNTS_ERRORS.signup_disabled('sign-up is by invitation only')
}

/** The workspace of a token. Throws `invalid_token` and `anon_expired`. */
async function workspaceOf(services: AccountsServices, token: string): Promise<ClaimedWorkspace> {
  const principal = token.startsWith('kao_') ? await services.keys.authenticate(token) : null
  if (principal?.kind !== 'anonymous' || principal.keyId === null) {
    throw invalidField('anon_token', 'is no token of an anonymous workspace', ACCOUNTS_ERRORS.invalid_token)
  }
  return { tenantId: principal.tenantId, keyId: principal.keyId }
}

/** The workspace of the caller itself. Throws `invalid_token` for another caller, and without one. */
function ownWorkspace(principal: Principal | undefined): ClaimedWorkspace {
  if (principal?.kind !== 'anonymous' || principal.keyId === null) {
    throw invalidField('anon_token', 'is required outside of the workspace', ACCOUNTS_ERRORS.invalid_token)
  }
  return { tenantId: principal.tenantId, keyId: principal.keyId }
}

/** Requires the named address to be the caller's own: a mistyped one would merge into the wrong tenant. */
async function requireOwnership(op: Operation, principal: Principal, email: string): Promise<void> {
  const asked = normalizeEmail(email)
  const own = await findMemberEmail(op, principal.memberId)
  if (principal.kind !== 'anonymous' && own === asked) return
  throw ACCOUNTS_ERRORS.ownership_proof_required('the credential is not that of the account with this address')
}

/** Limits the wrong codes of one address; a right code does not count. */
async function guarded<T>({ services, ip }: Pick<CallFacts, 'services' | 'ip'>, work: () => Promise<T>): Promise<T> {
  const points = services.limits.claim_guesses_per_ip_15min
  const limiter = createRateLimiter(services.db, { name: 'claim-code', points, durationS: GUESSES_WINDOW_S })
  const taken = await limiter.take(ip)
  const resetS = Math.max(1, Math.ceil(taken.resetMs / 1000))
  if (!taken.isAllowed) {
    throw new RateLimitedError(rateLimitHeaders(points, taken.remaining, resetS, GUESSES_WINDOW_S), resetS)
  }
  const result = await work()
  await limiter.refund(ip)
  return result
}

async function answerMerged(services: AccountsServices, tenantId: string, requestId: string, apiKey: string | null) {
  const op = systemOperation(services.db, { tenantId, name: 'claim', requestId })
  const [tenant, key] = await Promise.all([tenantOf(services.db, tenantId), findPrimaryKey(op)])
  const prefix = apiKey === null ? (key === null ? null : `ks_${key.lookupId}`) : prefixOf(apiKey)
  return {
    status: 200,
    body: { mode: 'merged', api_key: apiKey, key_prefix: prefix, tenant: presentTenant(tenant, services.limits) },
  } as const
}

/** Returns the part of a key that is not secret. */
function prefixOf(apiKey: string): string {
  return apiKey.split('_').slice(0, 2).join('_')
}
