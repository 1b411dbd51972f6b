import { setTimeout as sleep } from 'node:timers/promises'
import { EventSourceParserStream } from 'eventsource-parser/stream'
import { z } from 'zod'
import type { ApiClient } from './api-client.ts'

const PAUSE_MS = 500

const EventBody = z.looseObject({
  seq: z.int().optional(),
  step: z.string().optional(),
  status: z.string().optional(),
  fraction: z.number().optional(),
  note: z
    .string()
    .nullish()
    .transform((note) => note ?? undefined),
  message: z.string().optional(),
  k_score: z.number().optional(),
  training_step: z.int().optional(),
  training_steps: z.int().optional(),
  epoch: z.number().optional(),
  loss: z.number().optional(),
  validation_loss: z.number().nullish(),
  tokens_per_second: z.number().optional(),
  eta_seconds: z.number().optional(),
  error_code: z.string().optional(),
  error: z.string().optional(),
})

/** One event of a job's log. */
export interface JobEvent {
  readonly kind: string
  readonly body: z.output<typeof EventBody>
}

/** The kinds after which nothing more comes. */
const LAST_KINDS: ReadonlySet<string> = new Set(['done', 'gated', 'error'])

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
        const event = { kind: message.event ?? 'message', body: EventBody.parse(JSON.parse(message.data)) }
        yield event
        if (LAST_KINDS.has(event.kind)) return
      }
    } catch (error) {
      // A stream that breaks in the middle is resumed; what is no event at all is a fault of the server.
      if (signal?.aborted === true || error instanceof z.ZodError || error instanceof SyntaxError) throw error
    }
    await sleep(PAUSE_MS, undefined, signal === undefined ? {} : { signal })
  }
}

async function* readEvents(response: Response) {
  if (response.body === null) return
  yield* response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
}
