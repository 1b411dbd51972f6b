import { z } from 'zod'
import { Email } from '../../accounts/wire/email.ts'
import { WAITLIST } from '../providers/connectors.ts'
import { ProviderId } from './providers.ts'

const WaitlistId = z.enum(WAITLIST)

/** Answer of `GET /v1/connectors`. */
export const ConnectorsAnswer = z.object({
  providers: z.array(
    z
      .object({
        provider: ProviderId,
        label: z.string(),
        dialects: z.array(z.string()).meta({ description: 'What it speaks' }),
        key_variable: z.string().nullable().meta({ description: "Environment variable of the operator's key" }),
        configured: z
          .boolean()
          .meta({ description: "Whether a call of the caller would find a key, or the operator's own server" }),
        enabled: z.boolean().meta({ description: 'Whether the tenant lets calls go there' }),
      })
      .meta({ id: 'ConnectedProvider' }),
  ),
  connectors: z.array(
    z
      .object({
        id: z.string(),
        name: z.string(),
        category: z.enum(['sdk', 'framework', 'automation', 'client', 'manifest', 'observability']),
        tagline: z.string(),
        docs: z.string().meta({ description: 'Address of its description' }),
        proof: z.enum(['tested', 'by_protocol']).meta({
          description:
            '`tested`: the tests of the service run it. `by_protocol`: it speaks a protocol that is tested, and is not itself tested',
        }),
        base_url: z.string().nullable().meta({ description: 'The base address that it is given' }),
      })
      .meta({ id: 'Connector' }),
  ),
  waitlist: z.array(
    z
      .object({
        id: WaitlistId,
        asked: z.boolean().meta({ description: 'Whether a member of the tenant asked to be notified' }),
      })
      .meta({ id: 'AwaitedConnector' }),
  ),
})

/** Body of `POST /v1/connectors/notify`. */
export const NotifyConnectorBody = z
  .object({
    connector: WaitlistId.meta({ description: 'A connector of the waitlist' }),
    email: Email.optional().meta({ description: 'The address to notify; the tenant when absent' }),
  })
  .meta({ id: 'NotifyConnector', example: { connector: 'slack', email: 'ada@example.com' } })

/** Answer of `POST /v1/connectors/notify`. */
export const NotifyConnectorAnswer = z.object({
  connector: WaitlistId,
  email_accepted: z.boolean().meta({ description: 'Whether an address is noted; false when the tenant is' }),
  is_new: z.boolean().meta({ description: 'False when the wish was noted before' }),
  message: z.string(),
})
