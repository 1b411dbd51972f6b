/**
 * A provider that answers at once, in a process of its own: whole answers, and streams of `x-bench-events` events with
 * `x-bench-pause-ms` between them, as the last message says. It tells its port over the channel of its parent.
 */
import { createServer, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

const WHOLE = JSON.stringify({
  id: 'chatcmpl-bench',
  object: 'chat.completion',
  created: 1_700_000_000,
  model: 'gpt-4o-mini',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Your parcel arrives today.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 24, completion_tokens: 6, total_tokens: 30 },
})

const server = createServer((request, response) => {
  let body = ''
  request.setEncoding('utf8')
  request.on('data', (chunk: string) => (body += chunk))
  request.on('end', () => {
    if (body.includes('"stream":true')) void stream(body, response)
    else response.writeHead(200, { 'content-type': 'application/json' }).end(WHOLE)
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => process.send?.(server.address()))
process.once('disconnect', () => process.exit())

async function stream(body: string, response: ServerResponse): Promise<void> {
  const [, events = '20', pauseMs = '0'] = /stream (\d+) events, (\d+) ms/.exec(body) ?? []
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (let i = 0; i < Number(events) && !response.destroyed; i++) {
    response.write(chunk({ content: `word${i} ` }, null))
    if (pauseMs !== '0') await sleep(Number(pauseMs))
  }
  response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`)
}

function chunk(delta: object, finish: string | null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }]
  const facts = { id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'gpt-4o-mini' }
  return `data: ${JSON.stringify({ ...facts, choices })}\n\n`
}
