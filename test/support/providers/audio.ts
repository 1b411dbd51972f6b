import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { frame, isRecord, textAt } from './protocol.ts'

/** A second of a tone, as a WAV file that was written while it was made: its sizes are the largest number. */
export function spokenWav(): Buffer {
  return wavOf(
    Array.from({ length: 24_000 }, (_, i) => 8000 * Math.sin((2 * Math.PI * 440 * i) / 24_000)),
    24_000,
    true,
  )
}

/** A WAV file of 16-bit samples of one channel. */
export function wavOf(samples: readonly number[], rate: number, isUnsized = false): Buffer {
  const file = Buffer.alloc(44 + 2 * samples.length)
  file.write('RIFF', 0, 'latin1')
  file.writeUInt32LE(isUnsized ? 0xffffffff : 36 + 2 * samples.length, 4)
  file.write('WAVEfmt ', 8, 'latin1')
  file.writeUInt32LE(16, 16)
  file.writeUInt16LE(1, 20)
  file.writeUInt16LE(1, 22)
  file.writeUInt32LE(rate, 24)
  file.writeUInt32LE(2 * rate, 28)
  file.writeUInt16LE(2, 32)
  file.writeUInt16LE(16, 34)
  file.write('data', 36, 'latin1')
  file.writeUInt32LE(isUnsized ? 0xffffffff : 2 * samples.length, 40)
  for (const [i, sample] of samples.entries()) file.writeInt16LE(Math.round(sample), 44 + 2 * i)
  return file
}

/** Pieces in which a sound is sent. */
const PIECE_BYTES = 8192

/**
 * Answers OpenAI's paths of sound in the documented form, as strictly as OpenAI: a file without a model is refused. The voice
 * `cut` breaks off in the middle, `page` answers with a page of a proxy, `down` with a 503.
 */
export async function answerAudio(
  path: string,
  { headers }: Pick<IncomingMessage, 'headers'>,
  bytes: Buffer<ArrayBuffer>,
  { response, apiKey }: { readonly response: ServerResponse; readonly apiKey: string },
): Promise<void> {
  const json = (status: number, body: object) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  const refuse = (status: number, message: string, code: string) => json(status, { error: { message, code } })
  if (headers.authorization !== `Bearer ${apiKey}`) return void refuse(401, 'wrong key', 'invalid_api_key')
  if (path.endsWith('/speech')) {
    const body: unknown = JSON.parse(bytes.toString('utf8'))
    if (!isRecord(body) || textAt(body, 'input') === '' || textAt(body, 'model') === '') {
      return void refuse(400, 'input and model are required', 'missing')
    }
    return await speak(body, response, refuse)
  }
  const form = await new Response(bytes, { headers: { 'content-type': headers['content-type'] ?? '' } }).formData()
  const file = form.get('file')
  const fields = Object.fromEntries(
    [...form].filter(([name]) => name !== 'file').map(([name, value]) => [name, String(value)]),
  )
  if (!(file instanceof File) || fields['model'] === undefined) return void refuse(400, 'file and model', 'missing')
  const heard = Buffer.from(await file.arrayBuffer())
  const text = `heard ${heard.length} bytes ${createHash('sha256').update(heard).digest('hex').slice(0, 8)} as ${file.name} after ${fields['prompt'] ?? 'nothing'}`
  if (fields['stream'] === 'true') {
    const events = (text.match(/\S+\s*/g) ?? []).map((delta) => frame({ type: 'transcript.text.delta', delta }))
    const usage = { type: 'tokens', input_tokens: 14, output_tokens: 5, total_tokens: 19 }
    const done = frame({ type: 'transcript.text.done', text, usage })
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end([...events, done].join(''))
    return
  }
  const format = fields['response_format'] ?? 'json'
  if (format === 'text') response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end(`${text}\n`)
  else if (format === 'srt') {
    response.writeHead(200, { 'content-type': 'application/x-subrip' })
    response.end(`1\n00:00:00,000 --> 00:00:01,000\n${text}\n`)
  } else json(200, { text, usage: { type: 'duration', seconds: 1 } })
}

async function speak(
  body: Readonly<Record<string, unknown>>,
  response: ServerResponse,
  refuse: (status: number, message: string, code: string) => unknown,
): Promise<void> {
  const voice = textAt(body, 'voice')
  if (voice === 'down') return void refuse(503, 'overloaded', 'server_error')
  if (voice === 'page') return void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>hello</p>')
  const sound = spokenWav()
  response.writeHead(200, { 'content-type': 'audio/wav', 'openai-processing-ms': '7' })
  for (let at = 0; at < sound.length; at += PIECE_BYTES) {
    await new Promise<void>((resolve) => response.write(sound.subarray(at, at + PIECE_BYTES), () => resolve()))
    if (voice === 'cut' && at >= PIECE_BYTES) return void response.socket?.destroy()
  }
  response.end()
}
