import type { IncomingHttpHeaders } from 'node:http'
import { z } from 'zod'
import { GATEWAY_ERRORS } from '../../errors.ts'

/** Header that names the passages which were retrieved for a call. */
const HEADER = 'svc-retrieved-context'
const BASE64 = /^(?:[\w+/-]{4})*(?:[\w+/-]{2,3}={0,2})?$/

const RetrievedContext = z
  .array(
    z.strictObject({
      source: z.string().min(1).max(2048),
      text: z.string().max(64 * 1024),
      score: z.number().exactOptional(),
    }),
  )
  .max(500)
/** The passages that were retrieved for a call, best first. */
export type RetrievedContext = z.infer<typeof RetrievedContext>

/**
 * Reads the passages of `svc-retrieved-context`: base64 of a JSON array of `{source, text, score?}`; none without the
 * header. Throws `invalid_retrieved_context_header`.
 */
export function retrievedContext(headers: IncomingHttpHeaders): RetrievedContext {
  const given = headers[HEADER]
  if (given === undefined) return []
  if (typeof given !== 'string' || !BASE64.test(given)) throw invalid('must be base64')
  const { data, error } = RetrievedContext.safeParse(parse(Buffer.from(given, 'base64').toString('utf8')))
  if (data !== undefined) return data
  const [issue] = error.issues
  throw invalid(
    `must be a JSON array of {source, text, score?}: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`,
  )
}

const MOST_NAMED = 10
const NAMED_CHARS = 200

/** Headers that repeat the number of passages and the sources of the first ones; none without passages. */
export function retrievedHeaders(context: RetrievedContext): Readonly<Record<string, string>> {
  if (context.length === 0) return {}
  const sources = context
    .slice(0, MOST_NAMED)
    .map(({ source }) => encodeURIComponent(source.slice(0, NAMED_CHARS).toWellFormed()))
  return { 'x-svc-retrieved-count': String(context.length), 'x-svc-retrieved-sources': sources.join(',') }
}

function invalid(problem: string) {
  return GATEWAY_ERRORS.invalid_retrieved_context_header(`${HEADER}: ${problem}`)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
