import { DOCUMENTS } from '../../kernel/guard/public-limits.ts'
import { bareDocument } from '../../kernel/reply/answers.ts'
import { RetiredAnswer } from '../../../core/accounts/wire/identity/deprecated.ts'
import { defineRoute } from '../services.ts'

/** The date on which the aliases were retired, and its header (RFC 9745: seconds since 1970). */
const DEPRECATED_SINCE = '2026-11-01'
const DEPRECATION = `@${Date.UTC(2026, 10, 1) / 1000}`

function aliasOf(path: '/v1/auth/login' | '/v1/auth/signup', operationId: string, redirect: string, hint: string) {
  return defineRoute({
    method: 'post',
    path,
    limit: DOCUMENTS,
    operationId,
    group: 'accounts',
    summary: `Retired: use \`${redirect}\``,
    auth: 'public',
    scope: undefined,
    stores: 'bounded',
    answers: { 410: bareDocument('Gone; the answer names what took its place', RetiredAnswer) },
  }).handle(async ({ requestId }) => ({
    status: 410,
    body: {
      ok: false,
      error: 'endpoint_deprecated',
      code: 'endpoint_deprecated',
      request_id: requestId,
      hint,
      redirect,
      deprecated_since: DEPRECATED_SINCE,
    },
    headers: { Deprecation: DEPRECATION, Link: `<${redirect}>; rel="successor-version"` },
  }))
}

export const deprecatedLoginRoute = aliasOf(
  '/v1/auth/login',
  'deprecatedLogin',
  '/v1/signin',
  'exchange an API key at POST /v1/signin, or ask for a mail at POST /v1/auth/email/start',
)

export const deprecatedSignUpRoute = aliasOf(
  '/v1/auth/signup',
  'deprecatedSignUp',
  '/v1/signup',
  'create a tenant at POST /v1/signup',
)
