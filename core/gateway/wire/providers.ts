import { z } from 'zod'
import { GATEWAY_MODES, GATEWAY_PROVIDERS, type GatewayProviderId } from '../calls/providers.ts'

const [FIRST, ...OTHERS] = GATEWAY_PROVIDERS.map(({ id }) => id)
/** The id of a provider. */
export const ProviderId = z.enum([FIRST, ...OTHERS] as [GatewayProviderId, ...GatewayProviderId[]])

const KNOWN = [FIRST, ...OTHERS].join(', ')

/** A provider with the tenant's settings. */
export const ProviderView = z
  .object({
    provider: ProviderId,
    label: z.string(),
    enabled: z.boolean(),
    position: z.int().min(0).meta({ description: "Place among a namespace's fallbacks, lowest first" }),
    rate_limit_rpm: z.int().min(0).meta({ description: 'Calls a minute; 0 for no limit' }),
    api_key_set: z
      .boolean()
      .meta({ description: "Whether a call of the caller would find a key, the operator's included" }),
    dialects: z.array(z.string()).meta({ description: 'What it speaks' }),
    breaker: z
      .object({
        state: z.enum(['closed', 'open', 'half_open']),
        retry_in_ms: z.int().min(0),
        calls: z.int().min(0),
        failures: z.int().min(0),
      })
      .meta({
        description: 'State of the circuit breaker of its server in the answering process, over its last calls',
      }),
  })
  .meta({ id: 'GatewayProvider' })

/** Answer of `GET /v1/gateway/providers` and of a change. */
export const ProvidersAnswer = z.object({ version: z.literal('gateway-providers-1'), providers: z.array(ProviderView) })

/** Settings to change; what is absent stays. */
export const ProvidersChange = z
  .object({
    providers: z
      .partialRecord(
        ProviderId,
        z
          .strictObject({
            enabled: z.boolean().optional(),
            position: z.int().min(0).max(1000).optional(),
            rate_limit_rpm: z.int().min(0).max(1_000_000).optional().meta({ description: '0 for no limit' }),
          })
          .meta({ id: 'ProviderChange' }),
      )
      .refine((changes) => Object.keys(changes).length > 0, { error: `must name a provider: ${KNOWN}` })
      .meta({ override: { minProperties: 1 } }),
  })
  .meta({
    id: 'ProvidersChange',
    example: { providers: { openai: { enabled: true, position: 0, rate_limit_rpm: 60 } } },
  })

/** Answer of `POST /v1/gateway/providers/config`. */
export const ChangeProvidersAnswer = ProvidersAnswer.extend({ saved: z.literal(true) })

/** A key to try, or the wish to try the one that calls use. */
export const ConnectionTest = z
  .object({
    provider: ProviderId,
    api_key: z
      .string()
      .regex(/^[\x21-\x7e]{1,8192}$/, { error: 'must be printable ASCII characters without spaces' })
      .optional()
      .meta({ description: 'Sent to the provider, and neither stored nor repeated' }),
    stored: z
      .literal(true)
      .optional()
      .meta({ description: "Tries the key that a call would use: of the vault, else the operator's" }),
  })
  .refine(({ api_key: key, stored }) => (key === undefined) !== (stored === undefined), {
    path: ['api_key'],
    error: 'is required, unless stored is true; one of both',
  })
  .meta({ id: 'ConnectionTest', override: { oneOf: [{ required: ['api_key'] }, { required: ['stored'] }] } })

/** Where a tried key comes from; `none` for an own server that needs no key. */
const KEY_ORIGINS = ['given', 'vault', 'operator', 'none'] as const

/** Answer of `POST /v1/gateway/test-connection`. */
export const ConnectionAnswer = z.object({
  ok: z.boolean().meta({ description: 'True when the provider accepted the key' }),
  provider: ProviderId,
  key_from: z.enum(KEY_ORIGINS).meta({ description: 'Where the key comes from; `none` for a server without one' }),
  status: z.int().meta({ description: "The provider's status; 0 when it could not be reached" }),
  elapsed_ms: z.number().min(0),
  error: z.enum(['invalid_key', 'provider_error', 'transport_error', 'timeout']).nullable(),
  detail: z
    .string()
    .nullable()
    .meta({ description: "The provider's own words, without the key; null for the operator's key" }),
})

/** Answer of `GET /v1/gateway/mode`. */
export const ModeAnswer = z.object({
  mode: z.enum(GATEWAY_MODES),
  allowed: z.array(z.enum(GATEWAY_MODES)),
  ollama_reachable: z.boolean(),
  vllm_reachable: z.boolean(),
  version: z.string(),
})
