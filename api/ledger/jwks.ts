import { DOCUMENTS } from '../kernel/guard/public-limits.ts'
import { JwkSet, toJwk } from '../../core/ledger/keys/jwk.ts'
import { bareDocument } from '../kernel/reply/answers.ts'
import { defineRoute } from './services.ts'

export const getJwksRoute = defineRoute({
  method: 'get',
  path: '/.well-known/jwks.json',
  limit: DOCUMENTS,
  keptForS: 5,
  operationId: 'getJwks',
  group: 'health',
  summary: 'List the public keys that verify the service’s signatures',
  description:
    'The current signing key first, then those before it, whose signatures stay valid. `kid` is the fingerprint.',
  auth: 'public',
  scope: undefined,
  answers: { 200: bareDocument('JWK set (RFC 7517, RFC 8037)', JwkSet) },
}).handle(async ({ services }) => {
  const { current, all } = services.signingKeys
  const keys = [current.publicKey, ...all.filter(({ kid }) => kid !== current.kid).map(({ publicKey }) => publicKey)]
  return { status: 200, body: { keys: keys.map(toJwk) }, headers: { 'Cache-Control': 'public, max-age=3600' } }
})
