import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { LoggedAnswer, MOST_LOGGED } from '../../../core/gateway/wire/captures/logs.ts'
import { usageError } from '../../cli-error.ts'
import type { ApiClient } from '../../client/api-client.ts'
import type { CliContext } from '../../context.ts'

/** Options of `svc captures import`. */
export interface ImportFlags {
  readonly namespace?: string
  readonly provider: string
  readonly model: string
}

/** Bytes of the pairs of one call. */
const MOST_BYTES = 4 * 1024 * 1024

const Turn = z.looseObject({ role: z.string(), content: z.unknown() })
const Line = z.union([
  z.object({ export: z.looseObject({ count: z.int() }) }).transform(() => null),
  z.looseObject({ messages: z.array(Turn).min(2) }).transform(({ messages }) => pairOf(messages)),
  z.looseObject({ input: z.unknown(), output: z.unknown() }).transform(({ input, output }) => ({ input, output })),
  z
    .looseObject({ prompt: z.unknown(), completion: z.unknown() })
    .transform(({ prompt, completion }) => ({ input: prompt, output: completion })),
  z
    .looseObject({ prompt: z.unknown(), response: z.unknown() })
    .transform(({ prompt, response }) => ({ input: prompt, output: response })),
])

/** `svc captures import`: pairs of a file, in calls of at most 200. */
export async function importCaptures(context: CliContext, file: string, flags: ImportFlags): Promise<void> {
  const client = await context.client()
  const sums = { stored: 0, skipped: 0, refused: 0 }
  let batch: object[] = []
  let bytes = 0
  const send = async (): Promise<void> => {
    if (batch.length === 0) return
    const { count, skipped, refused } = await store(client, batch, flags)
    sums.stored += count
    sums.skipped += skipped
    sums.refused += refused
    batch = []
    bytes = 0
  }
  for await (const pair of pairsOf(file)) {
    const size = JSON.stringify(pair).length
    if (batch.length === MOST_LOGGED || bytes + size > MOST_BYTES) await send()
    batch.push(pair)
    bytes += size
  }
  await send()
  context.output.result(sums, () =>
    [
      `${sums.stored} captures stored`,
      ...(sums.skipped > 0 ? [`${sums.skipped} lines without an input or an output were skipped`] : []),
      ...(sums.refused > 0 ? [`${sums.refused} were refused by the policy of the namespace`] : []),
    ].join('\n'),
  )
}

async function* pairsOf(file: string): AsyncGenerator<object> {
  const lines = createInterface({ input: file === '-' ? process.stdin : createReadStream(file), crlfDelay: Infinity })
  let number = 0
  for await (const line of lines) {
    number++
    if (line.trim() === '') continue
    const { data, success } = Line.safeParse(parsed(line, number))
    if (!success) {
      throw usageError(`line ${number}: needs "input" and "output", "prompt" and "completion", or "messages"`)
    }
    if (data !== null) yield data
  }
}

function parsed(line: string, number: number): unknown {
  try {
    return JSON.parse(line)
  } catch (error) {
    throw usageError(`line ${number}: is not JSON`, error)
  }
}

function pairOf(messages: readonly z.infer<typeof Turn>[]): { readonly input: unknown; readonly output: unknown } {
  const last = messages.at(-1)
  const before = messages.slice(0, -1)
  const [only] = before
  const input =
    before.length === 1 && only !== undefined
      ? only.content
      : before.map(({ role, content }) => `${role}: ${textOf(content)}`).join('\n\n')
  return { input, output: last?.content }
}

function textOf(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content)
}

/** The same file is stored once within the time of idempotency keys, so that an import that broke off can be repeated. */
async function store(client: ApiClient, items: readonly object[], { namespace, provider, model }: ImportFlags) {
  const json = { items, provider, model, source: 'import', ...(namespace !== undefined && { namespace }) }
  const digest = createHash('sha256').update(JSON.stringify(json)).digest('hex')
  const answer = await client.call('/v1/capture/log', LoggedAnswer, {
    method: 'POST',
    json,
    idempotencyKey: `import-${digest}`,
  })
  const skipped = answer.skipped.length
  return { count: answer.count, skipped, refused: items.length - answer.count - skipped }
}
