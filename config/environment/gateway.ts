import { z } from 'zod'
import {
  GATEWAY_MODES,
  GATEWAY_PROVIDERS,
  type GatewayMode,
  type OperatorUpstreams,
} from '../../core/gateway/calls/providers.ts'

const BaseUrl = z
  .string()
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), {
    error: 'must be an address that starts with http:// or https://',
  })
  .transform((text) => text.replace(/\/+$/, ''))
const ApiKey = z.string().regex(/^[\x21-\x7e]+$/, { error: 'must be printable ASCII without spaces' })

/** The variable with the address of a provider. */
function baseVariable(id: string): string {
  return `SVC_UPSTREAM_${id.toUpperCase().replaceAll('-', '_')}_BASE`
}

/**
 * Reads where the operator reaches providers, with which keys, and which of them are asked; returns a line for each wrong
 * variable, without its value.
 */
export function readUpstreams(given: Readonly<Record<string, string | undefined>>): {
  readonly upstreams: OperatorUpstreams
  readonly gatewayMode: GatewayMode
  readonly problems: readonly string[]
} {
  const problems: string[] = []
  const read = (name: string, schema: z.ZodType<string>): string | undefined => {
    const value = given[name]
    if (value === undefined) return undefined
    const parsed = schema.safeParse(value)
    if (parsed.success) return parsed.data
    problems.push(...parsed.error.issues.map(({ message }) => `${name}: ${message}`))
    return undefined
  }
  const upstreams = Object.fromEntries(
    GATEWAY_PROVIDERS.map(({ id, keyVariables }) => {
      const keys = keyVariables.map((name) => read(name, ApiKey))
      return [id, { baseUrl: read(baseVariable(id), BaseUrl), apiKey: keys.find((key) => key !== undefined) }]
    }),
  )
  const mode = GATEWAY_MODES.find((known) => known === (given['SVC_GATEWAY_MODE'] ?? 'cloud'))
  if (mode === undefined) problems.push(`SVC_GATEWAY_MODE: must be one of ${GATEWAY_MODES.join(', ')}`)
  return { upstreams, gatewayMode: mode ?? 'cloud', problems }
}
