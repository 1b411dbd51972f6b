import type { IncomingMessage } from 'node:http'
import { invalidField } from '../../../core/kernel/errors.ts'
import type { Reach } from '../../../core/gateway/calls/prepare.ts'
import type { Target } from '../../../core/gateway/calls/target.ts'
import { findKey, type KeySources } from '../../../db/gateway/provider-keys/find-key.ts'
import type { GatewayServices } from '../services.ts'
import type { InferenceCall } from './open-call.ts'

/** A reach, and whether its key is the caller's own. */
export interface FoundReach extends Reach {
  readonly isOwnKey: boolean
}

/** Headers that providers know and callers may set. */
const PASSED_HEADERS = ['anthropic-version', 'anthropic-beta', 'openai-beta', 'http-referer', 'x-title'] as const
const MOST_KEY_CHARS = 8192

/**
 * Finds address and key of a target: the key of the header, then the member's and the team's of the vault, then the
 * operator's, which serves accounts and no anonymous workspaces; neither do the operator's own servers, which may take any
 * key. A key of a header is sent to the target that the caller named first and to no other. Throws `no_provider_key`.
 */
export async function findReach(
  {
    services,
    principal,
    request,
    visitor,
    anthropicKey,
  }: Pick<InferenceCall, 'services' | 'principal' | 'request' | 'visitor' | 'anthropicKey'>,
  { target, isFirst }: { readonly target: Target; readonly isFirst: boolean },
): Promise<FoundReach> {
  const { provider } = target
  const sent = isFirst && provider.id === 'anthropic' ? anthropicKey : undefined
  const given = (isFirst ? givenKey(request, provider.id) : undefined) ?? sent
  const found = await findKey(keySources(services), {
    caller: principal,
    provider,
    given,
    usesVault: visitor === undefined,
  })
  return { ...found, target, callerHeaders: passedHeaders(request) }
}

/** Returns what the keys of calls are found in. */
export function keySources({ settings, vault, now }: GatewayServices): KeySources {
  return { upstreams: settings.upstreams, vault, now }
}

function givenKey(request: IncomingMessage, provider: string): string | undefined {
  const named = provider === 'anthropic' ? request.headers['x-anthropic-api-key'] : undefined
  const key = request.headers['x-upstream-api-key'] ?? named
  return key === undefined ? undefined : requireKeyText(key)
}

/** Returns a caller's key at a provider. Throws `validation_failed` for what is none. */
export function requireKeyText(key: string | readonly string[], field = 'x-upstream-api-key'): string {
  if (typeof key !== 'string' || key.length > MOST_KEY_CHARS || !/^[\x21-\x7e]+$/.test(key)) {
    throw invalidField(field, `must be at most ${MOST_KEY_CHARS} printable ASCII characters`)
  }
  return key
}

function passedHeaders({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  return Object.fromEntries(
    PASSED_HEADERS.flatMap((name) => {
      const value = headers[name]
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )
}
