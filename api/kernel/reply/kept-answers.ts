import { createHash } from 'node:crypto'
import type { Context } from 'koa'
import type { Route } from '../route.ts'
import type { RawReply } from './raw-reply.ts'
import { jsonTypeOf, renderBody, withHead } from './send.ts'

/** An answer that is the same for all callers, rendered. */
interface KeptAnswer {
  readonly status: number
  readonly bytes: Buffer
  readonly mediaType: string
  readonly headers: RawReply['headers']
  /** Strong for bytes that are kept as they are; weak where each answer has its own request id. */
  readonly etag: string
  readonly isEnveloped: boolean
}

/** Answers of routes that say how long one of them may serve all callers. */
export interface KeptAnswers {
  /** Answers the call, or says by 304 that the caller has the answer; makes one when none is young enough. */
  send(ctx: Context, route: Route, requestId: string, make: () => Promise<RawReply>): Promise<void>
}

/** No answers yet. Callers that come while one is made wait for it; one that fails is not kept. */
export function createKeptAnswers(): KeptAnswers {
  const kept = new Map<Route, { readonly until: number; readonly answer: Promise<KeptAnswer> }>()
  const current = async (route: Route, make: () => Promise<RawReply>): Promise<KeptAnswer> => {
    const now = performance.now()
    const known = kept.get(route)
    if (known && known.until > now) return await known.answer
    const answer = make().then((reply) => render(route, reply))
    kept.set(route, { until: now + (route.keptForS ?? 0) * 1000, answer })
    answer.catch(() => kept.delete(route))
    return await answer
  }
  return {
    async send(ctx, route, requestId, make) {
      const answer = await current(route, make)
      for (const [name, value] of Object.entries(answer.headers ?? {}))
        ctx.set(name, typeof value === 'string' ? value : [...value])
      ctx.set('ETag', answer.etag)
      if (namesTag(ctx.req.headers['if-none-match'], answer.etag)) {
        ctx.status = 304
        return
      }
      ctx.status = answer.status
      ctx.type = answer.mediaType
      ctx.body = answer.isEnveloped ? withHead(answer.bytes.toString('utf8'), requestId) : answer.bytes
    },
  }
}

/** True when `If-None-Match` names a tag (RFC 9110, 13.1.2): a list of tags or `*`, compared weakly. */
export function namesTag(header: string | undefined, etag: string): boolean {
  const bare = etag.replace(/^W\//, '')
  return header?.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === bare) ?? false
}

function render(route: Route, reply: RawReply): KeptAnswer {
  const { status, headers } = reply
  const answer = route.answers[status]
  if (reply.raw?.kind === 'bytes' && answer?.kind === 'raw') {
    const bytes = Buffer.from(reply.raw.bytes)
    return { status, bytes, mediaType: answer.mediaType, headers, etag: tagOf(bytes), isEnveloped: false }
  }
  const { text, isEnveloped } = renderBody(route, reply)
  const bytes = Buffer.from(text)
  const etag = isEnveloped ? `W/${tagOf(bytes)}` : tagOf(bytes)
  return { status, bytes, mediaType: jsonTypeOf(route), headers, etag, isEnveloped }
}

function tagOf(bytes: Uint8Array): string {
  return `"${createHash('sha256').update(bytes).digest('base64url')}"`
}
