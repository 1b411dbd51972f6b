import { z } from 'zod'
import { isOver, RUN_STAGES } from '../../../core/learn/distill/run.ts'
import { subscribeJob } from '../../../db/compile/progress/events/subscribe.ts'
import type { Notifications } from '../../../db/kernel/notifications.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { findRun } from '../../../db/learn/distill/find-run.ts'
import { listRunEvents } from '../../../db/learn/distill/run-events.ts'
import { rawAnswer } from '../../kernel/reply/answers.ts'
import { createEventWait, eventReply, type StreamEvent } from '../../kernel/reply/events.ts'
import { lastEventId, StreamCursor } from '../../kernel/reply/stream-cursor.ts'
import { defineRoute } from '../services.ts'
import { requireRunId, RunPath } from './runs.ts'

const BATCH = 200

export const streamRunRoute = defineRoute({
  method: 'get',
  path: '/v1/distill/runs/{run_id}/stream',
  operationId: 'streamDistillRun',
  group: 'distill',
  summary: 'Stream the progress of a run as server-sent events',
  description:
    'Replays the event log after the larger of `cursor` and `Last-Event-ID`, then continues live; ends after `end`. The id of an event is its sequence number, so a client that reconnects misses nothing and sees nothing twice. A client that has seen the last event gets 204, which tells it to stay away.',
  auth: 'key',
  scope: 'distill:read',
  namespace: 'bounded',
  params: RunPath,
  query: z.object({
    cursor: StreamCursor.default(0).meta({ description: 'Sequence number of the last event received' }),
  }),
  answers: {
    200: rawAnswer(
      '`hello`, `stage`, `progress`, `spend`, `log`, `end`; each with a JSON body that carries `seq`',
      'text/event-stream',
    ),
    204: rawAnswer('The run is over and its last event was seen', 'text/event-stream'),
  },
  errors: ['invalid_run_id', 'rate_limited'],
}).handle(async ({ op, services, params: { run_id: runId }, query, request, endOfCall }) => {
  requireRunId(runId)
  const run = await findRun(op, runId)
  const after = Math.max(query.cursor, lastEventId(request.headers['last-event-id']))
  if (after >= run.eventSeq && isOver(run.state)) return { status: 204, raw: { kind: 'empty' } }
  const leave = services.streams.enter(op.tenantId, services.limits.sse_connections_per_tenant)
  const signal = endOfCall()
  signal.addEventListener('abort', leave)
  if (signal.aborted) leave()
  return { status: 200, ...eventReply(follow(op, services.notifications, { runId, after, signal })) }
})

/**
 * The events of a run after `after`, as they are recorded. The log is read again on every notification, by sequence number, so
 * what is sent depends on the log alone: neither lost notifications nor restarts lose or repeat an event.
 */
async function* follow(
  op: Operation,
  notifications: Notifications,
  { runId, after, signal }: { readonly runId: string; readonly after: number; readonly signal: AbortSignal },
): AsyncGenerator<StreamEvent | 'idle'> {
  const wait = createEventWait(signal)
  const unsubscribe = subscribeJob(notifications, runId, () => wait.wake())
  try {
    if (after === 0) yield { id: 0, event: 'hello', data: { seq: 0, run_id: runId, stages: [...RUN_STAGES] } }
    let last = after
    for (;;) {
      const events = await listRunEvents(op, { runId, afterSeq: last, limit: BATCH })
      for (const { seq, kind, body, at } of events) {
        if (signal.aborted) return
        yield { id: seq, event: kind, data: { ...body, seq, at: at.toISOString() } }
        last = seq
        if (kind === 'end') return
      }
      if (events.length === BATCH) continue
      const news = await wait.next()
      if (news === 'ended') return
      if (news === 'idle') yield 'idle'
    }
  } finally {
    unsubscribe()
  }
}
