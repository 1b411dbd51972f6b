import { createParser } from 'eventsource-parser'
import { z } from 'zod'

const Body = z.object({ seq: z.int() })

/** Reads the whole event log of a finished job from its stream; the greeting is not part of the log. */
export async function readStream(apiUrl: string, key: string, jobId: string): Promise<{ seq: number; kind: string }[]> {
  const events: { seq: number; kind: string }[] = []
  const parser = createParser({
    onEvent: ({ event = 'message', data, id }) => {
      const body = Body.safeParse(JSON.parse(data))
      if (id !== undefined && event !== 'hello' && body.success) events.push({ seq: body.data.seq, kind: event })
    },
  })
  const answer = await fetch(`${apiUrl}/v1/compile/stream/${jobId}?cursor=0`, { headers: { 'x-api-key': key } })
  if (answer.body === null) throw new Error('the stream has no body')
  for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) parser.feed(chunk)
  return events
}
