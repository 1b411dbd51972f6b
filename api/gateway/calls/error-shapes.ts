import { z } from 'zod'
import { CALLER_TABLE } from '../../../core/gateway/protocol/dialects/table.ts'
import type { DialectError } from '../../../core/gateway/protocol/dialects/dialect.ts'
import type { CallerDialectName } from '../../../core/gateway/providers/provider.ts'
import type { ErrorShape } from '../../kernel/reply/error-shape.ts'
import { answerTo, type ErrorAnswer } from '../../kernel/reply/errors.ts'

/** Members that every form adds to that of its vendor: our machine code and the id of the call. */
const OURS = {
  code: z.string().meta({ description: 'The problem, for programs' }),
  request_id: z.string(),
  details: z.looseObject({}).optional().meta({ description: 'More facts, such as the wrong fields' }),
}
const Details = z.object({ fields: z.array(z.object({ field: z.string(), message: z.string() })).optional() })

const OpenAiErrorBody = z
  .object({
    error: z.object({ message: z.string(), type: z.string(), param: z.string().nullable(), code: z.string() }),
    ...OURS,
  })
  .meta({ id: 'OpenAiError', description: "Errors in OpenAI's form" })
const AnthropicErrorBody = z
  .object({ type: z.literal('error'), error: z.object({ type: z.string(), message: z.string() }), ...OURS })
  .meta({ id: 'AnthropicError', description: "Errors in Anthropic's form" })
const GoogleErrorBody = z
  .object({
    error: z.object({
      code: z.int(),
      message: z.string(),
      status: z.string(),
      details: z.array(z.looseObject({})).optional().meta({ description: 'The machine code, as `ErrorInfo`' }),
    }),
    ...OURS,
  })
  .meta({ id: 'GoogleError', description: "Errors in Google's form" })

/** The errors of a dialect, in which the published SDKs recognise their own classes. */
export const DIALECT_ERRORS: Readonly<Record<CallerDialectName, ErrorShape>> = {
  'chat-completions': shapeOf('chat-completions', 'OpenAi', OpenAiErrorBody),
  responses: shapeOf('responses', 'OpenAi', OpenAiErrorBody),
  messages: shapeOf('messages', 'Anthropic', AnthropicErrorBody),
  'generate-content': shapeOf('generate-content', 'Google', GoogleErrorBody),
}

function shapeOf(dialect: CallerDialectName, name: string, schema: z.ZodObject): ErrorShape {
  return {
    name,
    mediaType: 'application/json',
    schema,
    write: (answer) => ({
      ...CALLER_TABLE[dialect].writeError(dialectError(answer)),
      code: answer.envelope.code,
      request_id: answer.envelope.request_id,
      ...(answer.envelope.details && { details: answer.envelope.details }),
    }),
  }
}

function dialectError({ status, envelope }: ErrorAnswer): DialectError {
  const { code, error, details } = envelope
  const word = details?.['provider_code']
  const param = details?.['provider_param']
  const fields = Details.safeParse(details ?? {})
  return {
    status,
    message: error,
    code: typeof word === 'string' ? word : code,
    param: fields.data?.fields?.[0]?.field ?? (typeof param === 'string' ? param : null),
  }
}

/** The text that ends a stream of which the caller has got `eventsBefore` events. */
export function streamError(
  dialect: CallerDialectName,
  error: unknown,
  { requestId, eventsBefore }: { readonly requestId: string; readonly eventsBefore: number },
): string {
  return CALLER_TABLE[dialect].writeStreamError(dialectError(answerTo(error, requestId)), eventsBefore)
}
