import type { ServerResponse } from 'node:http'
import type { Context } from 'koa'
import type { Route } from '../route.ts'
import type { RawReply } from './raw-reply.ts'

/** The reply in the form in which it can be kept for a repeated call. */
export interface RenderedReply {
  readonly status: number
  readonly text: string
}

/**
 * The text of a JSON reply as it is sent, parsed by the declared schema first, so that a field that is not declared
 * never leaves. Throws an `Error` for a status that is not declared or a body that its schema refuses: a bug.
 */
export function renderJson(route: Route, reply: RawReply, requestId: string): RenderedReply {
  const { text, isEnveloped } = renderBody(route, reply)
  return { status: reply.status, text: isEnveloped ? withHead(text, requestId) : text }
}

/** The same without what differs from call to call. */
export function renderBody(route: Route, reply: RawReply): { readonly text: string; readonly isEnveloped: boolean } {
  const answer = route.answers[reply.status]
  if (answer?.kind !== 'json') throw new Error(`${route.operationId} does not declare a JSON answer ${reply.status}`)
  const parsed = answer.schema.safeParse(reply.body)
  if (!parsed.success) {
    const fields = parsed.error.issues.map((issue) => `${issue.path.map(String).join('.')}: ${issue.message}`)
    throw new Error(`${route.operationId} answered ${reply.status} with a wrong body: ${fields.join('; ')}`)
  }
  return { text: JSON.stringify(parsed.data), isEnveloped: answer.isEnveloped }
}

/** The JSON of an object as the success envelope of one call. */
export function withHead(text: string, requestId: string): string {
  const head = `{"ok":true,"request_id":${JSON.stringify(requestId)}`
  return text === '{}' ? `${head}}` : `${head},${text.slice(1)}`
}

/** Writes a rendered JSON reply. */
export function sendJson(ctx: Context, route: Route, rendered: RenderedReply, headers: RawReply['headers']): void {
  ctx.status = rendered.status
  setHeaders(ctx.res, headers)
  ctx.type = jsonTypeOf(route)
  ctx.body = rendered.text
}

/** The media type of a route's JSON, answers and errors. */
export function jsonTypeOf(route: Route | undefined): string {
  return `${route?.errorShape?.mediaType ?? 'application/json'}; charset=utf-8`
}

/** Writes bytes or a stream of the media type that the route declares. */
export function sendRaw(ctx: Context, route: Route, reply: RawReply): void {
  const answer = route.answers[reply.status]
  const ofJson = answer?.kind === 'json' && (answer.isStreamed ? jsonTypeOf(route) : answer.orMediaType)
  const mediaType = answer?.kind === 'raw' ? answer.mediaType : ofJson
  if (!mediaType || !reply.raw) throw new Error(`${route.operationId} does not declare ${reply.status}`)
  ctx.status = reply.status
  if (reply.raw.kind === 'bytes') ctx.body = bodyOf(reply.raw.bytes)
  else if (reply.raw.kind === 'stream') {
    ctx.body = reply.raw.stream
    if (reply.raw.lengthBytes !== undefined) ctx.length = reply.raw.lengthBytes
    const { stream, trailers } = reply.raw
    // This listener is there before that of the pipe, which ends the response.
    if (trailers !== undefined) stream.once('end', () => ctx.res.addTrailers(trailers()))
  } else ctx.body = null
  if (reply.raw.kind === 'empty') ctx.status = reply.status
  ctx.type = mediaType
  setHeaders(ctx.res, reply.headers)
}

/** Sets headers of an answer. */
export function setHeaders(response: ServerResponse, headers: RawReply['headers'] = {}): void {
  for (const name of Object.keys(headers)) {
    const value = headers[name]
    if (value !== undefined) response.setHeader(name, typeof value === 'string' ? value : [...value])
  }
}

/** A text stays one: Node writes it and the headers together. */
function bodyOf(bytes: Uint8Array | string): Buffer | string {
  return typeof bytes === 'string' ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
}
