import { z } from 'zod'
import { CaptureNamespace } from '../../../core/gateway/wire/captures/fields.ts'
import { invalidField } from '../../../core/kernel/errors.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { INSTANT, parseInstant } from '../../../core/kernel/wire/since.ts'
import { positionAt, tailCaptures, tailStart, type TailedCapture } from '../../../db/gateway/captures/tail-captures.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { rawAnswer } from '../../kernel/reply/answers.ts'
import { eventReply, type StreamEvent } from '../../kernel/reply/events.ts'
import { defineRoute, type GatewayServices } from '../services.ts'
import { requireAccess } from './access.ts'

/** Captures that a stream repeats at most. */
const MOST_REPLAYED = 5000
/** Positions from here on are times in milliseconds since 1970. */
const FIRST_TIME = 1_000_000_000_000

const Since = z
  .string()
  .max(40)
  .refine((text) => /^\d{1,15}$/.test(text) || parseInstant(text) !== undefined, {
    error: 'must be the id of an event, or a time in ISO 8601 or milliseconds since 1970',
  })
  .meta({
    description: 'Id of the last event received, or a time',
    override: { type: 'string', pattern: INSTANT.source },
  })

export const streamCapturesRoute = defineRoute({
  method: 'get',
  path: '/v1/capture/stream',
  operationId: 'streamCaptures',
  group: 'captures',
  summary: 'Follow captures as they are stored, as server-sent events',
  description:
    'Repeats the newest `replay_limit` captures, or those after `since` or `Last-Event-ID`, then goes on live. Events: `hello`, `capture` for each one, and `replay_complete` between the repeated and the live ones. The id of an event is the place of its capture in the order of commits, whichever process stored it: a client that comes back with it misses none and sees none twice. Forgotten captures are left out.',
  auth: 'key',
  scope: 'capture:stream',
  orScopes: ['capture:read'],
  namespace: 'bounded',
  query: z.object({
    namespace: CaptureNamespace.optional(),
    since: Since.optional(),
    last_seen: Since.optional().meta({ description: 'Another name of `since`' }),
    live: z
      .enum(['true', 'false'])
      .default('true')
      .meta({ description: '`false` ends the stream after the repeated captures' }),
    replay_limit: z.coerce.number().int().min(0).max(MOST_REPLAYED).default(200),
  }),
  answers: { 200: rawAnswer('`hello`, `capture`, `replay_complete`; each with a JSON body', 'text/event-stream') },
  errors: ['rate_limited', 'forbidden'],
})
  .authorize(async ({ op, principal, query }) => {
    await requireAccess({ op, principal }, 'capture:stream', query.namespace)
  })
  .handle(async ({ op, services, query, request, endOfCall }) => {
    const { namespace, replay_limit: replay } = query
    const seen = request.headers['last-event-id']
    const since = (typeof seen === 'string' ? seen : undefined) ?? query.since ?? query.last_seen
    const after = since === undefined ? await tailStart(op, { namespace, replay }) : await placeOf(op, since)
    const { streams, limits } = services
    const leave = streams.enter(streamsOf(op.tenantId), limits.capture_streams_per_tenant)
    const signal = endOfCall()
    signal.addEventListener('abort', leave)
    if (signal.aborted) leave()
    const reply = eventReply(follow(op, services, { namespace, after, signal, isLive: query.live === 'true' }))
    return {
      status: 200,
      ...reply,
      headers: { ...reply.headers, 'x-svc-capture-durable': 'true', 'x-svc-capture-driver': 'postgres' },
    }
  })

/** The name under which the open streams of a tenant are counted. */
export function streamsOf(tenantId: string): string {
  return `captures of ${tenantId}`
}

/** The position behind which a client continues. Throws `validation_failed` for what names none. */
async function placeOf(op: Operation, since: string): Promise<number> {
  const number = /^\d{1,15}$/.test(since) ? Number(since) : undefined
  if (number !== undefined && number < FIRST_TIME) return number
  const at = number === undefined ? parseInstant(since) : new Date(number)
  if (at === undefined) throw invalidField('Last-Event-ID', 'is neither the id of an event nor a time')
  return await positionAt(op, at)
}

async function* follow(
  op: Operation,
  { notifications }: Pick<GatewayServices, 'notifications'>,
  request: {
    readonly namespace: string | undefined
    readonly after: number
    readonly signal: AbortSignal
    readonly isLive: boolean
  },
): AsyncGenerator<StreamEvent | 'idle'> {
  const { namespace, after } = request
  let last = after
  yield {
    id: last,
    event: 'hello',
    data: {
      tenant: op.tenantId,
      namespace: namespace ?? null,
      ts: op.now().toISOString(),
      driver: 'postgres',
      replay_since: after,
    },
  }
  let replayed: number | null = 0
  for await (const captures of tailCaptures(op, notifications, request)) {
    if (captures.length === 0) {
      if (replayed === null) yield 'idle'
      else yield { id: last, event: 'replay_complete', data: { ok: true, replayed, since: after } }
      replayed = null
      if (!request.isLive) return
    }
    for (const capture of captures) {
      if (request.signal.aborted) return
      last = capture.position
      yield { id: last, event: 'capture', data: present(capture, replayed !== null) }
      if (replayed !== null) replayed++
    }
  }
}

function present(capture: TailedCapture, replayed: boolean): JsonObject {
  return {
    capture_id: capture.id,
    captured_at: capture.at.toISOString(),
    namespace: capture.namespace,
    model: capture.model,
    provider: capture.provider,
    latency_us: capture.latencyUs,
    status: capture.status,
    outcome: capture.outcome,
    risk_score: capture.risk,
    prompt_head: capture.promptPreview,
    response_head: capture.responsePreview,
    x_svc_capture_durable: true,
    replayed,
  }
}
