import { z } from 'zod'
import { isFinal, STAGE_LABELS, STAGES } from '../../../core/compile/rows/task.ts'
import { findAcceptance } from '../../../db/compile/progress/acceptances/find-acceptance.ts'
import { listEvents, type ListedEvent } from '../../../db/compile/progress/events/list-events.ts'
import { subscribeJob } from '../../../db/compile/progress/events/subscribe.ts'
import type { CompileJob } from '../../../db/compile/jobs/compile-job.ts'
import { findJob } from '../../../db/compile/jobs/find-job.ts'
import type { Notifications } from '../../../db/kernel/notifications.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { rawAnswer } from '../../kernel/reply/answers.ts'
import { createEventWait, eventReply, type StreamEvent } from '../../kernel/reply/events.ts'
import { lastEventId, StreamCursor } from '../../kernel/reply/stream-cursor.ts'
import { JobId } from '../../../core/kernel/wire/ids.ts'
import { defineRoute } from '../services.ts'

const BATCH = 200
const LAST_KINDS: ReadonlySet<string> = new Set(['done', 'gated', 'error'])

export const streamCompileRoute = defineRoute({
  method: 'get',
  path: '/v1/compile/stream/{id}',
  operationId: 'streamCompile',
  group: 'compile',
  summary: 'Stream the progress of a job as server-sent events',
  description:
    'Replays the event log after the larger of `cursor` and `Last-Event-ID`, then continues live; ends after `done`, `gated` or `error`. A gated job that is accepted continues after `gated`, to `done`, or to another `gated` when it cannot be signed. The id of an event is its sequence number, so a client that reconnects misses nothing and sees nothing twice. A client that has seen the last event gets 204, which tells it to stay away.',
  auth: 'key',
  scope: 'compile:read',
  namespace: 'bounded',
  params: z.object({ id: JobId }),
  query: z.object({
    cursor: StreamCursor.default(0).meta({ description: 'Sequence number of the last event received' }),
  }),
  answers: {
    200: rawAnswer(
      '`hello`, `step.start`, `progress`, `metric`, `cost`, `log`, `step.end`, `done`, `gated`, `error`; each with a JSON body that carries `seq`',
      'text/event-stream',
    ),
    204: rawAnswer('The job is over and its last event was seen', 'text/event-stream'),
  },
  errors: ['rate_limited'],
}).handle(async ({ op, services, params, query, request, endOfCall }) => {
  const job = await findJob(op, params.id)
  const after = Math.max(query.cursor, lastEventId(request.headers['last-event-id']))
  if (after >= job.eventSeq && (await isOver(op, job))) return { status: 204, raw: { kind: 'empty' } }
  const leave = services.streams.enter(op.tenantId, services.limits.sse_connections_per_tenant)
  const signal = endOfCall()
  signal.addEventListener('abort', leave)
  if (signal.aborted) leave()
  return { status: 200, ...eventReply(follow(op, services.notifications, params.id, after, signal)) }
})

/** Returns whether a job has its last event: an accepted job gets others until its archive is signed. */
async function isOver(op: Operation, { id, status }: CompileJob): Promise<boolean> {
  return isFinal(status) && (status !== 'gated' || (await findAcceptance(op, id))?.state !== 'pending')
}

/**
 * The events of a job after `after`, as they are recorded. The log is read again on every notification, by sequence
 * number, so what is sent depends on the log alone: neither lost notifications nor restarts lose or repeat an event.
 */
async function* follow(
  op: Operation,
  notifications: Notifications,
  jobId: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent | 'idle'> {
  const wait = createEventWait(signal)
  const unsubscribe = subscribeJob(notifications, jobId, () => wait.wake())
  try {
    if (after === 0) yield hello(jobId)
    let last = after
    for (;;) {
      const events = await listEvents(op, { jobId, afterSeq: last, limit: BATCH })
      for (const event of events) {
        if (signal.aborted) return
        yield present(event)
        last = event.seq
        if (LAST_KINDS.has(event.kind) && event === events.at(-1) && !(await hasMore(op, jobId, event))) return
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

/** A gated job that was accepted continues after `gated`. */
async function hasMore(op: Operation, jobId: string, { kind, seq }: ListedEvent): Promise<boolean> {
  return kind === 'gated' && (await listEvents(op, { jobId, afterSeq: seq, limit: 1 })).length > 0
}

function hello(jobId: string): StreamEvent {
  const steps = STAGES.map((id) => ({ id, label: STAGE_LABELS[id], status: 'pending' }))
  return { id: 0, event: 'hello', data: { seq: 0, job: jobId, steps } }
}

function present(event: ListedEvent): StreamEvent {
  return { id: event.seq, event: event.kind, data: { ...event.body, seq: event.seq, at: event.at.toISOString() } }
}
