import { setTimeout as sleep } from 'node:timers/promises'
import { EventSourceParserStream } from 'eventsource-parser/stream'
import { JobView } from '../../core/compile/wire/jobs/job.ts'
import { JobEventBody } from '../../core/compile/wire/jobs/event.ts'
import { CliError } from '../cli-error.ts'
import type { ApiClient } from './api-client.ts'
import { checkAnswer } from './check-answer.ts'

const PAUSE_MS = 500

/** One event of a job's log. */
export interface JobEvent {
  readonly kind: string
  readonly body: JobEventBody
}

/** Kinds that end the stream; `gated` ends it unless the job is accepted. */
const LAST_KINDS: ReadonlySet<string> = new Set(['done', 'error'])

/**
 * The events of a job from its first to its last, each once. A connection that is lost is opened again after the last
 * event that was seen. Throws `CliError` when the server cannot be reached for a minute, or refuses.
 */
export async function* followJob(client: ApiClient, jobId: string, signal?: AbortSignal): AsyncGenerator<JobEvent> {
  let lastId: string | undefined
  for (;;) {
    const response = await client.open(`/v1/compile/stream/${encodeURIComponent(jobId)}`, {
      headers: { accept: 'text/event-stream', ...(lastId !== undefined && { 'last-event-id': lastId }) },
      ...(signal !== undefined && { signal }),
    })
    try {
      for await (const message of readEvents(response)) {
        if (message.id !== undefined && message.id === lastId) continue
        lastId = message.id ?? lastId
        const body = checkAnswer(JSON.parse(message.data), JobEventBody, response.url)
        const event = { kind: message.event ?? 'message', body }
        yield event
        if (event.kind === 'gated' ? !(await isAccepted(client, jobId, signal)) : LAST_KINDS.has(event.kind)) return
      }
    } catch (error) {
      // A broken stream is resumed; a message that is not an event is a fault of the server.
      if (signal?.aborted === true || error instanceof CliError || error instanceof SyntaxError) throw error
    }
    await sleep(PAUSE_MS, undefined, signal === undefined ? {} : { signal })
  }
}

/** Returns whether events follow `gated`: the job is accepted, and being signed or signed since. */
async function isAccepted(client: ApiClient, jobId: string, signal?: AbortSignal): Promise<boolean> {
  const path = `/v1/compile/${encodeURIComponent(jobId)}`
  const { status, accepted } = await client.call(path, JobView, signal === undefined ? {} : { signal })
  return status !== 'gated' || accepted?.state === 'pending'
}

async function* readEvents(response: Response) {
  if (response.body === null) return
  yield* response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
}
