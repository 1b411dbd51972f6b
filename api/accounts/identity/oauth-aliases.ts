import { DOCUMENTS } from '../../kernel/guard/public-limits.ts'
import { z } from 'zod'
import { returnPathOf } from '../../../core/accounts/sign-in/return-path.ts'
import { rawAnswer } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'
import { ProviderParams, redirectTo } from './oauth.ts'

const ELSEWHERE = rawAnswer('The canonical path, see `Location`', 'text/plain; charset=utf-8')

/** Parameters that a provider may return (RFC 6749, 4.1.2; RFC 9207). */
const RETURNED = ['code', 'state', 'error', 'error_description', 'iss'] as const

export const shortStartRoute = defineRoute({
  method: 'get',
  path: '/v1/auth/{provider}',
  limit: DOCUMENTS,
  operationId: 'startOAuthShort',
  group: 'accounts',
  summary: 'Alias of `GET /v1/oauth/{provider}/start`',
  auth: 'public',
  scope: undefined,
  params: ProviderParams,
  query: z.object({ redirect: z.string().optional().meta({ description: 'Path to go to afterwards' }) }),
  answers: { 302: ELSEWHERE },
}).handle(async ({ params, query }) => {
  const asked = query.redirect === undefined ? '' : `?redirect=${encodeURIComponent(returnPathOf(query.redirect))}`
  return redirectTo(`/v1/oauth/${params.provider}/start${asked}`)
})

export const shortCallbackRoute = defineRoute({
  method: 'get',
  path: '/v1/auth/{provider}/callback',
  limit: DOCUMENTS,
  operationId: 'finishOAuthShort',
  group: 'accounts',
  summary: 'Alias of `GET /v1/oauth/{provider}/callback`',
  auth: 'public',
  scope: undefined,
  params: ProviderParams,
  query: z.looseObject(Object.fromEntries(RETURNED.map((name) => [name, z.string().max(4000).optional()]))),
  answers: { 302: ELSEWHERE },
}).handle(async ({ params, query }) => {
  const handedOn = new URLSearchParams()
  for (const name of RETURNED) {
    const value = query[name]
    if (typeof value === 'string') handedOn.set(name, value)
  }
  const asked = handedOn.size === 0 ? '' : `?${handedOn.toString()}`
  return redirectTo(`/v1/oauth/${params.provider}/callback${asked}`)
})
