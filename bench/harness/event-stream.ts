import { createParser } from 'eventsource-parser'
import { z } from 'zod'

const Body = z.looseObject({ seq: z.int() })

/** One event of a job's log. */
export interface LoggedEvent {
  readonly seq: number
  readonly kind: string
  readonly body: Readonly<Record<string, unknown>>
}

/** Reads the whole event log of a finished job from its stream; the greeting is not part of the log. */
export async function readStream(apiUrl: string, key: string, jobId: string): Promise<LoggedEvent[]> {
  const events: LoggedEvent[] = []
  const parser = createParser({
    onEvent: ({ event = 'message', data, id }) => {
      const body = Body.safeParse(JSON.parse(data))
      if (id !== undefined && event !== 'hello' && body.success)
        events.push({ seq: body.data.seq, kind: event, body: body.data })
    },
  })
  const answer = await fetch(`${apiUrl}/v1/compile/stream/${jobId}?cursor=0`, { headers: { 'x-api-key': key } })
  if (answer.body === null) throw new Error('the stream has no body')
  for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) parser.feed(chunk)
  return events
}
